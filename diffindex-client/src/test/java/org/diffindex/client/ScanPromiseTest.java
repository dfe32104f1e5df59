package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;

/** Tests the guarantees of docs/consistency.md for a scan while rows move, on an index of several regions. */
class ScanPromiseTest {
    private static final int VALUES = 60;
    private static final int STILL = 15;
    private static final int MOVERS = 3;
    private static final int LEAVERS = 3;

    private final Set<String> found = new HashSet<>();
    private final List<String> stillInOrder = new ArrayList<>();
    private final Map<String, Set<String>> had = new HashMap<>();
    private final Map<String, Integer> moves = new HashMap<>();

    private Random random;
    private FakeHBase hbase;

    /** Whether the scheme becomes sync-insert when the scan is about to open one of the regions. */
    private boolean changesScheme;

    /** Whether calls fail and are repeated. */
    private boolean fails;

    /** Whether the query is an IN of all values, each of which is read by a scan of its own. */
    private boolean isIn;

    private boolean isReverse;

    /** Whether the read is an asynchronous one, whose calls are answered in any order. */
    private boolean isAsynchronous;

    /** Whether the entry that a row leaves during the scan is deleted at once. */
    private boolean cleansUp;

    /** A row that moves is found by its old entries, so it may move any number of times. */
    @Property(tries = 400)
    void syncInsertKeepsItsGuaranteesOverSeveralRegions(@ForAll Random random) throws IOException {
        run(random, IndexScheme.SYNC_INSERT, 3, Integer.MAX_VALUE);
    }

    /** The servers delete old entries while a scan takes its time. */
    @Property(tries = 400)
    void syncInsertFindsRowsThatMoveOnceWhateverIsDeletedMeanwhile(@ForAll Random random) throws IOException {
        cleansUp = true;
        run(random, IndexScheme.SYNC_INSERT, 3, 1);
    }

    @Property(tries = 400)
    void syncFullKeepsItsGuaranteesOverSeveralRegionsIfARowMovesOnce(@ForAll Random random) throws IOException {
        run(random, IndexScheme.SYNC_FULL, 3, 1);
    }

    @Property(tries = 200)
    void syncFullKeepsItsGuaranteesWithinARegion(@ForAll Random random) throws IOException {
        run(random, IndexScheme.SYNC_FULL, 1, Integer.MAX_VALUE);
    }

    @Property(tries = 60)
    void syncFullKeepsItsGuaranteesOverTheValuesOfAnIn(@ForAll Random random) throws IOException {
        isIn = true;
        run(random, IndexScheme.SYNC_FULL, 3, 1);
    }

    @Property(tries = 60)
    void syncInsertKeepsItsGuaranteesOverTheValuesOfAnIn(@ForAll Random random) throws IOException {
        isIn = true;
        run(random, IndexScheme.SYNC_INSERT, 3, Integer.MAX_VALUE);
    }

    /** Writes leave stale entries in the regions that the scan has not read yet. */
    @Property(tries = 400)
    void aScanKeepsItsGuaranteesWhileTheSchemeChangesToSyncInsert(@ForAll Random random) throws IOException {
        changesScheme = true;
        run(random, IndexScheme.SYNC_FULL, 3, 1);
    }

    @Property(tries = 300)
    void anAsynchronousReadKeepsTheGuaranteesOfSyncInsert(@ForAll Random random) throws IOException {
        isAsynchronous = true;
        run(random, IndexScheme.SYNC_INSERT, 3, Integer.MAX_VALUE);
    }

    @Property(tries = 300)
    void anAsynchronousReadKeepsTheGuaranteesOfSyncFullIfARowMovesOnce(@ForAll Random random) throws IOException {
        isAsynchronous = true;
        run(random, IndexScheme.SYNC_FULL, 3, 1);
    }

    @Property(tries = 100)
    void anAsynchronousReadKeepsTheGuaranteesOverTheValuesOfAnIn(@ForAll Random random) throws IOException {
        isAsynchronous = true;
        isIn = true;
        run(random, IndexScheme.SYNC_FULL, 3, 1);
    }

    @Property(tries = 200)
    void anAsynchronousReadKeepsTheGuaranteesWhileTheSchemeChanges(@ForAll Random random) throws IOException {
        isAsynchronous = true;
        changesScheme = true;
        run(random, IndexScheme.SYNC_FULL, 3, 1);
    }

