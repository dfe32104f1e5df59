package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests that an aggregate of a query is that of its hits, and which calls it makes. */
class AggregatesTest {
    private static final TableName FLIGHTS = TableName.valueOf("flights");

    private FakeHBase hbase;
    private IndexedTable table;

    @ParameterizedTest
    @EnumSource(IndexScheme.class)
    void countsTheHits(IndexScheme scheme) throws IOException {
        open(scheme, "C", "M");
        for (int i = 0; i < 40; i++) {
            put("r" + i, "ABCDKLMNZ".substring(i % 9, i % 9 + 1));
        }
        for (int i = 0; i < 40; i += 3) {
            put("r" + i, "C"); // moved; under sync-insert the old entries stay
        }
        hbase.write(new Delete(Bytes.toBytes("r1")));
        hbase.deliverAll();
        for (IndexQuery query : List.of(
                all().build(),
                all().equalTo("C").build(),
                all().equalTo("Q").build(),
                all().in("A", "Z", "C").build(),
                all().from("B").to("M").build(),
                all().reverse().build(),
                all().withRows().build(),
                all().limit(7).build(),
                all().limit(1_000).build())) {
            int hits = rows(query).size();
            assertThat(table.count(query)).as("%s", query).isEqualTo(hits);
            assertThat(table.exists(query)).as("%s", query).isEqualTo(hits > 0);
        }
        assertThat(table.count(all().build())).isEqualTo(39);
    }

    @Test
    void countsWhatFollowsAToken() throws IOException {
        open(IndexScheme.SYNC_FULL, "C", "M");
        for (int i = 0; i < 20; i++) {
            put("r" + i, i % 2 == 0 ? "B" : "D");
        }
        for (IndexQuery.Builder query : List.of(all(), all().reverse())) {
            try (IndexScanner hits = table.getByIndex(query.build())) {
                for (int left = 19; left >= 0; left--) {
                    hits.next();
                    assertThat(table.count(query.after(hits.token()).build())).isEqualTo(left);
                }
            }
        }
    }

    @Test
    void oneCallAsksARegionForItsCount() throws IOException {
        open(IndexScheme.SYNC_FULL);
        put("r1", "A");
        put("r2", "B");
        hbase.calls.clear();
        assertThat(table.count(all().build())).isEqualTo(2);
        assertThat(hbase.calls).containsExactly("scan limit -1");
        hbase.calls.clear();
        assertThat(table.exists(all().build())).isTrue();
        assertThat(hbase.calls).containsExactly("scan limit 1");
    }

    /** Each row of an answer stands for what lies before it, so the next scanner continues behind the last one. */
    @Test
    void countsEachEntryOnceIfScannersAreLost() throws IOException {
        open(IndexScheme.SYNC_FULL, "C", "M");
        for (int i = 0; i < 50; i++) {
            put("r" + i, "ABCDKLMNZ".substring(i % 9, i % 9 + 1));
        }
        hbase.mostRowsOfALoad = 1;
        hbase.reopens = () -> true;
        assertThat(table.count(all().build())).isEqualTo(50);
    }

    /** A scan of the entries finds it too, by a second look. */
    @Test
    void countsARowThatMovesBehindTheRead() throws IOException {
        open(IndexScheme.SYNC_FULL, "C", "M");
        put("r1", "A");
        put("r2", "D");
        put("r3", "N");
        hbase.beforeRegion.put("M", () -> put("r3", "B"));
        assertThat(table.count(all().build())).isEqualTo(3);
    }

    @Test
    void countsNoEntryAsPutMeanwhileThatItHasMet() throws IOException {
        open(IndexScheme.SYNC_FULL, "C", "M");
        put("r1", "A");
        put("r2", "N");
        hbase.beforeRegion.put("M", () -> put("r1", "A")); // again, the same
        assertThat(table.count(all().build())).isEqualTo(2);
    }

