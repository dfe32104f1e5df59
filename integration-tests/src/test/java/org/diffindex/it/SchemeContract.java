package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.it.IndexedFixture.AGE;
import static org.diffindex.it.IndexedFixture.CITY;
import static org.diffindex.it.IndexedFixture.F;
import static org.diffindex.it.IndexedFixture.NOTE;
import static org.diffindex.it.IndexedFixture.putOf;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.AsyncIndexedTable;
import org.diffindex.client.GroupCount;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.client.InvalidQueryException;
import org.diffindex.client.NoSuchIndexException;
import org.diffindex.model.ColumnCondition;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests the guarantees of every scheme: an index equals its table after every kind of write and a drain or, under a
 * synchronous scheme, without a drain. After every test, index and table are compared entry by entry. An extension of the
 * subclass provides the connection.
 */
abstract class SchemeContract {
    private static final byte[] VISITS = Bytes.toBytes("visits");

    IndexedFixture fixture;

    abstract IndexScheme scheme();

    @BeforeEach
    void createTableAndIndexes(Connection connection) throws IOException {
        fixture = new IndexedFixture(
                connection,
                3,
                table -> List.of(
                        IndexDefinition.builder(table, "by_city")
                                .column("f", "city", ColumnTypes.STRING)
                                .scheme(scheme())
                                .splitAt("H", "P")
                                .build(),
                        IndexDefinition.builder(table, "by_city_age")
                                .column("f", "city", ColumnTypes.STRING)
                                .column("f", "age", ColumnTypes.INT)
                                .scheme(scheme())
                                .build(),
                        IndexDefinition.builder(table, "by_city_newest")
                                .column("f", "city", ColumnTypes.descending(ColumnTypes.STRING))
                                .column("f", "age", ColumnTypes.descending(ColumnTypes.INT))
                                .scheme(scheme())
                                .build(),
                        IndexDefinition.builder(table, "by_city_including")
                                .column("f", "city", ColumnTypes.STRING)
                                .include("f", "age", ColumnTypes.INT)
                                .include("f", "note", ColumnTypes.STRING)
                                .scheme(scheme())
                                .build(),
                        IndexDefinition.builder(table, "of_adults")
                                .column("f", "city", ColumnTypes.STRING)
                                .where(ColumnCondition.parse("f:age:int >= 18"))
                                .where(ColumnCondition.parse("f:note absent"))
                                .scheme(scheme())
                                .build()));
    }

    @AfterEach
    void indexesEqualBase() throws IOException {
        try {
            fixture.assertReadersOfSynchronousIndexesSeeTheBase();
            fixture.assertIndexesEqualBase();
        } finally {
            fixture.close();
        }
    }

    @Test
    void aDescendingColumnIsReadFromItsGreatestValue() throws IOException {
        fixture.table.put(List.of(
                putOf("a", "Oslo", 30), putOf("b", "Oslo", 50), putOf("c", "Oslo", -1), putOf("d", "Rome", 40)));
        settle();
        assertThat(fixture.rows("by_city_newest", "Oslo")).containsExactly("b", "a", "c");
        assertThat(fixture.rows("by_city_newest")).containsExactly("d", "b", "a", "c");
        assertThat(fixture.rows(IndexQuery.index("by_city_newest")
                        .equalTo("Oslo")
                        .from(30)
                        .toInclusive(50)
                        .build()))
                .containsExactly("b", "a");
        assertThat(fixture.rows(IndexQuery.index("by_city_newest")
                        .prefix("Os")
                        .reverse()
                        .limit(2)
                        .build()))
                .containsExactly("c", "a");
    }

    /** Returns what the entries at a city include: row=age/note, with - for an absent one. */
    private List<String> included(String value) throws IOException {
        List<String> included = new ArrayList<>();
        try (IndexScanner hits = fixture.indexed.getByIndex(
                IndexQuery.index("by_city_including").equalTo(value).build())) {
            for (IndexHit hit : hits) {
                included.add(Bytes.toString(hit.row())
                        + "="
                        + hit.included("f", "age")
                                .map(Bytes::toInt)
                                .map(String::valueOf)
                                .orElse("-")
                        + "/" + hit.included("f", "note").map(Bytes::toString).orElse("-"));
            }
        }
        return included;
    }

    @Test
    void aReadShowsWhatTheRowHasNowInTheIncludedColumns() throws IOException {
        fixture.table.put(putOf("alice", "Oslo", 30).addColumn(F, NOTE, Bytes.toBytes("first")));
        fixture.put("bob", "Oslo");
        settle();
        assertThat(included("Oslo")).containsExactly("alice=30/first", "bob=-/-");
        fixture.table.put(new Put(Bytes.toBytes("alice")).addColumn(F, NOTE, new byte[0]));
        fixture.table.put(new Put(Bytes.toBytes("bob")).addColumn(F, AGE, Bytes.toBytes(50)));
        settle();
        assertThat(included("Oslo")).containsExactly("alice=30/", "bob=50/-");
        fixture.table.delete(new Delete(Bytes.toBytes("alice")).addColumns(F, NOTE));
        fixture.put("bob", "Rome");
        settle();
        assertThat(included("Oslo")).containsExactly("alice=30/-");
        assertThat(included("Rome")).containsExactly("bob=50/-");
    }

