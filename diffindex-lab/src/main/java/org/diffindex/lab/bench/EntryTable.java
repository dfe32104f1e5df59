package org.diffindex.lab.bench;

import java.io.IOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexEntry;
import org.diffindex.ycsb.Items;

/** A plain table as an index by title would be, which no server maintains: clients write its entries. Immutable. */
final class EntryTable {
    private static final byte[] END_OF_TITLE = {0};
    private static final EntryFormat FORMAT = new EntryFormat("");

    private final TableName name = TableName.valueOf(BenchTables.NAMESPACE, "entries");

    TableName name() {
        return name;
    }

    /** Makes it, empty, with as many regions as the table that it would be the index of. */
    void create(Connection connection) throws IOException {
        ColumnFamilyDescriptor family = EntryFormat.newFamily().build();
        byte[][] splits =
                Items.splits(BenchTables.REGIONS).stream().map(Bytes::toBytes).toArray(byte[][]::new);
        try (Admin admin = connection.getAdmin()) {
            admin.createTable(
                    TableDescriptorBuilder.newBuilder(name)
                            .setColumnFamily(family)
                            .build(),
                    splits);
        }
    }

    /** The row key of an entry. */
    static byte[] key(byte[] title, byte[] row) {
        return Bytes.add(title, END_OF_TITLE, row);
    }

    /** Puts an entry as an index would. */
    static Put put(byte[] title, byte[] row) {
        long now = System.currentTimeMillis();
        return FORMAT.put(new IndexEntry(key(title, row), now), now);
    }

    /** Deletes an entry as an index would. */
    static Delete delete(byte[] title, byte[] row) {
        return FORMAT.delete(key(title, row), System.currentTimeMillis());
    }
}