    /** Another coprocessor of the index table keeps the server from telling read points: there is no second look. */
    @Test
    void countsNothingTwiceIfNoReadPointIsTold() throws IOException {
        open(IndexScheme.SYNC_FULL, "C", "M");
        hbase.tellsReadPoints = false;
        for (int i = 0; i < 20; i++) {
            put("r" + i, "ADN".substring(i % 3, i % 3 + 1));
        }
        assertThat(table.count(all().build())).isEqualTo(20);
        assertThat(table.count(all().in("A", "N").build())).isEqualTo(13);
    }

    /** The regions may hold stale entries from then on. */
    @Test
    void readsAndChecksTheEntriesIfTheSchemeChangesMeanwhile() throws IOException {
        open(IndexScheme.SYNC_FULL, "C", "M");
        put("r1", "A");
        put("r2", "D");
        put("r3", "N");
        hbase.beforeRegion.put("M", () -> {
            hbase.maintained = IndexScheme.SYNC_INSERT;
            hbase.demanded = IndexScheme.SYNC_INSERT;
            put("r2", "Q");
        });
        assertThat(table.count(all().build())).isEqualTo(3);
        assertThat(hbase.indexed()).hasSize(4);
    }

    @Test
    void failsIfTheIndexWasDropped() throws IOException {
        open(IndexScheme.SYNC_FULL);
        put("r1", "A");
        assertThat(table.count(all().build())).isEqualTo(1);
        hbase.replaced = true;
        assertThatThrownBy(() -> table.count(all().build())).isInstanceOf(NoSuchIndexException.class);
        assertThatThrownBy(() -> table.count(all().from("B").to("A").build()))
                .isInstanceOf(InvalidQueryException.class);
    }

    @ParameterizedTest
    @EnumSource(IndexScheme.class)
    void findsTheNewestHits(IndexScheme scheme) throws IOException {
        open(scheme, "C", "M");
        Random random = new Random(7);
        for (int i = 0; i < 300; i++) {
            put(
                    "r" + random.nextInt(60),
                    "ABCDKLMNZ".substring(random.nextInt(9)).substring(0, 1));
        }
        hbase.write(new Delete(Bytes.toBytes("r1")));
        hbase.deliverAll();
        for (IndexQuery query : List.of(
                all().build(),
                all().equalTo("C").build(),
                all().equalTo("Q").build(),
                all().in("A", "Z", "C").reverse().build(),
                all().from("B").to("M").withRows().build())) {
            List<String> newestFirst = newestFirst(query);
            for (int most : new int[] {1, 3, 10, 1_000}) {
                assertThat(texts(table.newest(query, most)))
                        .as("%s of %s", most, query)
                        .isEqualTo(newestFirst.subList(0, Math.min(most, newestFirst.size())));
            }
        }
        assertThat(table.newest(all().withRows().build(), 1).get(0).result().isEmpty())
                .isFalse();
    }

    @Test
    void oneCallAsksARegionForItsNewest() throws IOException {
        open(IndexScheme.SYNC_FULL);
        putRows(100);
        hbase.calls.clear();
        assertThat(texts(table.newest(all().build(), 2))).hasSize(2);
        assertThat(hbase.calls).containsExactly("scan limit -1");
        assertThat(hbase.rowsLookedUp).isZero();
    }

    /** The newest entries are of rows that have other ones by now, which the query does not select. */
    @Test
    void asksForMoreIfTheNewestEntriesAreStale() throws IOException {
        open(IndexScheme.SYNC_INSERT);
        putRows(10);
        for (int i = 0; i < 200; i++) {
            put("s" + i, "A");
        }
        for (int i = 0; i < 200; i++) {
            put("s" + i, "Z");
        }
        IndexQuery query = all().equalTo("A").build();
        assertThat(texts(table.newest(query, 2))).isEqualTo(newestFirst(query).subList(0, 2));
        assertThat(hbase.calls.stream().filter(call -> call.startsWith("scan"))).hasSizeGreaterThan(2);
    }