    /** No order in which the entries arrive combines values that the row did not have together. */
    @Test
    void includedValuesAreOfOneMomentWhileTheRowIsWritten() throws Exception {
        ExecutorService writer = Executors.newSingleThreadExecutor();
        try {
            fixture.table.put(putOf("alice", "Oslo", 0).addColumn(F, NOTE, Bytes.toBytes("0")));
            Future<?> done = writer.submit(() -> {
                for (int i = 1; i <= 200; i++) {
                    fixture.table.put(putOf("alice", "Oslo", i).addColumn(F, NOTE, Bytes.toBytes("" + i)));
                }
                return null;
            });
            do {
                assertThat(included("Oslo")).allMatch(each -> each.matches("alice=(\\d+)/\\1"));
            } while (!done.isDone());
            done.get(2, TimeUnit.MINUTES);
        } finally {
            writer.shutdownNow();
        }
        settle();
        assertThat(included("Oslo")).containsExactly("alice=200/200");
    }

    @Test
    void aPartialIndexFindsTheRowsThatSatisfyItsConditions() throws IOException {
        fixture.table.put(List.of(putOf("alice", "Oslo", 30), putOf("bob", "Oslo", 17), putOf("carol", "Oslo")));
        settle();
        assertThat(fixture.rows("of_adults", "Oslo")).containsExactly("alice");
        fixture.table.put(new Put(Bytes.toBytes("bob")).addColumn(F, AGE, Bytes.toBytes(18)));
        fixture.table.put(new Put(Bytes.toBytes("alice")).addColumn(F, NOTE, new byte[0]));
        settle();
        assertThat(fixture.rows("of_adults", "Oslo")).containsExactly("bob");
        fixture.table.delete(new Delete(Bytes.toBytes("alice")).addColumns(F, NOTE));
        fixture.table.delete(new Delete(Bytes.toBytes("bob")).addColumns(F, AGE));
        settle();
        assertThat(fixture.rows("of_adults", "Oslo")).containsExactly("alice");
        assertThatThrownBy(() ->
                        fixture.table.put(new Put(Bytes.toBytes("carol")).addColumn(F, AGE, Bytes.toBytes("old"))))
                .hasMessageContaining("Not a value of type int");
    }

    /** Drains, unless the scheme is synchronous and needs no drain before a read. */
    void settle() throws IOException {
        if (!scheme().readsAcknowledgedWrites()) {
            fixture.drain();
        }
    }

    List<String> city(String value) throws IOException {
        return fixture.rows("by_city", value);
    }

    @Test
    void findsARowByItsValue() throws IOException {
        fixture.put("alice", "Oslo");
        fixture.put("zoe", "Oslo");
        fixture.put("nils", "Bergen");
        settle();
        assertThat(city("Oslo")).containsExactly("alice", "zoe");
        assertThat(city("Bergen")).containsExactly("nils");
        assertThat(city("Rome")).isEmpty();
    }

    @Test
    void anUpdateMovesTheEntry() throws IOException {
        fixture.put("alice", "Oslo");
        settle();
        fixture.put("alice", "Rome");
        settle();
        assertThat(city("Oslo")).isEmpty();
        assertThat(city("Rome")).containsExactly("alice");
    }

    @Test
    void indexesAValueThatReturnsAtOnce() throws IOException {
        for (String value : List.of("A", "B", "A", "B", "A")) {
            fixture.put("alice", value);
        }
        settle();
        assertThat(city("A")).containsExactly("alice");
        assertThat(city("B")).isEmpty();
    }

