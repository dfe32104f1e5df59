package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;
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
import org.diffindex.lab.bench.rivals.ItemRow;
import org.diffindex.lab.bench.rivals.ItemWriter;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.steps.Drain;
import org.diffindex.lab.steps.ParallelLoad;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.ycsb.Items;

/**
 * A table of the paper's items, which tracks the version of each item. Every write writes a whole row of 1 KB. One
 * client at a time writes an item, so that its version is known; this does not hold for the {@link #skewedItems}.
 * Thread-safe.
 */
class BenchTable {
    static final byte[] FAMILY = Bytes.toBytes("cf");
    static final String BY_TITLE = "by_title";

    /** The largest number of indexes of a table. */
    static final int MOST_INDEXES = 4;

    /** The number of cells per row. */
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
     * Creates an object for a table that need not exist yet.
     *
     * @param suffix the end of the name, which distinguishes the table from others of the contender
     * @param indexes the number of its indexes if the contender has any; the first is by title
     */
    BenchTable(Contender contender, String suffix, int rows, int indexes, int regions) {
        this(
                TableName.valueOf(BenchTables.NAMESPACE, contender.tablePart() + suffix),
                contender,
                rows,
                indexes,
                regions);
    }

    BenchTable(TableName name, Contender contender, int rows, int indexes, int regions) {
        this.name = name;
        this.contender = contender;
        this.indexes = indexes;
        this.regions = regions;
        this.versions = new AtomicIntegerArray(rows);
    }

    /** Returns the name of the HBase table of the rows. */
    TableName name() {
        return name;
    }

    /** Returns the HBase tables of the rows and of the indexes. */
    List<TableName> hbaseTables() {
        List<TableName> tables = new ArrayList<>(List.of(name));
        definitions().forEach(definition -> tables.add(definition.indexTable()));
        return tables;
    }

    /** Returns the table whose regions Diff-Index maintains the indexes of; empty if another system maintains them. */
    Optional<TableName> maintained() {
        return Optional.of(name);
    }

    Contender contender() {
        return contender;
    }

    int rows() {
        return versions.length();
    }

    int regions() {
        return regions;
    }

    /** Returns how many items are updated and read with equal probability: the first nine tenths. */
    int evenItems() {
        return rows() - skewedItems();
    }

    /** Returns how many items several clients may update concurrently: the last tenth. */
    int skewedItems() {
        return rows() / 10;
    }

    static byte[] key(int item) {
        return Bytes.toBytes(Items.key(item));
    }

    /** Returns the current title of an item. */
    byte[] title(int item) {
        return Items.titleBytes(item, versions.get(item));
    }

    /** Returns the current title of an item as text. */
    String titleText(int item) {
        return Items.title(item, versions.get(item));
    }

    /**
     * Returns whether a row may have a title: of an item that one client at a time writes, whether it is the current
     * one.
     */
    boolean mayContain(byte[] title, byte[] row) {
        String[] parts = Bytes.toString(title).split("-", -1);
        if (parts.length != 3) {
            return false;
        }
        try {
            int item = Integer.parseInt(parts[1]);
            int version = Integer.parseInt(parts[2]);
            boolean isKnown = item >= 0 && item < evenItems();
            return Arrays.equals(row, key(item))
                    && Arrays.equals(title, isKnown ? title(item) : Items.titleBytes(item, version));
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /** Advances an item to its next version, and returns the row of that version. */
    ItemRow nextRow(int item, Random random) {
        return row(item, versions.incrementAndGet(item), random);
    }

    /** Advances an item to its next version, and returns the put of the row of that version. */
    Put nextVersion(int item, Random random) {
        return put(nextRow(item, random));
    }

    /** Returns the row of a version of an item. */
    static ItemRow row(int item, int version, Random random) {
        List<byte[]> fillers = new ArrayList<>(Items.FILLERS.size());
        for (int filler = 0; filler < Items.FILLERS.size(); filler++) {
            byte[] bytes = new byte[FILLER_BYTES];
            random.nextBytes(bytes);
            fillers.add(bytes);
        }
        return new ItemRow(Items.key(item), Items.title(item, version), Items.price(item, version), fillers);
    }

    /** Returns the put of a row. */
    static Put put(ItemRow row) {
        Put put = new Put(Bytes.toBytes(row.key()));
        put.addColumn(FAMILY, Bytes.toBytes(Items.TITLE), Bytes.toBytes(row.title()));
        put.addColumn(FAMILY, Bytes.toBytes(Items.PRICE), Bytes.toBytes(row.price()));
        for (int filler = 0; filler < row.fillers().size(); filler++) {
            put.addColumn(
                    FAMILY,
                    Bytes.toBytes(Items.FILLERS.get(filler)),
                    row.fillers().get(filler));
        }
        return put;
    }

    /** Opens a client that writes rows. */
    ItemWriter writer(Connection connection) throws IOException {
        return new RowWriter(connection, this);
    }

    /** Opens a client that reads single items: by title, or by row key if the table has no index. */
    Load.Client reader(Connection connection, Projection projection, IntSupplier items) throws IOException {
        return new ReadClient(connection, this, projection, items);
    }

    /** Opens a client that reads ranges of an index, or of the table if that has none. */
    RangeClient rangeReader(Connection connection, int entries, IntSupplier region) throws IOException {
        return RangeClient.byIndex(connection, this, entries, region);
    }

    /** Returns the definitions of the indexes. */
    List<IndexDefinition> definitions() {
        return contender
                .scheme()
                .map(scheme -> List.of(byTitle(scheme), byPrice(scheme), byFiller(scheme, 0), byFiller(scheme, 1))
                        .subList(0, indexes))
                .orElse(List.of());
    }

    /** Returns the definition of the index by title under a scheme. */
    IndexDefinition byTitle(IndexScheme scheme) {
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

    /** Returns the keys that split a table of items, or an index of their titles, into that many regions. */
    static byte[][] splits(int regions) {
        return Items.splits(regions).stream().map(Bytes::toBytes).toArray(byte[][]::new);
    }

    /** Creates the table and its indexes. */
    void create(Connection connection) throws IOException {
        TableDescriptor descriptor = TableDescriptorBuilder.newBuilder(name)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build();
        try (DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            admin.createTable(descriptor, splits(regions), definitions().toArray(IndexDefinition[]::new));
        }
    }

    /** Writes the first version of every item, drains the indexes, and flushes the table and its indexes. */
    void load(Connection connection, long seed) throws IOException {
        new ParallelLoad(LOADERS, BATCH, seed).run(rows(), (from, to) -> {
            Random random = new Random(seed + from);
            write(
                    connection,
                    IntStream.range(from, to)
                            .mapToObj(item -> row(item, 0, random))
                            .toList());
        });
        drain(connection);
        try (Admin admin = connection.getAdmin()) {
            for (TableName table : hbaseTables()) {
                admin.flush(table);
            }
        }
    }

    /** Writes rows together, outside of a session. */
    void write(Connection connection, List<ItemRow> rows) throws IOException {
        try (Table table = connection.getTable(name)) {
            table.put(rows.stream().map(BenchTable::put).toList());
        }
    }

    /**
     * Waits until every index update is delivered; returns at once if the table has no index.
     *
     * @throws IOException if some are still in flight after five minutes
     */
    void drain(Connection connection) throws IOException {
        if (contender.scheme().isEmpty()) {
            return;
        }
        try (DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            Drain.await(admin, name, BenchTables.LONGEST_DRAIN);
        }
    }
}
