package org.diffindex.lab.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.lab.steps.Parallel;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.ycsb.Items;

/**
 * A table of the paper's items, and at which version each of them is; whole rows of 1 KB are written. Items are chosen and
 * written by one client each, so that every version is known, except those of {@link #skewedItems}. Safe for use by many
 * threads.
 */
final class BenchTable {
    static final byte[] FAMILY = Bytes.toBytes("cf");
    static final String BY_TITLE = "by_title";

    /** The most indexes that a table can have. */
    static final int MOST_INDEXES = 4;

    /** The cells of a row. */
    static final int COLUMNS = 2 + Items.FILLERS.size();

    private static final int FILLER_BYTES = 100;
    private static final int BATCH = 1_000;
    private static final int LOADERS = 3;

    private final TableName name;
    private final Contender contender;
    private final int indexes;
    private final int regions;
    private final AtomicIntegerArray versions;

    /**
     * A table that need not exist.
     *
     * @param suffix what tells it from the contender's other tables
     * @param indexes how many indexes it has, if the contender has any; the first is by title
     */
    BenchTable(Contender contender, String suffix, int rows, int indexes, int regions) {
        this.name = TableName.valueOf(BenchTables.NAMESPACE, contender.tablePart() + suffix);
        this.contender = contender;
        this.indexes = indexes;
        this.regions = regions;
        this.versions = new AtomicIntegerArray(rows);
    }

    TableName name() {
        return name;
    }

    Contender contender() {
        return contender;
    }

    int rows() {
        return versions.length();
    }

    /** The items from 0 on that are chosen evenly: nine of ten. */
    int evenItems() {
        return rows() - skewedItems();
    }

    /** The items behind them, which several clients may write at a time. */
    int skewedItems() {
        return rows() / 10;
    }

    static byte[] key(int item) {
        return Bytes.toBytes(Items.key(item));
    }

    /** The title that an item has now. */
    byte[] title(int item) {
        return Items.titleBytes(item, versions.get(item));
    }

    /** The item in its next version. */
    Put nextVersion(int item, Random random) {
        return row(item, versions.incrementAndGet(item), random);
    }

    private static Put row(int item, int version, Random random) {
        Put put = new Put(key(item));
        put.addColumn(FAMILY, Bytes.toBytes(Items.TITLE), Items.titleBytes(item, version));
        put.addColumn(FAMILY, Bytes.toBytes(Items.PRICE), Items.priceBytes(item, version));
        for (String filler : Items.FILLERS) {
            byte[] bytes = new byte[FILLER_BYTES];
            random.nextBytes(bytes);
            put.addColumn(FAMILY, Bytes.toBytes(filler), bytes);
        }
        return put;
    }

    /** The definitions of its indexes. */
    List<IndexDefinition> definitions() {
        return contender
                .scheme()
                .map(scheme -> List.of(byTitle(scheme), byPrice(scheme), byFiller(scheme, 0), byFiller(scheme, 1))
                        .subList(0, indexes))
                .orElse(List.of());
    }

    private IndexDefinition byTitle(IndexScheme scheme) {
        return IndexDefinition.builder(name, BY_TITLE)
                .column("cf", Items.TITLE, ColumnTypes.STRING)
                .splitAt(Items.splits(regions).toArray())
                .scheme(scheme)
                .build();
    }

    private IndexDefinition byPrice(IndexScheme scheme) {
        return IndexDefinition.builder(name, "by_price")
                .column("cf", Items.PRICE, ColumnTypes.LONG)
                .scheme(scheme)
                .build();
    }

    private IndexDefinition byFiller(IndexScheme scheme, int filler) {
        return IndexDefinition.builder(name, "by_field" + filler)
                .column("cf", Items.FILLERS.get(filler), ColumnTypes.BYTES)
                .scheme(scheme)
                .build();
    }

    /** Makes the table and its indexes, empty. */
    void create(Connection connection) throws IOException {
        TableDescriptor descriptor = TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build();
        byte[][] splits = Items.splits(regions).stream().map(Bytes::toBytes).toArray(byte[][]::new);
        try (DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            admin.createTable(descriptor, splits, definitions().toArray(IndexDefinition[]::new));
        }
    }

    /** Puts every item in its first version, and flushes table and indexes. */
    void load(Connection connection, long seed) throws IOException {
        List<Callable<Void>> batches = new ArrayList<>();
        for (int from = 0; from < rows(); from += BATCH) {
            int first = from;
            batches.add(() -> {
                Random random = new Random(seed + first);
                List<Put> puts = new ArrayList<>(BATCH);
                for (int item = first; item < Math.min(rows(), first + BATCH); item++) {
                    puts.add(row(item, 0, random));
                }
                try (Table table = connection.getTable(name)) {
                    table.put(puts);
                }
                return null;
            });
        }
        Collections.shuffle(batches, new Random(seed));
        Parallel.run(LOADERS, batches);
        drain(connection);
        try (Admin admin = connection.getAdmin()) {
            admin.flush(name);
            for (IndexDefinition definition : definitions()) {
                admin.flush(definition.indexTable());
            }
        }
    }

    /**
     * Waits until every index update is delivered.
     *
     * @throws IOException if some are not after five minutes
     */
    void drain(Connection connection) throws IOException {
        if (contender.scheme().isEmpty()) {
            return;
        }
        try (DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            long left = admin.drain(name, BenchTables.DRAIN);
            if (left > 0) {
                throw new IOException(left + " index updates of " + name + " are not delivered after "
                        + BenchTables.DRAIN.toSeconds() + " s; the region servers' logs say why");
            }
        }
    }
}
