package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.IndexScheme;
import org.diffindex.verify.IndexComparison;
import org.diffindex.verify.ScrubReport;

/** The base table of one test, in four regions, with short methods to write it and to read it by index. */
final class IndexedFixture implements Closeable {
    static final byte[] F = Bytes.toBytes("f");
    static final byte[] CITY = Bytes.toBytes("city");
    static final byte[] AGE = Bytes.toBytes("age");
    static final byte[] NOTE = Bytes.toBytes("note");
    static final Duration DRAIN = Duration.ofSeconds(60);

    private static final AtomicInteger NEXT = new AtomicInteger();

    final Connection connection;
    final TableName name;
    final Table table;
    final DiffIndexAdmin admin;
    final IndexedTable indexed;

    /** Creates a table that keeps the given number of versions, with these indexes. */
    IndexedFixture(Connection connection, int versions, Function<TableName, List<IndexDefinition>> indexes)
            throws IOException {
        this.connection = connection;
        this.name = TableName.valueOf("t" + NEXT.incrementAndGet());
        this.admin = new DiffIndexAdmin(connection);
        this.admin.createTable(
                TableDescriptorBuilder.newBuilder(name)
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(F)
                                .setMaxVersions(versions)
                                .build())
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("g"))
                        .build(),
                new byte[][] {Bytes.toBytes("b"), Bytes.toBytes("m"), Bytes.toBytes("t")},
                indexes.apply(name).toArray(IndexDefinition[]::new));
        this.table = connection.getTable(name);
        this.indexed = new IndexedTable(connection, name);
    }

    /** Returns an index on {@code f:city} of each scheme, with the name of the scheme. */
    static List<IndexDefinition> indexOfEachScheme(TableName table) {
        List<IndexDefinition> indexes = new ArrayList<>();
        for (IndexScheme scheme : IndexScheme.values()) {
            indexes.add(IndexDefinition.builder(table, scheme.schemeName())
                    .column("f", "city", ColumnTypes.STRING)
                    .scheme(scheme)
                    .build());
        }
        return indexes;
    }

    void put(String row, String city) throws IOException {
        table.put(putOf(row, city));
    }

    void putAt(String row, String city, long timestamp) throws IOException {
        table.put(new Put(Bytes.toBytes(row)).addColumn(F, CITY, timestamp, Bytes.toBytes(city)));
    }

    static Put putOf(String row, String city) {
        return new Put(Bytes.toBytes(row)).addColumn(F, CITY, Bytes.toBytes(city));
    }

    static Put putOf(String row, String city, int age) {
        return putOf(row, city).addColumn(F, AGE, Bytes.toBytes(age));
    }

    /** Returns the base rows that the query finds, in the order of the index. */
    List<String> rows(IndexQuery query) throws IOException {
        List<String> rows = new ArrayList<>();
        try (IndexScanner hits = indexed.getByIndex(query)) {
            for (IndexHit hit : hits) {
                rows.add(Bytes.toString(hit.row()));
            }
        }
        return rows;
    }

    List<String> rows(String index, Object... values) throws IOException {
        return rows(IndexQuery.index(index).equalTo(values).build());
    }

    void drain() throws IOException {
        assertThat(admin.drain(name, DRAIN)).as("batches left after the drain").isZero();
    }

    /**
     * Asserts that every index of the table equals the table, entry by entry and timestamp by timestamp, and so do
     * reads by it.
     */
    void assertIndexesEqualBase() throws IOException {
        drain();
        for (IndexDefinition definition : admin.listIndexes(name)) {
            ScrubReport report = IndexComparison.compare(connection, definition);
            assertThat(report.isClean()).as(report.toString()).isTrue();
            assertReadersSeeTheBase(definition);
        }
    }

    /**
     * Asserts that reads by each synchronous index equal the table, key by key and timestamp by timestamp, without a
     * drain.
     */
    void assertReadersOfSynchronousIndexesSeeTheBase() throws IOException {
        for (IndexDefinition definition : admin.listIndexes(name)) {
            if (definition.scheme().readsAcknowledgedWrites()) {
                assertReadersSeeTheBase(definition);
            }
        }
    }

    private void assertReadersSeeTheBase(IndexDefinition definition) throws IOException {
        IndexEntryFunction function = new IndexEntryFunction(definition);
        Map<byte[], String> expected = new TreeMap<>(Bytes.BYTES_COMPARATOR);
        try (ResultScanner base = table.getScanner(new Scan())) {
            for (Result row : base) {
                function.entryOf(row.getRow(), List.of(row.rawCells()))
                        .ifPresent(entry -> expected.put(entry.key(), text(entry.key(), entry.timestamp())));
            }
        }
        List<String> found = new ArrayList<>();
        try (IndexScanner hits =
                indexed.getByIndex(IndexQuery.index(definition.name()).build())) {
            hits.forEach(hit -> found.add(text(hit.key(), hit.timestamp())));
        }
        assertThat(found).as("hits of a read by %s", definition).containsExactlyElementsOf(expected.values());
    }

    private static String text(byte[] key, long timestamp) {
        return Bytes.toStringBinary(key) + "@" + timestamp;
    }

    /** Releases the connection to the table, which is not dropped: dropping it takes longer than most tests. */
    @Override
    public void close() throws IOException {
        indexed.close();
        admin.close();
        table.close();
    }
}
