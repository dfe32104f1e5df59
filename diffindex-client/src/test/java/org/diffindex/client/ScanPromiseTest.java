package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;

/** What docs/consistency.md promises of a scan while rows move, on an index of several regions. */
class ScanPromiseTest {
    private static final int VALUES = 60;
    private static final int STILL = 15;
    private static final int MOVERS = 3;

    private final Set<String> found = new HashSet<>();
    private final List<String> stillInOrder = new ArrayList<>();
    private final Map<String, Set<String>> had = new HashMap<>();
    private final Map<String, Integer> moves = new HashMap<>();

    private Random random;
    private FakeHBase hbase;

    /** Its old entries are what a row that moves is found by; so it may move as often as it likes. */
    @Property(tries = 400)
    void syncInsertOverSeveralRegions(@ForAll Random random) throws IOException {
        run(random, IndexScheme.SYNC_INSERT, 3, Integer.MAX_VALUE);
    }

    @Property(tries = 400)
    void syncFullOverSeveralRegionsIfARowMovesOnce(@ForAll Random random) throws IOException {
        run(random, IndexScheme.SYNC_FULL, 3, 1);
    }

    @Property(tries = 200)
    void syncFullWithinARegion(@ForAll Random random) throws IOException {
        run(random, IndexScheme.SYNC_FULL, 1, Integer.MAX_VALUE);
    }

    private void run(Random chosen, IndexScheme scheme, int regions, int mostMoves) throws IOException {
        begin(chosen, scheme, regions);
        IndexQuery query = IndexQuery.index("by_value")
                .caching(1 + random.nextInt(8))
                .from(value(0))
                .to(value(VALUES))
                .build();
        try (IndexedTable table = new IndexedTable(hbase.connection, hbase.definition.table());
                IndexScanner hits = table.getByIndex(query)) {
            for (IndexHit hit = hits.next(); hit != null; hit = hits.next()) {
                check(hit);
                moveSome(mostMoves);
                hbase.beforeLookUp = () -> moveSome(mostMoves);
            }
        }
        assertThat(stillInOrder).hasSize(STILL).isSorted().doesNotHaveDuplicates();
        assertThat(found).containsAll(had.keySet());
        assertThat(hbase.indexed()).as("no present entry is deleted").containsAll(hbase.expected());
    }

    /** Some rows move, and some entries come to a sync-insert index of which the writes are lost. */
    private void moveSome(int mostMoves) {
        if (hbase.definition.scheme().leavesStaleEntries() && random.nextInt(6) == 0) {
            hbase.lose(putOf(String.format("still%02d", random.nextInt(STILL)), value(random.nextInt(VALUES))));
        }
        for (int i = 0; i < MOVERS; i++) {
            String row = "mover" + i;
            if (random.nextInt(6) == 0 && moves.merge(row, 1, Integer::sum) <= mostMoves) {
                put(row, value(random.nextInt(VALUES)) + "x");
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
                .build()
                .withState(IndexState.ACTIVE));
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
        if (scheme.leavesStaleEntries()) {
            for (int i = random.nextInt(STILL); i < STILL; i++) {
                String row = String.format("still%02d", i);
                hbase.lose(putOf(row, had.get(row).iterator().next()));
            }
        }
    }

    /** Leaves some old entries behind, if the scheme does. */
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
