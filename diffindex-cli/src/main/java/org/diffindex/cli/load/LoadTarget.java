package org.diffindex.cli.load;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinitions;

/** The table that a file is loaded into. It is created on request, and checked before anything is written. */
record LoadTarget(Connection connection, TableName table, String family) {
    /**
     * Checks that the table can be written, or creates it.
     *
     * @param create whether to create the table if it does not exist
     * @param splitPoints the row keys at which a new table is split
     * @throws IOException if the table cannot be written; the message says why
     */
    void prepare(boolean create, List<String> splitPoints) throws IOException {
        try (Admin admin = connection.getAdmin()) {
            if (admin.tableExists(table)) {
                check(admin.getDescriptor(table));
            } else if (create) {
                create(admin, splitPoints);
            } else {
                throw new IOException("There is no table " + table
                        + "; nothing was written; check its name, or create it with --create");
            }
        }
    }

    private void check(TableDescriptor descriptor) throws IOException {
        Optional<TableName> base = IndexDefinitions.baseTableOf(descriptor);
        if (base.isPresent()) {
            throw new IOException("Table " + table + " is an index table, which only writes to its base table change;"
                    + " nothing was written; load into " + base.get());
        }
        if (!descriptor.hasColumnFamily(Bytes.toBytes(family))) {
            String families = descriptor.getColumnFamilyNames().stream()
                    .map(Bytes::toStringBinary)
                    .collect(Collectors.joining(", "));
            throw new IOException("Table " + table + " has no column family " + family + "; its families are "
                    + families + "; nothing was written; name one with --family");
        }
    }

    private void create(Admin admin, List<String> splitPoints) throws IOException {
        TableDescriptor descriptor = TableDescriptorBuilder.newBuilder(table)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(family))
                .build();
        byte[][] keys = splitPoints.stream().sorted().map(Bytes::toBytes).toArray(byte[][]::new);
        if (keys.length == 0) {
            admin.createTable(descriptor);
        } else {
            admin.createTable(descriptor, keys);
        }
    }
}