    @Test
    void readsAllHitsIfTooManyEntriesAreStale() throws IOException {
        open(IndexScheme.SYNC_INSERT);
        putRows(3);
        for (String origin : List.of("A", "Z")) {
            for (int i = 0; i < 8_100; i++) {
                put("s" + i, origin);
            }
        }
        IndexQuery query = all().equalTo("A").build();
        FakeHBase held = hbase;
        synchronized (held) { // no report is sent, so that they stay stale
            assertThat(texts(table.newest(query, 1_000))).hasSize(3).isEqualTo(newestFirst(query));
        }
        assertThat(hbase.calls.stream().filter(call -> call.startsWith("scan"))).hasSizeGreaterThan(3);
    }

    /** The newest entry of all is stale, and its row's present one is the oldest. The rows of the next entries are deleted. */
    @Test
    void aRowCountsByItsPresentEntryAlone() throws IOException {
        open(IndexScheme.SYNC_INSERT);
        putAt("old", "B", 5);
        putAt("old", "A", 9_000);
        hbase.write(new Delete(Bytes.toBytes("old")));
        putAt("old", "B", 5);
        putRows(5);
        for (int i = 0; i < 20; i++) {
            put("deleted" + i, "A");
            hbase.write(new Delete(Bytes.toBytes("deleted" + i)));
        }
        IndexQuery query = all().build();
        assertThat(texts(table.newest(query, 1))).isEqualTo(newestFirst(query).subList(0, 1));
        assertThat(texts(table.newest(query, 3))).isEqualTo(newestFirst(query).subList(0, 3));
        assertThat(texts(table.newest(query, 6))).isEqualTo(newestFirst(query));
    }

    @Test
    void findsTheNewestWithoutThoseThatMovedTwice() throws IOException {
        open(IndexScheme.SYNC_FULL, "C", "M");
        putRows(5);
        put("mover", "A");
        hbase.beforeRegion.put("M", () -> put("mover", "N"));
        assertThat(table.newest(all().build(), 6))
                .extracting(hit -> Bytes.toString(hit.row()))
                .doesNotHaveDuplicates()
                .hasSize(6)
                .first()
                .isEqualTo("mover");
    }

    @ParameterizedTest
    @EnumSource(
            value = IndexScheme.class,
            names = {"SYNC_FULL", "SYNC_INSERT"})
    void findsTheNewestWhileTheSchemeChanges(IndexScheme scheme) throws IOException {
        open(scheme, "C", "M");
        putRows(5);
        IndexScheme other = scheme.leavesStaleEntries() ? IndexScheme.SYNC_FULL : IndexScheme.SYNC_INSERT;
        hbase.beforeRegion.put("M", () -> {
            hbase.maintained = IndexScheme.SYNC_INSERT;
            hbase.demanded = other;
            put("r0", "Q");
        });
        assertThat(texts(table.newest(all().build(), 3)))
                .isEqualTo(newestFirst(all().build()).subList(0, 3));
    }

    @Test
    void refusesWhatIsNotAboutAllHits() throws IOException {
        open(IndexScheme.SYNC_FULL);
        put("r1", "A");
        for (int most : new int[] {0, -1, 1_001}) {
            assertThatThrownBy(() -> table.newest(all().build(), most)).isInstanceOf(InvalidQueryException.class);
        }
        assertThatThrownBy(() -> table.newest(all().limit(5).build(), 1))
                .isInstanceOf(InvalidQueryException.class)
                .hasMessageContaining("limit");
    }

    private void putRows(int count) {
        for (int i = 0; i < count; i++) {
            put("r" + i, "A");
        }
    }

    private void putAt(String row, String origin, long timestamp) {
        hbase.write(new Put(Bytes.toBytes(row))
                .addColumn(FakeHBase.F, Bytes.toBytes("origin"), timestamp, Bytes.toBytes(origin)));
    }

    private List<String> newestFirst(IndexQuery query) throws IOException {
        List<IndexHit> hits = new ArrayList<>();
        try (IndexScanner scanner = table.getByIndex(query)) {
            scanner.forEach(hits::add);
        }
        hits.sort(Comparator.comparingLong(IndexHit::timestamp)
                .reversed()
                .thenComparing(IndexHit::key, Bytes.BYTES_COMPARATOR));
        return texts(hits);
    }