    /** Scans with or without rows; calls may fail, scanners may be lost, and a second scan may be needed. */
    private void run(Random chosen, IndexScheme scheme, int regions, int mostMoves) throws IOException {
        begin(chosen, scheme, regions);
        isReverse = random.nextBoolean();
        boolean isOneScan = regions == 1 && mostMoves > 1 && !scheme.leavesStaleEntries();
        fails = random.nextInt(3) == 0;
        hbase.tellsReadPoints = random.nextInt(4) > 0;
        boolean reopens = !isOneScan && random.nextInt(3) == 0;
        hbase.reopens = () -> reopens && random.nextInt(3) == 0;
        if (random.nextInt(3) == 0) {
            mergeOnArrival(mostMoves);
        }
        if (changesScheme) {
            byte[] start = List.copyOf(hbase.regionStarts).get(random.nextInt(regions));
            hbase.beforeRegion.put(Bytes.toString(start), () -> {
                hbase.maintained = IndexScheme.SYNC_INSERT;
                hbase.demanded = IndexScheme.SYNC_INSERT;
                moveSome(mostMoves);
            });
        }
        int limit = !isOneScan && random.nextInt(3) == 0 ? 1 + random.nextInt(30) : Integer.MAX_VALUE;
        IndexQuery.Builder query =
                IndexQuery.index("by_value").caching(1 + random.nextInt(8)).limit(limit);
        if (isIn) {
            query.in(everyValue());
        } else {
            query.from(value(0)).to(value(VALUES));
        }
        if (isReverse) {
            query.reverse();
        }
        int hitCount = scan(random.nextBoolean() ? query.withRows().build() : query.build(), mostMoves);
        Comparator<String> order = Comparator.naturalOrder();
        assertThat(stillInOrder)
                .isSortedAccordingTo(isReverse ? order.reversed() : order)
                .doesNotHaveDuplicates();
        if (hitCount < limit) {
            assertThat(stillInOrder).hasSize(STILL);
            assertThat(found).containsAll(had.keySet());
        }
        assertThat(hbase.indexed()).as("no present entry is deleted").containsAll(hbase.expected());
    }

    /**
     * Merges some regions with those before them when the scan is about to open them; a scan in reverse has read a part of
     * some of these, and not yet of others.
     */
    private void mergeOnArrival(int mostMoves) {
        for (byte[] start : List.copyOf(hbase.regionStarts)) {
            byte[] merged = isReverse && random.nextBoolean() ? hbase.regionStarts.higher(start) : start;
            if (merged != null && merged.length > 0 && random.nextBoolean()) {
                hbase.beforeRegion.put(Bytes.toString(start), () -> {
                    hbase.regionStarts.remove(merged);
                    moveSome(mostMoves);
                });
            }
        }
    }

    /** Returns every value that a row may have. */
    private static Object[] everyValue() {
        return IntStream.range(0, VALUES)
                .mapToObj(ScanPromiseTest::value)
                .flatMap(value -> Stream.of(value, value + "x"))
                .toArray();
    }

    private int scan(IndexQuery query, int mostMoves) throws IOException {
        return isAsynchronous ? scanAsynchronously(query, mostMoves) : scanWaiting(query, mostMoves);
    }

    private int scanAsynchronously(IndexQuery query, int mostMoves) throws IOException {
        Tasks tasks = new Tasks(random);
        HitCollector hits = new HitCollector(hit -> receive(hit, mostMoves));
        try (IndexedTable table = new IndexedTable(hbase.connection, hbase.definition.table())) {
            FakeAsyncHBase async = new FakeAsyncHBase(hbase, tasks);
            new AsyncIndexedTable(table, async.connection, tasks).publish(query).subscribe(hits);
            for (int rounds = 0; hits.completions == 0 && hits.error == null; rounds++) {
                assertThat(rounds).as("rounds without an end").isLessThan(1_000);
                hits.subscription.request(1 + random.nextInt(10));
                tasks.runAll(() -> {
                    if (random.nextInt(4) == 0) {
                        moveSome(mostMoves);
                    }
                });
            }
        }
        assertThat(hits.error).isNull();
        return hits.hits.size();
    }

    private void receive(IndexHit hit, int mostMoves) {
        check(hit);
        moveSome(mostMoves);
        hbase.beforeLookUp = () -> {
            moveSome(mostMoves);
            for (int i = 0; i < LEAVERS && random.nextInt(4) == 0; i++) {
                hbase.write(putOf("leaver" + i, "z"));
            }
        };
    }