    @Test
    void manyWritesOfOneRowInOneBatchLeaveOneEntry() throws IOException {
        List<Put> puts = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            puts.add(putOf("alice", "city" + i));
        }
        fixture.table.put(puts);
        settle();
        assertThat(fixture.rows("by_city")).containsExactly("alice");
    }

    @Test
    void indexesTheWritesOfSeveralWritersOfTheSameRows() throws Exception {
        ExecutorService writers = Executors.newFixedThreadPool(4);
        try {
            List<Future<?>> done = new ArrayList<>();
            for (int writer = 0; writer < 4; writer++) {
                int id = writer;
                done.add(writers.submit(() -> {
                    for (int i = 0; i < 150; i++) {
                        fixture.put("row" + i % 5, "city" + id + "-" + i % 7);
                    }
                    return null;
                }));
            }
            for (Future<?> each : done) {
                each.get(2, TimeUnit.MINUTES);
            }
        } finally {
            writers.shutdownNow();
        }
        settle();
        assertThat(fixture.rows("by_city"))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 5).mapToObj(i -> "row" + i).toList());
    }

    @Test
    void indexesEveryKindOfDelete() throws IOException {
        for (String row : List.of("row", "family", "column", "latest", "other")) {
            fixture.putAt(row, "old", 100);
            fixture.putAt(row, "new", 200);
        }
        fixture.table.delete(new Delete(Bytes.toBytes("row")));
        fixture.table.delete(new Delete(Bytes.toBytes("family")).addFamily(F));
        fixture.table.delete(new Delete(Bytes.toBytes("column")).addColumns(F, CITY));
        fixture.table.delete(new Delete(Bytes.toBytes("latest")).addColumn(F, CITY));
        fixture.table.delete(new Delete(Bytes.toBytes("other")).addColumns(F, NOTE));
        settle();
        assertThat(city("old")).containsExactly("latest");
        assertThat(city("new")).containsExactly("other");
    }

    @Test
    void deletesOfExactVersionsRevealOlderOnes() throws IOException {
        for (String row : List.of("version", "familyversion", "untilold", "familyold")) {
            fixture.putAt(row, "old", 100);
            fixture.putAt(row, "new", 200);
        }
        fixture.table.delete(new Delete(Bytes.toBytes("version")).addColumn(F, CITY, 200));
        fixture.table.delete(new Delete(Bytes.toBytes("familyversion")).addFamilyVersion(F, 200));
        fixture.table.delete(new Delete(Bytes.toBytes("untilold")).addColumns(F, CITY, 150));
        fixture.table.delete(new Delete(Bytes.toBytes("familyold")).addFamily(F, 150));
        settle();
        assertThat(city("old")).containsExactlyInAnyOrder("version", "familyversion");
        assertThat(city("new")).containsExactlyInAnyOrder("untilold", "familyold");
        fixture.put("version", "new");
        fixture.table.delete(new Delete(Bytes.toBytes("familyversion")).addColumn(F, CITY, 100));
        settle();
        assertThat(city("old")).isEmpty();
    }

    @Test
    void indexesPastAndEqualTimestampsOfClients() throws IOException {
        fixture.putAt("alice", "middle", 500);
        fixture.putAt("alice", "older", 400);
        settle();
        assertThat(city("middle")).containsExactly("alice");
        fixture.putAt("alice", "A", 600);
        fixture.putAt("alice", "B", 600);
        fixture.putAt("alice", "A", 600);
        settle();
        assertThat(city("A")).containsExactly("alice");
        assertThat(city("B")).isEmpty();
        fixture.putAt("bob", "zero", 0);
        settle();
        assertThat(city("zero")).containsExactly("bob");
    }

    @Test
    void indexesFutureTimestampsOfClients() throws IOException {
        long future = System.currentTimeMillis() + 3_600_000;
        fixture.putAt("alice", "tomorrow", future);
        fixture.put("alice", "today");
        fixture.table.delete(new Delete(Bytes.toBytes("bob")).addColumns(F, CITY, future));
        fixture.put("bob", "hidden");
        fixture.putAt("carol", "last", Long.MAX_VALUE - 1);
        fixture.put("carol", "hidden");
        settle();
        assertThat(city("tomorrow")).containsExactly("alice");
        assertThat(city("today")).isEmpty();
        assertThat(city("hidden")).isEmpty();
        assertThat(city("last")).containsExactly("carol");
        fixture.table.delete(new Delete(Bytes.toBytes("alice")).addColumns(F, CITY, future));
        settle();
        assertThat(city("tomorrow")).isEmpty();
    }

    @Test
    void indexesAlternatingPutsAndDeletes() throws IOException {
        for (int i = 0; i < 20; i++) {
            fixture.put("alice", "Oslo");
            fixture.table.delete(new Delete(Bytes.toBytes("alice")));
        }
        settle();
        assertThat(city("Oslo")).isEmpty();
        fixture.put("alice", "Oslo");
        settle();
        assertThat(city("Oslo")).containsExactly("alice");
    }

    /** Rows move within one region of the index, or between several. */
    @Test
    void aScanInReverseFindsRowsThatDoNotMoveOnceAndInOrderAndRowsThatMoveAtLeastOnce() throws IOException {
        for (String start : List.of("A", "M", "Z")) {
            List<Put> puts = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                puts.add(putOf(start + "-row" + i, String.format("%s%02d", start, i)));
            }
            fixture.table.put(puts);
        }
        fixture.put("withinRegion", "Z19x");
        fixture.put("backOverRegions", "A19x");
        fixture.put("aheadWithinRegion", "Z29x");
        fixture.put("aheadOverRegions", "Z24x");
        settle();
        List<String> found = new ArrayList<>();
        List<String> stillKeys = new ArrayList<>();
        try (IndexScanner hits = fixture.indexed.getByIndex(
                IndexQuery.index("by_city").reverse().caching(10).build())) {
            for (IndexHit hit = hits.next(); hit != null; hit = hits.next()) {
                String row = Bytes.toString(hit.row());
                found.add(row);
                if (row.contains("-row")) {
                    stillKeys.add(Bytes.toString(hit.key()));
                }
                if (found.size() == 15) {
                    fixture.put("withinRegion", "Z48x");
                    fixture.put("backOverRegions", "Z47x");
                    fixture.put("aheadWithinRegion", "Z09x");
                    fixture.put("aheadOverRegions", "A09x");
                    settle();
                }
            }
        }
        assertThat(stillKeys)
                .hasSize(150)
                .isSortedAccordingTo(Comparator.reverseOrder())
                .doesNotHaveDuplicates();
        List<String> moved = new ArrayList<>(List.of("withinRegion", "aheadWithinRegion", "aheadOverRegions"));
        if (scheme().readsAcknowledgedWrites()) {
            moved.add("backOverRegions");
        }
        assertThat(found).containsAll(moved);
    }

    /** Rows move within one region of the index, or between several. */
    @Test
    void aScanFindsRowsThatDoNotMoveOnceAndInOrderAndRowsThatMoveAtLeastOnce() throws IOException {
        for (String start : List.of("A", "M", "Z")) {
            List<Put> puts = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                puts.add(putOf(start + "-row" + i, String.format("%s%02d", start, i)));
            }
            fixture.table.put(puts);
        }
        fixture.put("withinRegion", "A30x");
        fixture.put("backOverRegions", "Z30x");
        fixture.put("aheadWithinRegion", "A20x");
        fixture.put("aheadOverRegions", "A25x");
        settle();
        List<String> found = new ArrayList<>();
        List<String> stillKeys = new ArrayList<>();
        try (IndexScanner hits = fixture.indexed.getByIndex(
                IndexQuery.index("by_city").caching(10).build())) {
            for (IndexHit hit = hits.next(); hit != null; hit = hits.next()) {
                String row = Bytes.toString(hit.row());
                found.add(row);
                if (row.contains("-row")) {
                    stillKeys.add(Bytes.toString(hit.key()));
                }
                if (found.size() == 15) {
                    fixture.put("withinRegion", "A01x");
                    fixture.put("backOverRegions", "A02x");
                    fixture.put("aheadWithinRegion", "A40x");
                    fixture.put("aheadOverRegions", "Z40x");
                    settle();
                }
            }
        }
        assertThat(stillKeys).hasSize(150).isSorted().doesNotHaveDuplicates();
        List<String> moved = new ArrayList<>(List.of("withinRegion", "aheadWithinRegion", "aheadOverRegions"));
        if (scheme().readsAcknowledgedWrites()) {
            moved.add("backOverRegions");
        }
        assertThat(found).containsAll(moved);
        if (scheme().leavesStaleEntries()) {
            assertThat(found).doesNotHaveDuplicates();
        }
    }

    @Test
    void readsACompositeIndexByPrefixAndRange() throws IOException {
        for (int age = -2; age <= 3; age++) {
            fixture.table.put(putOf("p" + age, "Oslo", age));
        }
        fixture.table.put(putOf("q", "Rome", 1));
        fixture.put("incomplete", "Oslo");
        settle();
        assertThat(fixture.rows("by_city_age", "Oslo")).containsExactly("p-2", "p-1", "p0", "p1", "p2", "p3");
        assertThat(fixture.rows("by_city_age", "Oslo", 1)).containsExactly("p1");
        assertThat(fixture.rows(IndexQuery.index("by_city_age")
                        .equalTo("Oslo")
                        .from(-1)
                        .to(2)
                        .build()))
                .containsExactly("p-1", "p0", "p1");
        assertThat(fixture.rows(
                        IndexQuery.index("by_city_age").from("P").limit(5).build()))
                .containsExactly("q");
        assertThat(fixture.rows(IndexQuery.index("by_city_age").limit(2).build()))
                .containsExactly("p-2", "p-1");
    }

    @Test
    void readsTheValuesOfAnInInTheOrderOfTheIndex() throws IOException {
        putFourCities();
        assertThat(fixture.rows(IndexQuery.index("by_city")
                        .in("Zagreb", "Oslo", "Rome", "Zagreb")
                        .build()))
                .containsExactly("olga", "otto", "zoe");
        for (int age = 0; age < 4; age++) {
            fixture.table.put(putOf("p" + age, "Oslo", age));
            fixture.table.put(putOf("q" + age, "Bergen", age));
        }
        settle();
        assertThat(fixture.rows(IndexQuery.index("by_city_age")
                        .in("Oslo", "Bergen")
                        .from(1)
                        .to(3)
                        .withRows()
                        .build()))
                .containsExactly("q1", "q2", "p1", "p2");
        assertThat(fixture.rows(IndexQuery.index("by_city_age")
                        .equalTo("Oslo")
                        .in(3, 0)
                        .reverse()
                        .limit(1)
                        .build()))
                .containsExactly("p3");
    }

    @Test
    void readsByPrefix() throws IOException {
        putFourCities();
        assertThat(fixture.rows(IndexQuery.index("by_city").prefix("Os").build()))
                .containsExactly("oskar", "olga", "otto");
        assertThat(fixture.rows(
                        IndexQuery.index("by_city").prefix("Osl").reverse().build()))
                .containsExactly("otto", "olga");
        assertThatThrownBy(() -> fixture.rows(IndexQuery.index("by_city_age")
                        .equalTo("Oslo")
                        .prefix(1)
                        .build()))
                .isInstanceOf(InvalidQueryException.class)
                .hasMessageContaining("f:age:int");
    }

    @Test
    void readsTheColumnsOfRowsThatAreAskedFor() throws IOException {
        fixture.table.put(putOf("alice", "Oslo").addColumn(F, NOTE, Bytes.toBytes("of alice")));
        fixture.put("bob", "Oslo");
        settle();
        try (Stream<IndexHit> hits =
                fixture
                        .indexed
                        .getByIndex(IndexQuery.index("by_city")
                                .equalTo("Oslo")
                                .withRows("f:note")
                                .build())
                        .stream()) {
            assertThat(hits.map(
                            hit -> hit.getString("city") + " " + hit.result().size() + " "
                                    + Bytes.toString(hit.result().getValue(F, NOTE))))
                    .containsExactly("Oslo 1 of alice", "Oslo 0 null");
        }
    }

    @Test
    void anAsynchronousReadFindsWhatABlockingOneFinds() throws Exception {
        List<Put> puts = new ArrayList<>();
        for (int i = 0; i < 150; i++) {
            puts.add(putOf("row" + i, String.format("%s%02d", "AHPZ".charAt(i % 4), i % 50)));
        }
        fixture.table.put(puts);
        fixture.table.put(putOf("row7", "Q"));
        settle();
        try (AsyncConnection connection = asyncConnection()) {
            AsyncIndexedTable table = new AsyncIndexedTable(fixture.indexed, connection);
            List<CompletableFuture<List<IndexHit>>> reads = new ArrayList<>();
            List<List<String>> expected = new ArrayList<>();
            for (IndexQuery.Builder query : List.of(
                    IndexQuery.index("by_city").limit(1_000),
                    IndexQuery.index("by_city").limit(1_000).caching(7),
                    IndexQuery.index("by_city").limit(1_000).caching(7).reverse(),
                    IndexQuery.index("by_city").limit(1_000).caching(7).withRows("f:city"),
                    IndexQuery.index("by_city").limit(3).prefix("H"),
                    IndexQuery.index("by_city").limit(1_000).in("Q", "A00", "Z49"))) {
                reads.add(table.getByIndex(query.build()));
                expected.add(fixture.rows(query.build()));
            }
            for (int i = 0; i < reads.size(); i++) {
                assertThat(reads.get(i).get(1, TimeUnit.MINUTES))
                        .extracting(hit -> Bytes.toString(hit.row()))
                        .isEqualTo(expected.get(i));
            }
            assertThat(table.getByIndex(IndexQuery.index("no_such").limit(1).build()))
                    .failsWithin(1, TimeUnit.MINUTES)
                    .withThrowableOfType(ExecutionException.class)
                    .withCauseInstanceOf(NoSuchIndexException.class);
        }
    }

    /** Rows move within one region of the index, or between several, while the subscriber has requested nothing. */
    @Test
    void aPublisherFindsRowsThatMoveWhileItIsRead() throws Exception {
        for (String start : List.of("A", "M", "Z")) {
            List<Put> puts = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                puts.add(putOf(start + "-row" + i, String.format("%s%02d", start, i)));
            }
            fixture.table.put(puts);
        }
        fixture.put("withinRegion", "A30x");
        fixture.put("backOverRegions", "Z30x");
        fixture.put("aheadWithinRegion", "A20x");
        fixture.put("aheadOverRegions", "A25x");
        settle();
        List<String> found = new ArrayList<>();
        try (AsyncConnection connection = asyncConnection()) {
            HitQueue hits = new HitQueue();
            new AsyncIndexedTable(fixture.indexed, connection)
                    .publish(IndexQuery.index("by_city").caching(10).build())
                    .subscribe(hits);
            for (Optional<IndexHit> hit = hits.take(); hit.isPresent(); hit = hits.take()) {
                found.add(Bytes.toString(hit.get().row()));
                if (found.size() == 15) {
                    fixture.put("withinRegion", "A01x");
                    fixture.put("backOverRegions", "A02x");
                    fixture.put("aheadWithinRegion", "A40x");
                    fixture.put("aheadOverRegions", "Z40x");
                    settle();
                }
            }
        }
        List<String> moved = new ArrayList<>(List.of("withinRegion", "aheadWithinRegion", "aheadOverRegions"));
        if (scheme().readsAcknowledgedWrites()) {
            moved.add("backOverRegions");
        }
        assertThat(found).containsAll(moved);
        assertThat(found.stream().filter(row -> row.contains("-row")))
                .hasSize(150)
                .doesNotHaveDuplicates();
    }

    private AsyncConnection asyncConnection() throws Exception {
        return ConnectionFactory.createAsyncConnection(fixture.connection.getConfiguration())
                .get(1, TimeUnit.MINUTES);
    }

    /** A subscriber from which a test takes one hit after the other. */
    private static final class HitQueue implements Flow.Subscriber<IndexHit> {
        private final BlockingQueue<CompletableFuture<Optional<IndexHit>>> received = new LinkedBlockingQueue<>();
        private Flow.Subscription subscription;

        /** Requests a hit, and returns it; empty at the end. */
        Optional<IndexHit> take() throws Exception {
            subscription.request(1);
            CompletableFuture<Optional<IndexHit>> next = received.poll(1, TimeUnit.MINUTES);
            assertThat(next).as("a hit within a minute").isNotNull();
            return next.get();
        }

        @Override
        public void onSubscribe(Flow.Subscription granted) {
            subscription = granted;
        }

        @Override
        public void onNext(IndexHit hit) {
            received.add(CompletableFuture.completedFuture(Optional.of(hit)));
        }

        @Override
        public void onError(Throwable failure) {
            received.add(CompletableFuture.failedFuture(failure));
        }

        @Override
        public void onComplete() {
            received.add(CompletableFuture.completedFuture(Optional.empty()));
        }
    }

    @Test
    void readsInReverse() throws IOException {
        putFourCities();
        List<String> all = List.of("zoe", "otto", "olga", "oskar", "anna");
        assertThat(fixture.rows(IndexQuery.index("by_city").reverse().build())).isEqualTo(all);
        assertThat(fixture.rows(IndexQuery.index("by_city")
                        .reverse()
                        .caching(1)
                        .withRows()
                        .build()))
                .isEqualTo(all);
        assertThat(fixture.rows(IndexQuery.index("by_city").reverse().limit(2).build()))
                .isEqualTo(all.subList(0, 2));
        assertThat(fixture.rows(IndexQuery.index("by_city")
                        .from("Bergen")
                        .toInclusive("Oslo")
                        .reverse()
                        .build()))
                .containsExactly("otto", "olga", "oskar", "anna");
    }

    /** A client reads each page, and the regions of the index are split and moved in between. */
    @Test
    void readsPageByPageWhileRegionsSplitAndMove() throws Exception {
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            String row = String.format("row%02d", i);
            expected.add(row);
            fixture.put(row, String.format("%s%02d", i < 10 ? "D" : "R", i));
        }
        settle();
        for (boolean isReverse : new boolean[] {false, true}) {
            List<String> found = new ArrayList<>();
            IndexQuery.Builder query = IndexQuery.index("by_city").limit(6);
            if (isReverse) {
                query.reverse();
                Collections.reverse(expected);
            }
            for (int page = 0; page < 4; page++) {
                try (IndexedTable client = new IndexedTable(fixture.connection, fixture.name);
                        IndexScanner hits = client.getByIndex(query.build())) {
                    for (IndexHit hit = hits.next(); hit != null; hit = hits.next()) {
                        found.add(Bytes.toString(hit.row()));
                        query.after(hits.token());
                    }
                }
                if (page == 0 && !isReverse) {
                    moveAndSplitRegionsOfByCity();
                }
            }
            assertThat(found).isEqualTo(expected);
        }
    }

    /** What the regions of an index answer for their entries, while they are moved and split, is what a reader counts. */
    @Test
    void aggregatesAreThoseOfTheHitsWhileRegionsSplitAndMove() throws Exception {
        for (int i = 0; i < 40; i++) {
            fixture.put(String.format("row%02d", i), String.format("%s%02d", i % 2 == 0 ? "D" : "R", i % 8));
        }
        for (int i = 0; i < 40; i += 5) {
            fixture.put(String.format("row%02d", i), "K00"); // the old entries stay under sync-insert
        }
        fixture.putAt("old", "D00", 1);
        fixture.table.delete(new Delete(Bytes.toBytes("row01")));
        settle();
        ExecutorService mover = Executors.newSingleThreadExecutor();
        try {
            Future<?> moves = mover.submit(() -> {
                moveAndSplitRegionsOfByCity();
                return null;
            });
            do {
                assertAggregatesAreThoseOfTheHits(IndexQuery.index("by_city").build());
                assertAggregatesAreThoseOfTheHits(
                        IndexQuery.index("by_city").from("D02").to("R04").build());
                assertAggregatesAreThoseOfTheHits(
                        IndexQuery.index("by_city").in("D00", "K00", "X").build());
            } while (!moves.isDone());
            moves.get();
        } finally {
            mover.shutdownNow();
        }
        assertAggregatesAreThoseOfTheHits(IndexQuery.index("by_city").build());
        assertThat(fixture.indexed.count(IndexQuery.index("by_city").build())).isEqualTo(40);
    }

    private void assertAggregatesAreThoseOfTheHits(IndexQuery query) throws IOException {
        List<IndexHit> hits = new ArrayList<>();
        try (IndexScanner scanner = fixture.indexed.getByIndex(query)) {
            scanner.forEach(hits::add);
        }
        assertThat(fixture.indexed.count(query)).isEqualTo(hits.size());
        assertThat(fixture.indexed.exists(query)).isEqualTo(!hits.isEmpty());
        assertThat(fixture.indexed.newest(query, 7))
                .extracting(IndexHit::toString)
                .isEqualTo(hits.stream()
                        .sorted(Comparator.comparingLong(IndexHit::timestamp)
                                .reversed()
                                .thenComparing(IndexHit::key, Bytes.BYTES_COMPARATOR))
                        .limit(7)
                        .map(IndexHit::toString)
                        .toList());
        assertThat(fixture.indexed.min(query, "f:city").orElseThrow())
                .hasToString(hits.get(0).toString());
        assertThat(fixture.indexed.max(query, "f:city").orElseThrow())
                .hasToString(hits.get(hits.size() - 1).toString());
        assertThat(fixture.indexed.countBy(query))
                .extracting(GroupCount::toString)
                .containsExactlyElementsOf(hits.stream()
                        .collect(Collectors.groupingBy(IndexHit::text, LinkedHashMap::new, Collectors.counting()))
                        .entrySet()
                        .stream()
                        .map(group -> group.getKey() + ": " + group.getValue())
                        .toList());
    }

    private void moveAndSplitRegionsOfByCity() throws Exception {
        try (Admin hbase = fixture.connection.getAdmin()) {
            TableName table = fixture.indexed.getIndex("by_city").indexTable();
            for (var region : hbase.getRegions(table)) {
                hbase.move(region.getEncodedNameAsBytes());
            }
            hbase.splitRegionAsync(hbase.getRegions(table).get(0).getRegionName(), Bytes.toBytes("D05"))
                    .get(2, TimeUnit.MINUTES);
        }
    }

    private void putFourCities() throws IOException {
        fixture.put("anna", "Bergen");
        fixture.put("oskar", "Osaka");
        fixture.put("otto", "Oslo");
        fixture.put("olga", "Oslo");
        fixture.put("zoe", "Rome");
        fixture.put("zoe", "Zagreb");
        settle();
    }

    @Test
    void aWriteOfOneColumnOfACompositeMovesTheEntry() throws IOException {
        fixture.table.put(putOf("alice", "Oslo", 30));
        fixture.table.put(new Put(Bytes.toBytes("alice")).addColumn(F, AGE, Bytes.toBytes(31)));
        fixture.table.put(new Put(Bytes.toBytes("alice")).addColumn(F, NOTE, Bytes.toBytes("no indexed column")));
        settle();
        assertThat(fixture.rows("by_city_age", "Oslo", 30)).isEmpty();
        assertThat(fixture.rows("by_city_age", "Oslo", 31)).containsExactly("alice");
        fixture.table.delete(new Delete(Bytes.toBytes("alice")).addColumns(F, AGE));
        settle();
        assertThat(fixture.rows("by_city_age")).isEmpty();
        assertThat(city("Oslo")).containsExactly("alice");
    }

    @Test
    void indexesALargeBatchOfManyRows() throws IOException {
        List<Put> puts = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            puts.add(putOf(Character.toString('a' + i % 26) + i, "city" + i % 10, i));
        }
        fixture.table.put(puts);
        settle();
        assertThat(city("city3")).hasSize(100);
        fixture.table.put(puts.stream()
                .map(put -> putOf(Bytes.toString(put.getRow()), "elsewhere"))
                .toList());
        settle();
        assertThat(city("city3")).isEmpty();
        assertThat(city("elsewhere")).hasSize(1_000);
    }

    @Test
    void appliesABatchOfMixedKindsExceptForARefusedPut() throws Exception {
        fixture.table.put(putOf("gone", "Oslo", 1));
        List<Row> batch = List.of(
                putOf("good", "Oslo", 1),
                putOf("bad", "Oslo").addColumn(F, AGE, Bytes.toBytes("not an int")),
                new Delete(Bytes.toBytes("gone")),
                new Increment(Bytes.toBytes("good2")).addColumn(F, VISITS, 1));
        Object[] results = new Object[batch.size()];
        assertThatThrownBy(() -> fixture.table.batch(batch, results))
                .isInstanceOf(RetriesExhaustedWithDetailsException.class)
                .hasMessageContaining("not an int");
        assertThat(results[1]).isInstanceOf(Throwable.class);
        settle();
        assertThat(city("Oslo")).containsExactly("good");
    }

    @Test
    void refusesValuesAndKeysThatCannotBeIndexed() throws IOException {
        assertThatThrownBy(() -> fixture.table.put(putOf("alice", "Oslo").addColumn(F, AGE, new byte[] {1, 2, 3})))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("nothing was written")
                .hasMessageContaining("int");
        assertThatThrownBy(() -> fixture.put("alice", "x".repeat(40_000)))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("too long");
        assertThatThrownBy(() -> fixture.table.put(putOf("alice", "Oslo").setTTL(1_000)))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("TTL");
        assertThat(fixture.table.get(new Get(Bytes.toBytes("alice"))).isEmpty()).isTrue();
    }

    @Test
    void indexesCheckAndMutate() throws IOException {
        fixture.put("alice", "Oslo");
        byte[] row = Bytes.toBytes("alice");
        assertThat(fixture.table
                        .checkAndMutate(CheckAndMutate.newBuilder(row)
                                .ifEquals(F, CITY, Bytes.toBytes("Oslo"))
                                .build(putOf("alice", "Rome")))
                        .isSuccess())
                .isTrue();
        assertThat(fixture.table
                        .checkAndMutate(CheckAndMutate.newBuilder(row)
                                .ifEquals(F, CITY, Bytes.toBytes("Oslo"))
                                .build(putOf("alice", "Paris")))
                        .isSuccess())
                .isFalse();
        settle();
        assertThat(city("Rome")).containsExactly("alice");
        assertThat(fixture.rows("by_city")).containsExactly("alice");
        fixture.table.checkAndMutate(CheckAndMutate.newBuilder(row)
                .ifEquals(F, CITY, Bytes.toBytes("Rome"))
                .build(new Delete(row)));
        settle();
        assertThat(fixture.rows("by_city")).isEmpty();
    }

    @Test
    void rowMutationsAreAllOrNothing() throws IOException {
        fixture.table.put(putOf("alice", "Oslo", 30));
        byte[] row = Bytes.toBytes("alice");
        fixture.table.mutateRow(
                new RowMutations(row).add(List.of(putOf("alice", "Rome"), new Delete(row).addColumns(F, AGE))));
        settle();
        assertThat(city("Rome")).containsExactly("alice");
        assertThat(fixture.rows("by_city_age")).isEmpty();
        assertThatThrownBy(() -> fixture.table.mutateRow(new RowMutations(row)
                        .add(List.of(putOf("alice", "Paris"), putOf("alice", "x".repeat(40_000))))))
                .isInstanceOf(IOException.class);
        settle();
        assertThat(city("Rome")).containsExactly("alice");
    }

    @Test
    void indexesIncrementsAndAppends() throws IOException {
        fixture.admin.createIndex(IndexDefinition.builder(fixture.name, "by_visits")
                .column("f", "visits", ColumnTypes.LONG)
                .scheme(scheme())
                .build());
        byte[] row = Bytes.toBytes("alice");
        for (int i = 0; i < 10; i++) {
            fixture.table.increment(new Increment(row).addColumn(F, VISITS, 2));
        }
        fixture.put("alice", "Os");
        fixture.table.append(new Append(row).addColumn(F, CITY, Bytes.toBytes("lo")));
        fixture.table.append(new Append(Bytes.toBytes("new")).addColumn(F, CITY, Bytes.toBytes("Rome")));
        settle();
        assertThat(fixture.rows("by_visits", 20L)).containsExactly("alice");
        assertThat(fixture.rows("by_visits")).containsExactly("alice");
        assertThat(city("Oslo")).containsExactly("alice");
        assertThat(city("Os")).isEmpty();
        assertThat(city("Rome")).containsExactly("new");
    }

    @Test
    void indexesWritesThatShouldSkipTheWal() throws IOException {
        fixture.table.put(putOf("alice", "Oslo").setDurability(Durability.SKIP_WAL));
        fixture.table.put(putOf("bob", "Oslo").setDurability(Durability.ASYNC_WAL));
        settle();
        assertThat(city("Oslo")).containsExactly("alice", "bob");
    }

    @Test
    void createsAnIndexOnATableThatHasRowsAndWriters() throws Exception {
        for (int i = 0; i < 500; i++) {
            fixture.put("row" + i, "before" + i % 3);
        }
        ExecutorService writer = Executors.newSingleThreadExecutor();
        try {
            Future<?> writing = writer.submit(() -> {
                for (int i = 0; i < 400; i++) {
                    fixture.put("row" + i, "during" + i % 3);
                    if (i % 4 == 0) {
                        fixture.table.delete(new Delete(Bytes.toBytes("row" + i)));
                    }
                }
                return null;
            });
            fixture.admin.createIndex(IndexDefinition.builder(fixture.name, "late")
                    .column("f", "city", ColumnTypes.BYTES)
                    .scheme(scheme())
                    .build());
            writing.get(2, TimeUnit.MINUTES);
        } finally {
            writer.shutdownNow();
        }
        settle();
        assertThat(fixture.rows("late")).hasSize(400);
    }

    @Test
    void indexesWritesDuringFlushesMovesAndSplits() throws Exception {
        ExecutorService writer = Executors.newSingleThreadExecutor();
        try (Admin hbase = fixture.connection.getAdmin()) {
            Future<?> writing = writer.submit(() -> {
                for (int i = 0; i < 600; i++) {
                    fixture.put(Character.toString('a' + i % 26) + i % 100, "city" + i % 9);
                }
                return null;
            });
            for (var region : hbase.getRegions(fixture.name)) {
                hbase.move(region.getEncodedNameAsBytes());
            }
            hbase.flush(fixture.name);
            hbase.splitRegionAsync(hbase.getRegions(fixture.name).get(1).getRegionName(), Bytes.toBytes("f"))
                    .get(2, TimeUnit.MINUTES);
            hbase.flush(fixture.name);
            hbase.majorCompact(fixture.name);
            writing.get(2, TimeUnit.MINUTES);
        } finally {
            writer.shutdownNow();
        }
    }
}
