package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.ycsb.Items;

/** A plain table with the layout of an index by title, whose entries the clients write. Immutable. */
final class EntryTable {
    private static final IndexKeyCodec KEYS =
            new IndexKeyCodec(IndexDefinition.builder(TableName.valueOf("items"), "by_title")
                    .column("cf", Items.TITLE, ColumnTypes.STRING)
                    .build());
    private static final EntryFormat FORMAT = new EntryFormat("");

    private final TableName name;

    /** Creates an object for a table that need not exist yet, in the namespace of the run. */
    EntryTable(String name) {
        this.name = TableName.valueOf(BenchTables.NAMESPACE, name);
    }

    TableName name() {
        return name;
    }

    /** Creates the table with as many regions as a table of items. */
    void create(Connection connection) throws IOException {
        ColumnFamilyDescriptor family = EntryFormat.newFamily().build();
        try (Admin admin = connection.getAdmin()) {
            admin.createTable(
                    TableDescriptorBuilder.newBuilder(name)
                            .setColumnFamily(family)
                            .build(),
                    BenchTable.splits(BenchTables.REGIONS));
        }
    }

    /** Disables and deletes the table. */
    void drop(Connection connection) throws IOException {
        try (Admin admin = connection.getAdmin()) {
            admin.disableTable(name);
            admin.deleteTable(name);
        }
    }

    /** Returns the row key of an entry. */
    static byte[] key(byte[] title, byte[] row) {
        return Bytes.add(KEYS.prefix(List.of(title)), row);
    }

    /** Returns the put of an entry that an index would make now. */
    static Put put(byte[] title, byte[] row) {
        long now = System.currentTimeMillis();
        return FORMAT.put(new IndexEntry(key(title, row), now), now);
    }

    /** Returns the delete of an entry that an index would make now. */
    static Delete delete(byte[] title, byte[] row) {
        return FORMAT.delete(key(title, row), System.currentTimeMillis());
    }
}
