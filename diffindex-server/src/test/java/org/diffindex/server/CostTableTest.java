package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.SessionChange;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.Waiting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that an update and a read cost under each scheme what table 2 of the paper says (section 6.1). Puts and reads
 * of the base are counted in a real region, those of the index on the way to its table. What the paper's table has in
 * brackets happens on another thread than the writer's. Except for one test, the region remembers no rows, as in the
 * paper.
 */
class CostTableTest {
    private static final int K = 25;

    /** The entries of a page; a region is not asked to confirm so few, which costs no lookup. */
    private static final int PAGE = 5;

    @TempDir
    Path folder;

    /** Calls by the paper's columns: puts and reads of the base, puts (with deletes) and reads of the index. */
    private record Cost(long basePuts, long baseReads, long indexPuts, long indexDeletes, long indexReads) {
        static final Cost NONE = new Cost(0, 0, 0, 0, 0);

        Cost minus(Cost other) {
            return new Cost(
                    basePuts - other.basePuts,
                    baseReads - other.baseReads,
                    indexPuts - other.indexPuts,
                    indexDeletes - other.indexDeletes,
                    indexReads - other.indexReads);
        }
    }

    private record Update(List<IndexScheme> schemes, Cost beforeAck, Cost later) {}

    static Stream<Update> tableTwo() {
        Cost onlyTheBase = new Cost(1, 0, 0, 0, 0);
        Cost laterAsync = new Cost(0, 1, 1, 1, 0);
        return Stream.of(
                new Update(List.of(), onlyTheBase, Cost.NONE),
                new Update(List.of(IndexScheme.SYNC_FULL), new Cost(1, 1, 1, 1, 0), Cost.NONE),
                new Update(List.of(IndexScheme.SYNC_INSERT), new Cost(1, 0, 1, 0, 0), Cost.NONE),
                new Update(List.of(IndexScheme.ASYNC_SIMPLE), onlyTheBase, laterAsync),
                new Update(List.of(IndexScheme.ASYNC_SESSION), onlyTheBase, laterAsync));
    }

    @ParameterizedTest
    @MethodSource("tableTwo")
    void anUpdateCostsWhatThePaperSays(Update expected) throws IOException {
        try (LocalRegion local = local(expected.schemes)) {
            put(local, "r", "ORD");
            drain(local);
            Cost own = own(local);
            Cost others = others(local);
            put(local, "r", "LAX");
            drain(local);
            assertThat(own(local).minus(own)).as("before the acknowledgement").isEqualTo(expected.beforeAck);
            assertThat(others(local).minus(others))
                    .as("after the acknowledgement")
                    .isEqualTo(expected.later);
        }
    }

    @Test
    void theFirstPutOfARowDeletesNothing() throws IOException {
        try (LocalRegion local = local(List.of(IndexScheme.SYNC_FULL))) {
            put(local, "r", "ORD");
            assertThat(own(local)).isEqualTo(new Cost(1, 1, 1, 0, 0));
        }
    }

    @Test
    void anUpdateInASessionReadsNothingBeforeItsAcknowledgement() throws IOException {
        try (LocalRegion local = local(List.of(IndexScheme.ASYNC_SESSION))) {
            put(local, "r", "ORD");
            drain(local);
            Cost own = own(local);
            Put put = new Put(row("r")).addColumn(F, Bytes.toBytes("origin"), Bytes.toBytes("LAX"));
            put.setAttribute(SessionChange.ATTRIBUTE, new byte[0]);
            local.region().put(put);
            assertThat(own(local).minus(own)).isEqualTo(new Cost(1, 0, 0, 0, 0));
        }
    }

    @Test
    void anUpdateOfARememberedRowReadsNothing() throws IOException {
        try (LocalRegion local = local(List.of(IndexScheme.SYNC_FULL), "100000")) {
            put(local, "r", "ORD");
            Cost own = own(local);
            put(local, "r", "LAX");
            assertThat(own(local).minus(own)).isEqualTo(new Cost(1, 0, 1, 1, 0));
        }
    }

    static Stream<IndexScheme> whoseReadersTrustTheIndex() {
        return Stream.of(IndexScheme.values()).filter(scheme -> !scheme.leavesStaleEntries());
    }