    private static List<String> texts(List<IndexHit> hits) {
        return hits.stream().map(IndexHit::toString).toList();
    }

    @ParameterizedTest
    @EnumSource(IndexScheme.class)
    void findsTheLeastAndTheGreatestValue(IndexScheme scheme) throws IOException {
        open(scheme, "C", "M");
        putRows(3);
        put("r1", "D");
        put("r2", "Z");
        put("r2", "N"); // the entry of Z stays under sync-insert
        put("r0", "B");
        hbase.deliverAll();
        for (IndexQuery.Builder query : List.of(all(), all().reverse(), all().withRows())) {
            assertThat(table.min(query.build(), "f:origin").orElseThrow().text())
                    .containsExactly("B");
            assertThat(table.max(query.build(), "f:origin").orElseThrow().text())
                    .containsExactly("N");
        }
        assertThat(table.max(all().to("N").build(), "f:origin:string")
                        .orElseThrow()
                        .text())
                .containsExactly("D");
        assertThat(table.min(all().equalTo("Q").build(), "f:origin")).isEmpty();
        assertThatThrownBy(() -> table.min(all().build(), "f:carrier"))
                .isInstanceOf(InvalidQueryException.class)
                .hasMessageContaining("in the order of column f:origin, not of f:carrier");
        assertThatThrownBy(() -> table.max(all().limit(1).build(), "f:origin"))
                .isInstanceOf(InvalidQueryException.class);
    }

    /** The row that is met first has a greater value by now than another one, which did not move. */
    @Test
    void aRowThatMovesMeanwhileIsNotTheLeast() throws IOException {
        open(IndexScheme.SYNC_INSERT);
        put("mover", "A");
        put("still", "C");
        hbase.beforeLookUp = () -> put("mover", "Z");
        assertThat(table.min(all().build(), "f:origin").orElseThrow().text()).containsExactly("C");
    }

    @ParameterizedTest
    @EnumSource(IndexScheme.class)
    void countsTheHitsOfEachValue(IndexScheme scheme) throws IOException {
        open(scheme, "C", "M");
        Random random = new Random(11);
        for (int i = 0; i < 300; i++) {
            put(
                    "r" + random.nextInt(60),
                    "ABCDKLMNZ".substring(random.nextInt(9)).substring(0, 1));
        }
        hbase.deliverAll();
        for (IndexQuery query : List.of(
                all().build(),
                all().equalTo("C").build(),
                all().equalTo("Q").build(),
                all().in("A", "Z", "C").reverse().build(),
                all().from("B").to("M").withRows().build())) {
            TreeMap<String, Long> expected = new TreeMap<>();
            try (IndexScanner hits = table.getByIndex(query)) {
                hits.forEach(hit -> expected.merge(hit.text().get(0), 1L, Long::sum));
            }
            assertThat(table.countBy(query))
                    .extracting(GroupCount::toString)
                    .containsExactlyElementsOf(expected.entrySet().stream()
                            .map(group -> "[" + group.getKey() + "]: " + group.getValue())
                            .toList());
        }
        assertThat(table.countBy(all().equalTo("C").build()).get(0).values()).containsExactly(Bytes.toBytes("C"));
        for (int columns : new int[] {0, 2}) {
            assertThatThrownBy(() -> table.countBy(all().build(), columns))
                    .isInstanceOf(InvalidQueryException.class)
                    .hasMessageContaining("not by " + columns);
        }
    }