    private int scanWaiting(IndexQuery query, int mostMoves) throws IOException {
        int hitCount = 0;
        try (IndexedTable table = new IndexedTable(hbase.connection, hbase.definition.table());
                IndexScanner hits = table.getByIndex(query)) {
            for (IndexHit hit = next(hits); hit != null; hit = next(hits)) {
                receive(hit, mostMoves);
                hitCount++;
            }
        }
        return hitCount;
    }

    private IndexHit next(IndexScanner hits) throws IOException {
        while (true) {
            if (fails && random.nextInt(4) == 0) {
                hbase.failures.put(random.nextBoolean() ? "get" : "get entries", new IOException("on purpose"));
            }
            try {
                return hits.next();
            } catch (IOException e) {
                assertThat(e).hasMessage("on purpose");
            }
        }
    }

    /**
     * Moves some rows, sends some entries again, writes some rows again with the values that they have, and puts some
     * entries of lost writes into a sync-insert index.
     */
    private void moveSome(int mostMoves) {
        if (random.nextInt(6) == 0) {
            String row = String.format("still%02d", random.nextInt(STILL));
            hbase.holds = random.nextBoolean(); // as if the write ended delayed
            hbase.write(putOf(row, had.get(row).iterator().next()));
            hbase.holds = false;
        }
        if (hbase.definition.scheme().leavesStaleEntries() && random.nextInt(6) == 0) {
            hbase.lose(putOf(String.format("still%02d", random.nextInt(STILL)), value(random.nextInt(VALUES))));
        }
        if (random.nextInt(6) == 0) {
            hbase.sendAgain(Bytes.toBytes(String.format("still%02d", random.nextInt(STILL))));
        }
        for (int i = 0; i < MOVERS; i++) {
            String row = "mover" + i;
            if (random.nextInt(6) == 0 && moves.merge(row, 1, Integer::sum) <= mostMoves) {
                put(row, value(random.nextInt(VALUES)) + "x");
                if (cleansUp) {
                    hbase.cleanUp(Bytes.toBytes(row));
                }
            }
        }
    }

    private void begin(Random chosen, IndexScheme scheme, int regions) throws IOException {
        random = chosen;
        found.clear();
        stillInOrder.clear();
        had.clear();
        moves.clear();
        hbase = new FakeHBase(IndexDefinition.builder(TableName.valueOf("t"), "by_value")
                .column("f", "value", ColumnTypes.STRING)
                .scheme(scheme)
                .build());
        hbase.mostRowsOfALoad = 1 + random.nextInt(12);
        for (int i = 1; i < regions; i++) {
            hbase.regionStarts.add(Bytes.toBytes(value(i * VALUES / regions)));
        }
        for (int i = 0; i < STILL; i++) {
            putOften(String.format("still%02d", i), "");
        }
        for (int i = 0; i < MOVERS; i++) {
            putOften("mover" + i, "x");
        }
        for (int i = 0; i < LEAVERS; i++) {
            hbase.write(putOf("leaver" + i, value(random.nextInt(VALUES)) + "l"));
        }
        if (scheme.leavesStaleEntries()) {
            for (int i = random.nextInt(STILL); i < STILL; i++) {
                String row = String.format("still%02d", i);
                hbase.lose(putOf(row, had.get(row).iterator().next()));
            }
        }
    }

    /** Leaves some stale entries if the scheme does. */
    private void putOften(String row, String suffix) {
        for (int i = random.nextInt(3); i >= 0; i--) {
            had.remove(row);
            put(row, value(random.nextInt(VALUES)) + suffix);
        }
    }

    private void put(String row, String value) {
        had.computeIfAbsent(row, key -> new HashSet<>()).add(value);
        hbase.write(putOf(row, value));
    }

    private static Put putOf(String row, String value) {
        return new Put(Bytes.toBytes(row)).addColumn(FakeHBase.F, Bytes.toBytes("value"), Bytes.toBytes(value));
    }

    private void check(IndexHit hit) {
        String row = Bytes.toString(hit.row());
        if (row.startsWith("leaver")) {
            return;
        }
        String value = hit.text().get(0);
        found.add(row);
        assertThat(had.get(row)).as("values of %s since the scan began", row).contains(value);
        if (row.startsWith("still")) {
            stillInOrder.add(value + row);
        }
    }

    private static String value(int number) {
        return String.format("v%02d", number);
    }
}