    @ParameterizedTest
    @MethodSource("whoseReadersTrustTheIndex")
    void aReadOfAnIndexWithoutStaleEntriesReadsOnlyTheIndex(IndexScheme scheme) throws IOException {
        try (LocalRegion local = local(List.of(scheme))) {
            putRows(local, "ORD");
            Cost own = own(local);
            assertThat(read(local, "ORD")).isEqualTo(K);
            assertThat(own(local).minus(own)).isEqualTo(new Cost(0, 0, 0, 0, 1));
        }
    }

    @Test
    void aReadUnderSyncInsertLooksUpEachBaseRowOnceWithOneCallPerPage() throws IOException {
        try (LocalRegion local = local(List.of(IndexScheme.SYNC_INSERT))) {
            putRows(local, "ORD");
            Cost own = own(local);
            assertThat(read(local, "ORD")).isEqualTo(K);
            assertThat(own(local).minus(own)).isEqualTo(new Cost(0, K, 0, 0, 1));
            assertThat(local.network().baseGets.own()).isEqualTo(K);
            assertThat(local.network().baseGetCalls.own()).isEqualTo(K / PAGE);
        }
    }

    @Test
    void aReadUnderSyncInsertRepairsExactlyTheStaleEntries() throws IOException {
        try (LocalRegion local = local(List.of(IndexScheme.SYNC_INSERT))) {
            putRows(local, "ORD");
            putRows(local, "LAX");
            put(local, "r00", "ORD");
            Cost own = own(local);
            Cost others = others(local);
            assertThat(read(local, "ORD")).isEqualTo(1);
            assertThat(own(local).minus(own)).as("cost of the reader").isEqualTo(new Cost(0, K, 0, 0, 1));
            Waiting.until(
                    "the stale entries are deleted", () -> others(local).indexDeletes == others.indexDeletes + K - 1);
            Cost cleanup = others(local).minus(others);
            assertThat(cleanup.baseReads)
                    .as("base reads of the clean-up, one for each stale entry")
                    .isEqualTo(K - 1);
            own = own(local);
            assertThat(read(local, "ORD")).isEqualTo(1);
            assertThat(own(local).minus(own)).isEqualTo(new Cost(0, 1, 0, 0, 1));
        }
    }

    private LocalRegion local(List<IndexScheme> schemes) throws IOException {
        return local(schemes, "0");
    }

    private LocalRegion local(List<IndexScheme> schemes, String rowMemory) throws IOException {
        return new LocalRegion(
                folder,
                1,
                schemes.stream().map(Flights::byOrigin).toList(),
                Map.of(Settings.ROW_MEMORY_BYTES, rowMemory, Settings.STALE_DELAY_MS, "0"));
    }

    private static void putRows(LocalRegion local, String origin) throws IOException {
        for (int i = 0; i < K; i++) {
            put(local, String.format("r%02d", i), origin);
        }
        drain(local);
    }

    private static void put(LocalRegion local, String row, String origin) throws IOException {
        local.region().put(new Put(row(row)).addColumn(F, Bytes.toBytes("origin"), Bytes.toBytes(origin)));
    }

    private static void drain(LocalRegion local) {
        if (!local.indexes().isEmpty()) {
            assertThat(local.drain()).isZero();
        }
    }

    private static int read(LocalRegion local, String origin) throws IOException {
        IndexDefinition index = local.indexes().iterator().next();
        IndexQuery query =
                IndexQuery.index(index.name()).equalTo(origin).caching(PAGE).build();
        int hits = 0;
        try (IndexedTable table = new IndexedTable(local.network().connection(), Flights.TABLE);
                IndexScanner scanner = table.getByIndex(query)) {
            while (scanner.next() != null) {
                hits++;
            }
        }
        return hits;
    }

    private static Cost own(LocalRegion local) {
        FakeConnection network = local.network();
        return new Cost(
                local.base().puts.own(),
                local.base().reads.own(),
                network.indexPuts.own(),
                network.indexDeletes.own(),
                network.indexReads.own());
    }

    private static Cost others(LocalRegion local) {
        FakeConnection network = local.network();
        return new Cost(
                local.base().puts.others(),
                local.base().reads.others(),
                network.indexPuts.others(),
                network.indexDeletes.others(),
                network.indexReads.others());
    }
}