    @Test
    void countsNoMoreGroupsThanAreAllowed() throws IOException {
        IndexDefinition definition = IndexDefinition.builder(FLIGHTS, "by_origin")
                .column("f", "origin", ColumnTypes.STRING)
                .build();
        GroupCounts counts = new GroupCounts(definition, 1, 2);
        counts.add(Bytes.toBytes("A\0\1r1"), 1);
        counts.add(Bytes.toBytes("B\0\1r1"), 4);
        counts.add(Bytes.toBytes("A\0\1r2"), 2);
        assertThat(counts.inOrder()).extracting(GroupCount::count).containsExactly(3L, 4L);
        assertThatThrownBy(() -> counts.add(Bytes.toBytes("C\0\1r1"), 1))
                .isInstanceOf(TooManyGroupsException.class)
                .hasMessageContaining("more than 2 groups");
    }

    /** As a scan finds them: a row that moves once counts at least once, and any other one exactly once. */
    @Test
    void keepsThePromisesOfAScanWhileRowsMoveAndScannersAreLost() throws IOException {
        for (int seed = 0; seed < 100; seed++) {
            Random random = new Random(seed);
            open(IndexScheme.SYNC_FULL, "C", "M", "T");
            hbase.mostRowsOfALoad = 1 + random.nextInt(4);
            hbase.reopens = () -> random.nextInt(4) == 0;
            for (int i = 0; i < 30; i++) {
                put("r" + i, origin(random));
            }
            moveBetweenRegions(random);
            assertThat(table.count(all().build())).as("seed %s", seed).isBetween(30L, 33L);
            moveBetweenRegions(random);
            assertThat(table.countBy(all().build()).stream()
                            .mapToLong(GroupCount::count)
                            .sum())
                    .as("seed %s", seed)
                    .isBetween(30L, 33L);
            moveBetweenRegions(random);
            assertThat(table.newest(all().build(), 100))
                    .as("seed %s", seed)
                    .extracting(hit -> Bytes.toString(hit.row()))
                    .doesNotHaveDuplicates()
                    .hasSize(30);
        }
    }

    /** Moves a row, another one each time, when a scan is about to open a region. */
    private void moveBetweenRegions(Random random) {
        int moved = 0;
        for (String region : List.of("C", "M", "T")) {
            String row = "r" + moved++;
            hbase.beforeRegion.put(region, () -> put(row, origin(random)));
        }
    }

    private static String origin(Random random) {
        return "ABCDKLMNSTYZ".substring(random.nextInt(12)).substring(0, 1);
    }

    /** A field that is forgotten in the copy of a query would change what an aggregate is about. */
    @Test
    void aCopyOfAQueryHasAllOfIt() {
        IndexQuery query = all().equalTo("a")
                .in("b", "c")
                .from("d")
                .toInclusive("e")
                .reverse()
                .limit(7)
                .withRows()
                .caching(5)
                .build();
        IndexQuery other = all().equalTo("a").prefix("x").build();
        assertThat(IndexQuery.Builder.class.getDeclaredFields())
                .filteredOn(field -> !field.isSynthetic())
                .as("a new part of a query belongs into its copy, and into this test")
                .hasSize(12);
        for (IndexQuery each : List.of(query, other)) {
            assertThat(each.toBuilder().build()).usingRecursiveComparison().isEqualTo(each);
        }
    }

    private static IndexQuery.Builder all() {
        return IndexQuery.index("by_origin");
    }

    private void open(IndexScheme scheme, String... splits) throws IOException {
        hbase = new FakeHBase(IndexDefinition.builder(FLIGHTS, "by_origin")
                .column("f", "origin", ColumnTypes.STRING)
                .scheme(scheme)
                .build());
        for (String split : splits) {
            hbase.regionStarts.add(Bytes.toBytes(split));
        }
        table = new IndexedTable(hbase.connection, FLIGHTS);
    }

    private void put(String row, String origin) {
        hbase.write(new Put(Bytes.toBytes(row)).addColumn(FakeHBase.F, Bytes.toBytes("origin"), Bytes.toBytes(origin)));
    }

    private List<String> rows(IndexQuery query) throws IOException {
        List<String> rows = new ArrayList<>();
        try (IndexScanner hits = table.getByIndex(query)) {
            for (IndexHit hit : hits) {
                rows.add(Bytes.toString(hit.row()));
            }
        }
        return rows;
    }
}
