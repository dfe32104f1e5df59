package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.assertj.core.api.SoftAssertions;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexNotLoadedException;
import org.diffindex.model.IndexNotReadableException;
import org.diffindex.model.IndexRole;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;

/** Tests which hits a read by index returns, and which calls it makes. */
class IndexedTableTest {
    private static final TableName FLIGHTS = TableName.valueOf("flights");

    private FakeHBase hbase;

    @Test
    void returnsTheHitsInOrderWithTheirValuesAndTimes() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_FULL);
        put("r1", "ORD");
        put("r2", "LAX");
        put("r3", "ORD");
        try (IndexScanner hits = table.getByIndex(IndexQuery.index("by_origin").build())) {
            IndexHit first = hits.next();
            assertThat(first.text()).containsExactly("LAX");
            assertThat(first.values()).containsExactly(Bytes.toBytes("LAX"));
            assertThat(first.row()).isEqualTo(Bytes.toBytes("r2"));
            assertThat(first.timestamp()).isEqualTo(1_002);
            assertThat(first).hasToString("[LAX] -> r2@1002");
            assertThatThrownBy(first::result)
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("withRows");
            assertThat(hits.next()).hasToString("[ORD] -> r1@1001");
            assertThat(hits.next()).hasToString("[ORD] -> r3@1003");
            assertThat(hits.next()).isNull();
            assertThat(hits.next()).isNull();
        }
        assertThat(hbase.calls).containsExactly("scan limit -1");
    }

    @Test
    void readsBesideAnIndexThatItCannotLoad() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_FULL);
        hbase.furtherDefinitions.put("by_day", "{\"columns\":[\"f:d:class(org.example.Missing)\"]}");
        put("r1", "ORD");
        assertThat(rows(table, IndexQuery.index("by_origin"))).containsExactly("r1");
        assertThatThrownBy(() -> table.getByIndex(IndexQuery.index("by_day").build()))
                .isInstanceOf(IndexNotLoadedException.class)
                .hasMessageContaining("put the class, as the region servers have it, on the class path of this client");
        assertThatThrownBy(() -> table.getIndex("by_day")).isInstanceOf(IndexNotLoadedException.class);
    }

    @Test
    void theServerAppliesTheLimitIfEveryEntryIsAHit() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_FULL);
        putRows(10, "ORD");
        assertThat(rows(table, IndexQuery.index("by_origin").limit(3))).containsExactly("r00", "r01", "r02");
        assertThat(hbase.calls).containsExactly("scan limit 3");
        assertThatThrownBy(() ->
                        rows(table, IndexQuery.index("by_origin").from("B").to("A")))
                .isInstanceOf(InvalidQueryException.class);
        assertThat(hbase.calls).hasSize(1);
    }

    @Test
    void syncInsertReturnsOnlyPresentEntriesAndReportsStaleOnes() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        putRows(10, "ORD");
        put("r03", "LAX");
        hbase.write(new Delete(Bytes.toBytes("r05")));
        assertThat(hbase.indexed()).hasSize(11);

        assertThat(rows(table, IndexQuery.index("by_origin").equalTo("ORD")))
                .containsExactly("r00", "r01", "r02", "r04", "r06", "r07", "r08", "r09");

        hbase.awaitIndexed(hbase.expected());
        assertThat(hbase.callsToRead()).containsExactly("scan limit -1", "get");
    }

    @Test
    void reportsStaleEntriesThatWereFoundBeforeTheClose() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        putRows(10, "ORD");
        putRows(10, "LAX");
        FakeHBase held = hbase;
        synchronized (held) { // no report is sent
            assertThat(rows(table, IndexQuery.index("by_origin").equalTo("ORD").caching(2)))
                    .isEmpty();
            table.close();
        }
        hbase.awaitIndexed(hbase.expected());
    }

    @Test
    void syncInsertChecksAPageOfHitsInOneCall() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        putRows(25, "ORD");
        assertThat(rows(table, IndexQuery.index("by_origin").caching(10))).hasSize(25);
        assertThat(hbase.calls).containsExactly("scan limit -1", "get", "get", "get");
    }

    @Test
    void aLimitIsExactIfEntriesAreStale() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        putRows(12, "ORD");
        for (int i = 0; i < 6; i++) {
            put("r0" + i, "LAX");
        }
        assertThat(rows(table, IndexQuery.index("by_origin").equalTo("ORD").limit(4)))
                .containsExactly("r06", "r07", "r08", "r09");
        assertThat(rows(table, IndexQuery.index("by_origin").equalTo("ORD").limit(100)))
                .hasSize(6);
    }

    @Test
    void readsAndChecksNoMoreEntriesThanTheLimitRequires() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        putRows(30, "ORD");
        assertThat(rows(table, IndexQuery.index("by_origin").limit(25).caching(10)))
                .hasSize(25);
        assertThat(hbase.calls).containsExactly("scan limit 25", "get", "get", "get");
        assertThat(hbase.rowsLookedUp).isEqualTo(25);
    }

    @Test
    void replacesStaleEntriesByHitsAfterTheLimit() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        putRows(12, "ORD");
        put("r01", "LAX");
        assertThat(rows(table, IndexQuery.index("by_origin").equalTo("ORD").limit(3)))
                .containsExactly("r00", "r02", "r03");
        assertThat(hbase.callsToRead()).containsExactly("scan limit 3", "get", "scan limit -1", "scan limit -1", "get");
    }

    @Test
    void retriesAFailedSecondScanFromTheSamePosition() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        putRows(5, "ORD");
        put("r00", "LAX");
        hbase.failures.put("scan limit -1", new IOException("moved"));
        try (IndexScanner hits = table.getByIndex(
                IndexQuery.index("by_origin").equalTo("ORD").limit(2).build())) {
            assertThat(Bytes.toString(hits.next().row())).isEqualTo("r01");
            assertThatThrownBy(hits::next).hasMessage("moved");
            assertThat(Bytes.toString(hits.next().row())).isEqualTo("r02");
            assertThat(hits.next()).isNull();
        }
    }

    @Test
    void stopsWhereTheRangeEndsAtTheLimit() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        putRows(3, "ORD");
        put("r01", "LAX");
        assertThat(rows(table, IndexQuery.index("by_origin").equalTo("ORD").limit(3)))
                .containsExactly("r00", "r02");
    }

    @Test
    void aReportThatFailsDoesNotFailTheRead() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        put("r1", "ORD");
        put("r1", "LAX");
        hbase.failures.put("report", new IOException("no access"));
        assertThat(rows(table, IndexQuery.index("by_origin").equalTo("ORD"))).isEmpty();
        hbase.awaitReport();
        assertThat(hbase.indexed()).hasSize(2);
        assertThat(rows(table, IndexQuery.index("by_origin").equalTo("ORD"))).isEmpty();
        hbase.awaitIndexed(hbase.expected());
    }

    @Test
    void checksTheSameEntriesAgainAfterAFailedCheck() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        putRows(2, "ORD");
        hbase.failures.put("get", new IOException("moved"));
        try (IndexScanner hits = table.getByIndex(IndexQuery.index("by_origin").build())) {
            assertThatThrownBy(hits::next).hasMessage("moved");
            assertThat(hits.next()).isNotNull();
            assertThat(hits.next()).isNotNull();
            assertThat(hits.next()).isNull();
        }
    }

    @Test
    void withRowsReturnsTheRowsThatStillMatch() throws IOException {
        IndexedTable table = table(IndexScheme.ASYNC_SIMPLE);
        putRows(3, "ORD");
        hbase.deliverAll();
        put("r00", "LAX");
        hbase.write(new Delete(Bytes.toBytes("r01")));
        assertThat(rows(table, IndexQuery.index("by_origin"))).containsExactly("r00", "r01", "r02");
        try (IndexScanner hits = table.getByIndex(
                IndexQuery.index("by_origin").equalTo("ORD").limit(2).withRows().build())) {
            IndexHit hit = hits.next();
            assertThat(Bytes.toString(hit.row())).isEqualTo("r02");
            assertThat(hit.result().getValue(FakeHBase.F, Bytes.toBytes("carrier")))
                    .isEqualTo(Bytes.toBytes("UA"));
            assertThat(hits.next()).isNull();
        }
        assertThat(hbase.indexed()).hasSize(3);
    }

    @Test
    void aRowThatMatchesByAnEntryInFlightIsFoundOnce() throws IOException {
        IndexedTable table = table(IndexScheme.ASYNC_SIMPLE);
        put("r1", "ORD");
        put("r1", "ORF");
        put("r2", "ORE");
        hbase.deliver(hbase.queue.get(0));
        hbase.deliver(hbase.queue.get(3));
        put("r2", "ORA");
        hbase.queue.remove(hbase.queue.size() - 1);

        IndexQuery query =
                IndexQuery.index("by_origin").from("OR").to("OS").withRows().build();

        assertThat(texts(table, query)).containsExactly("[ORF] -> r1@1002", "[ORA] -> r2@1004");
        hbase.deliver(hbase.queue.get(1));
        assertThat(texts(table, query)).containsExactly("[ORA] -> r2@1004", "[ORF] -> r1@1002");
    }

    @Test
    void keepsAnEntryUntilItsSuccessorHasArrived() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        put("r1", "ORD");
        hbase.holds = true;
        put("r1", "LAX");
        assertThat(rows(table, IndexQuery.index("by_origin").equalTo("ORD"))).isEmpty();
        hbase.awaitReport();
        assertThat(rows(table, IndexQuery.index("by_origin"))).containsExactly("r1");
        hbase.deliverAll();
        assertThat(rows(table, IndexQuery.index("by_origin"))).containsExactly("r1");
        hbase.awaitIndexed(hbase.expected());
    }

    /** The last one is read at one moment. */
    @Test
    void eachValueOfAnInButTheLastIsReadOnceMoreInEitherDirection() throws IOException {
        for (boolean isReverse : List.of(false, true)) {
            IndexedTable table = table(IndexScheme.SYNC_FULL);
            put("r1", "ATL");
            put("r2", "LAX");
            put("r3", "ORD");
            IndexQuery.Builder query = IndexQuery.index("by_origin").in("ATL", "LAX", "ORD");
            assertThat(rows(table, isReverse ? query.reverse() : query)).hasSize(3);
            assertThat(hbase.calls).hasSize(3 + 2);
        }
    }

    @Test
    void theDoubleCheckReadsEntriesOnlyForRowsThatMatchByAnotherEntry() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        put("r1", "ORD");
        put("r1", "ORF");
        assertThat(rows(table, IndexQuery.index("by_origin").from("OR"))).containsExactly("r1");
        assertThat(hbase.callsToRead()).containsExactly("scan limit -1", "get", "get entries");
    }

    @Test
    void aRowThatMovesBehindTheScanIsFound() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        for (int i = 0; i < 100; i++) {
            put(String.format("r%03d", i), String.format("v%03d", i));
        }
        put("moves", "v050x");
        List<String> found = rowsOfScan(table, 10, 15, () -> put("moves", "v001x"));
        assertThat(found).hasSize(101).doesNotHaveDuplicates().contains("moves");
        found.remove("moves");
        assertThat(found).isSorted();
        assertThat(rows(table, IndexQuery.index("by_origin"))).hasSize(101);
    }

    @Test
    void aRowThatMovesIsFoundEvenIfTheScanMeetsNothingElse() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_FULL);
        hbase.regionStarts.add(Bytes.toBytes("m"));
        put("moves", "x");
        hbase.beforeRegion.put("m", () -> put("moves", "c"));
        assertThat(rows(table, IndexQuery.index("by_origin"))).containsExactly("moves");
    }

    @Test
    void aRowThatMovesToARegionInWhichTheScanHasFoundNothingIsFound() throws IOException {
        for (IndexScheme scheme : List.of(IndexScheme.SYNC_INSERT, IndexScheme.SYNC_FULL)) {
            IndexedTable table = table(scheme);
            hbase.regionStarts.add(Bytes.toBytes("m"));
            put("moves", "c");
            hbase.beforeLookUp = () -> put("moves", "x");
            assertThat(rows(table, IndexQuery.index("by_origin").withRows()))
                    .as("by an index of scheme %s", scheme)
                    .containsExactly("moves");
        }
    }

    /**
     * HBase's client has read the first region to its end and is about to open the second, at the end key of the first.
     * They merge, and then the row moves, once, from the second to behind all that the scan has met of the first.
     */
    @Test
    void aRowThatMovesToARegionThatWasReadAndHasMergedWithTheNextIsFound() throws IOException {
        SoftAssertions found = new SoftAssertions();
        for (IndexScheme scheme : List.of(IndexScheme.SYNC_INSERT, IndexScheme.SYNC_FULL)) {
            for (boolean isAnyMet : List.of(true, false)) {
                IndexedTable table = table(scheme);
                hbase.regionStarts.add(Bytes.toBytes("m"));
                if (isAnyMet) {
                    put("still1", "a");
                }
                put("moves", "x");
                put("still2", "y");
                hbase.beforeRegion.put("m", () -> {
                    hbase.regionStarts.remove(Bytes.toBytes("m"));
                    put("moves", "c");
                });
                found.assertThat(rows(table, IndexQuery.index("by_origin")))
                        .as("by an index of scheme %s, which has met a row of the first region: %s", scheme, isAnyMet)
                        .contains("moves");
            }
        }
        found.assertAll();
    }

    @Test
    void aRowThatMovesAheadWithinARegionIsFoundEvenIfTheScanDoesNotSeeItThere() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        putMany();
        put("moves", "v05x");
        List<String> found = rowsOfScan(table, 2, 2, () -> put("moves", "v08x"));
        assertThat(found).hasSize(11).doesNotHaveDuplicates().contains("moves");
    }

    @Test
    void aRowThatWasFoundAtItsOldEntryIsNotFoundAgainWhenItMovesOn() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        hbase.regionStarts.add(Bytes.toBytes("w"));
        putMany();
        put("moves", "v05x");
        hbase.beforeRegion.put("w", () -> put("moves", "w"));
        List<String> found = rowsOfScan(table, 2, 2, () -> put("moves", "v08x"));
        assertThat(found).hasSize(11).doesNotHaveDuplicates().contains("moves");
    }

    @Test
    void aRowThatMovesToARegionWhoseRowsAreLoadedIsFound() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        hbase.regionStarts.add(Bytes.toBytes("m"));
        hbase.mostRowsOfALoad = 2;
        put("still1", "a");
        put("still2", "b");
        put("moves", "c");
        put("still3", "y");
        hbase.beforeLookUp = () -> put("moves", "x");
        assertThat(rows(table, IndexQuery.index("by_origin").caching(3)))
                .containsExactly("still1", "still2", "moves", "still3");
    }

    /** A write that is lost in a crash may already have put its entry, replacing the one of the row's present value. */
    @Test
    void aRowIsFoundOnceEvenIfALostWriteReplacedItsEntry() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        put("row", "c");
        put("row", "b");
        hbase.lose(putOf("row", "b"));
        assertThat(rows(table, IndexQuery.index("by_origin"))).containsExactly("row");
    }

    @Test
    void aRowThatDoesNotMoveIsFoundOnceHoweverManyOldEntriesItHas() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        putMany();
        for (String value : List.of("v01x", "v09x", "v03x", "v07x", "v05x")) {
            put("moved", value);
        }
        for (int caching : new int[] {1, 2, 100}) {
            List<String> found = new ArrayList<>();
            try (IndexScanner hits = table.getByIndex(
                    IndexQuery.index("by_origin").caching(caching).build())) {
                take(hits, Integer.MAX_VALUE, found);
            }
            assertThat(found)
                    .containsExactly("r00", "r01", "r02", "r03", "r04", "r05", "moved", "r06", "r07", "r08", "r09");
        }
    }

    @Test
    void aRowThatMovesToAndFroIsFoundAndNoPresentEntryIsReported() throws IOException {
        for (int caching : new int[] {1, 2, 3, 5, 100}) {
            for (int step = 0; step < 12; step++) {
                IndexedTable table = table(IndexScheme.SYNC_INSERT);
                putMany();
                put("flips", "v02x");
                put("flips", "v06x");
                List<String> found = new ArrayList<>();
                try (IndexScanner hits = table.getByIndex(
                        IndexQuery.index("by_origin").caching(caching).build())) {
                    take(hits, step, found);
                    put("flips", "v02x");
                    take(hits, 2, found);
                    put("flips", "v06x");
                    take(hits, Integer.MAX_VALUE, found);
                }
                assertThat(found).as("caching %s, step %s", caching, step).contains("flips");
                assertThat(hbase.indexed()).containsAll(hbase.expected());
            }
        }
    }

    @Test
    void looksUpEachRowOfAPageOnce() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        put("r1", "v1");
        put("r1", "v2");
        put("r1", "v3");
        assertThat(rows(table, IndexQuery.index("by_origin"))).containsExactly("r1");
        assertThat(hbase.rowsLookedUp).isEqualTo(1);
    }

    @Test
    void aReadOfRowsThatTheirRegionRemembersLooksNothingUp() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        hbase.remembers = true;
        putRows(40, "ORD");
        putRows(3, "LAX");
        assertThat(rows(table, IndexQuery.index("by_origin").equalTo("ORD"))).hasSize(37);
        assertThat(hbase.rowsLookedUp).as("rows that have moved").isEqualTo(3);
    }

    @Test
    void withRowsReturnsWholeRowsAlsoIfTheirRegionRemembersThem() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        hbase.remembers = true;
        putRows(40, "ORD");
        try (IndexScanner hits =
                table.getByIndex(IndexQuery.index("by_origin").withRows().build())) {
            for (IndexHit hit : hits) {
                assertThat(hit.result().getRow()).isEqualTo(hit.row());
                assertThat(hit.result().rawCells()).hasSize(2);
            }
        }
        assertThat(hbase.rowsLookedUp).isEqualTo(40);
    }

    @Test
    void readsByAnIndexLearnFromEachOtherThatItsRowsAreNotRemembered() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        putRows(40, "ORD");
        for (int read = 0; read < 20; read++) {
            assertThat(rows(table, IndexQuery.index("by_origin"))).hasSize(40);
        }
        assertThat(hbase.checks).as("of reads 1, 3, 6, 11 and 20").isEqualTo(5);
    }

    @Test
    void regionsAreNotAskedAboutIndexesWithoutStaleEntries() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_FULL);
        putRows(40, "ORD");
        assertThat(rows(table, IndexQuery.index("by_origin"))).hasSize(40);
        assertThat(hbase.checks).isZero();
    }

    private void putMany() {
        for (int i = 0; i < 10; i++) {
            put(String.format("r%02d", i), String.format("v%02d", i));
        }
    }

    /** Returns the rows that a scan finds if an action runs after it has returned some. */
    private static List<String> rowsOfScan(IndexedTable table, int caching, int returned, Runnable event)
            throws IOException {
        List<String> found = new ArrayList<>();
        try (IndexScanner hits =
                table.getByIndex(IndexQuery.index("by_origin").caching(caching).build())) {
            take(hits, returned, found);
            event.run();
            take(hits, Integer.MAX_VALUE, found);
        }
        return found;
    }

    private static void take(IndexScanner hits, int most, List<String> found) throws IOException {
        for (int i = 0; i < most; i++) {
            IndexHit hit = hits.next();
            if (hit == null) {
                return;
            }
            found.add(Bytes.toString(hit.row()));
        }
    }

    @Test
    void aScannerIteratesOverTheRemainingHits() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_FULL);
        putRows(3, "ORD");
        IndexScanner hits = table.getByIndex(IndexQuery.index("by_origin").build());
        List<String> rows = new ArrayList<>();
        hits.next();
        for (IndexHit hit : hits) {
            rows.add(Bytes.toString(hit.row()));
        }
        assertThat(rows).containsExactly("r01", "r02");
        hits.close();
        hits.close();
        assertThatThrownBy(hits::next).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aScanOfADroppedIndexNamesIt() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_FULL);
        hbase.failures.put("scan limit -1", new TableNotFoundException("flights.by_origin"));
        try (IndexScanner hits = table.getByIndex(IndexQuery.index("by_origin").build())) {
            assertThatThrownBy(() -> hits.iterator().hasNext())
                    .isInstanceOf(UncheckedIOException.class)
                    .hasCauseInstanceOf(NoSuchIndexException.class)
                    .hasMessageContaining("by_origin");
        }
    }

    /** The second read of the regions that were read first does not read the other index either. */
    @Test
    void doesNotReadAnIndexThatReplacedItsIndexDuringTheScan() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_FULL);
        hbase.regionStarts.add(Bytes.toBytes("M"));
        put("r1", "LAX");
        put("r2", "ORD");
        IndexQuery query = IndexQuery.index("by_origin").caching(1).build();
        try (IndexScanner hits = table.getByIndex(query)) {
            assertThat(hits.next().text()).containsExactly("LAX");
            assertThat(hits.next().text()).containsExactly("ORD");
            hbase.replaced = true;
            put("r3", "JFK");
            assertThatThrownBy(hits::next).isInstanceOf(NoSuchIndexException.class);
        }
    }

    /** The present entry of a row that moves is looked up where the scan has been. */
    @Test
    void doesNotLookUpEntriesInAnIndexThatReplacedItsIndexDuringTheScan() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        for (int i = 0; i < 100; i++) {
            put(String.format("r%03d", i), String.format("v%03d", i));
        }
        put("moves", "v050x");
        assertThatThrownBy(() -> rowsOfScan(table, 10, 15, () -> {
                    hbase.replaced = true;
                    put("moves", "v001x");
                }))
                .isInstanceOf(NoSuchIndexException.class);
    }

    /** The reader has cached the definition of before, and is refused by its table. */
    @Test
    void aQueryGoesOverToTheNewColumnsOfItsIndex() throws IOException {
        IndexDefinition before = definition(IndexScheme.SYNC_FULL);
        IndexDefinition shadow = byCarrier().asShadowOf(before);
        hbase = new FakeHBase(shadow);
        hbase.defined = List.of(before, shadow);
        IndexedTable table = new IndexedTable(hbase.connection, FLIGHTS);
        assertThat(table.getIndex("by_origin")).as("nobody reads a shadow").isEqualTo(before);
        put("r1", "ORD");
        hbase.defined = List.of(before.withRole(IndexRole.RETIRED), shadow.withRole(IndexRole.IN_SERVICE));
        hbase.refuseReadersOf(before);
        assertThat(rows(table, IndexQuery.index("by_origin").equalTo("UA"))).containsExactly("r1");
        assertThat(table.getIndex("by_origin")).isEqualTo(shadow.withRole(IndexRole.IN_SERVICE));
    }

    /** The drop of the index has begun, and was interrupted: its definition is still there. */
    @Test
    void aQueryGoesOverOnce() throws IOException {
        IndexDefinition before = definition(IndexScheme.SYNC_FULL);
        IndexDefinition shadow = byCarrier().asShadowOf(before);
        hbase = new FakeHBase(shadow);
        hbase.defined = List.of(before);
        hbase.refuseReadersOf(before);
        IndexedTable table = new IndexedTable(hbase.connection, FLIGHTS);
        try (IndexScanner hits = table.getByIndex(IndexQuery.index("by_origin").build())) {
            hbase.defined = List.of(shadow.withRole(IndexRole.IN_SERVICE));
            hbase.replaced = true;
            assertThatThrownBy(hits::next).isInstanceOf(NoSuchIndexException.class);
        }
    }

    @Test
    void aQueryThatDoesNotFitTheNewColumnsIsToldSo() throws IOException {
        IndexDefinition before = definition(IndexScheme.SYNC_FULL);
        IndexDefinition shadow = IndexDefinition.builder(FLIGHTS, "by_origin")
                .column("f", "delay", ColumnTypes.INT)
                .build()
                .asShadowOf(before);
        hbase = new FakeHBase(shadow);
        hbase.defined = List.of(before);
        hbase.refuseReadersOf(before);
        IndexedTable table = new IndexedTable(hbase.connection, FLIGHTS);
        try (IndexScanner hits =
                table.getByIndex(IndexQuery.index("by_origin").equalTo("ORD").build())) {
            hbase.defined = List.of(shadow.withRole(IndexRole.IN_SERVICE));
            assertThatThrownBy(hits::next).isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** The reader has cached the definition of before, by which the query has one value too many. */
    @Test
    void aQueryThatFitsOnlyTheNewColumnsUsesThem() throws IOException {
        IndexDefinition before = definition(IndexScheme.SYNC_FULL);
        IndexDefinition shadow = IndexDefinition.builder(FLIGHTS, "by_origin")
                .column("f", "origin", ColumnTypes.STRING)
                .column("f", "carrier", ColumnTypes.STRING)
                .build()
                .asShadowOf(before);
        IndexedTable table = tableThatKnew(before, shadow);
        put("r1", "ORD");
        assertThat(rows(table, IndexQuery.index("by_origin").equalTo("ORD", "UA")))
                .containsExactly("r1");
    }

    /** Nothing is between the two bounds as text; as numbers there is. */
    @Test
    void aQueryThatHasHitsOnlyByTheNewColumnsUsesThem() throws IOException {
        IndexDefinition before = definition(IndexScheme.SYNC_FULL);
        IndexDefinition shadow = IndexDefinition.builder(FLIGHTS, "by_origin")
                .column("f", "delay", ColumnTypes.INT)
                .build()
                .asShadowOf(before);
        IndexedTable table = tableThatKnew(before, shadow);
        IndexQuery query = IndexQuery.index("by_origin")
                .from(Bytes.toBytes(-5))
                .to(Bytes.toBytes(5))
                .build();
        try (IndexScanner hits = table.getByIndex(query)) {
            assertThat(hits.next()).isNull();
        }
        assertThat(table.getIndex("by_origin")).isEqualTo(shadow.withRole(IndexRole.IN_SERVICE));
    }

    /** It is a value of the former columns too, though with other bytes. */
    @Test
    void aValueAsTextIsParsedByTheNewColumns() throws IOException {
        IndexDefinition before = definition(IndexScheme.SYNC_FULL);
        IndexDefinition shadow = IndexDefinition.builder(FLIGHTS, "by_origin")
                .column("f", "delay", ColumnTypes.INT)
                .column("f", "carrier", ColumnTypes.STRING)
                .build()
                .asShadowOf(before);
        IndexedTable table = tableThatKnew(before, shadow);
        hbase.write(putOf("r1", "ORD").addColumn(FakeHBase.F, Bytes.toBytes("delay"), Bytes.toBytes(5)));
        try (IndexScanner hits = table.getByIndex(
                IndexQuery.index("by_origin").equalTo(IndexQuery.ofText("5")).build())) {
            IndexHit hit = hits.next();
            assertThat(hit.text()).containsExactly("5", "UA");
            assertThat(hit.columns()).isEqualTo(shadow.keyColumns());
        }
    }

    /** Returns a client that has read the definitions before readers went over. */
    private IndexedTable tableThatKnew(IndexDefinition before, IndexDefinition shadow) throws IOException {
        hbase = new FakeHBase(shadow);
        hbase.defined = List.of(before, shadow);
        IndexedTable table = new IndexedTable(hbase.connection, FLIGHTS);
        assertThat(table.getIndex("by_origin")).isEqualTo(before);
        hbase.defined = List.of(shadow.withRole(IndexRole.IN_SERVICE));
        hbase.refuseReadersOf(before);
        return table;
    }

    /** Entries of other columns have another order, so that nothing tells which of them the scan has met. */
    @Test
    void aScanThatHasFoundSomethingDoesNotGoOver() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_FULL);
        hbase.regionStarts.add(Bytes.toBytes("M"));
        put("r1", "LAX");
        put("r2", "ORD");
        IndexQuery query = IndexQuery.index("by_origin").caching(1).build();
        try (IndexScanner hits = table.getByIndex(query)) {
            assertThat(hits.next().text()).containsExactly("LAX");
            hbase.defined = List.of(byCarrier().asShadowOf(hbase.definition).withRole(IndexRole.IN_SERVICE));
            hbase.replaced = true;
            put("r3", "JFK"); // so that the scan looks a second time at what it has passed
            assertThatThrownBy(() -> {
                        hits.next();
                        hits.next();
                    })
                    .isInstanceOf(NoSuchIndexException.class)
                    .hasMessageContaining("or its columns were changed; the read is not complete");
        }
    }

    private static IndexDefinition byCarrier() {
        return IndexDefinition.builder(FLIGHTS, "by_origin")
                .column("f", "carrier", ColumnTypes.STRING)
                .build();
    }

    @Test
    void aLookupInADroppedIndexNamesIt() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        put("r1", "ORD");
        put("r1", "LAX");
        hbase.failures.put("get entries", new TableNotFoundException("flights.by_origin"));
        assertThatThrownBy(() -> rowsOfScan(table, 10, 0, () -> {}))
                .isInstanceOf(NoSuchIndexException.class)
                .hasMessageContaining("by_origin");
    }

    @Test
    void refusesAnUnknownIndexAndABuildingOne() throws IOException {
        assertThatThrownBy(() -> table(IndexScheme.SYNC_FULL)
                        .getByIndex(IndexQuery.index("by_dest").build()))
                .isInstanceOf(NoSuchIndexException.class)
                .hasMessageContaining("by_dest")
                .hasMessageContaining("flights");
        IndexedTable building = table(IndexScheme.SYNC_FULL);
        hbase.failures.put("scan limit -1", new IndexNotReadableException("the index is BUILDING"));
        try (IndexScanner scanner =
                building.getByIndex(IndexQuery.index("by_origin").build())) {
            assertThatThrownBy(scanner::next)
                    .isInstanceOf(IndexNotReadableException.class)
                    .hasMessage("the index is BUILDING");
        }
    }

    private static IndexDefinition definition(IndexScheme scheme) {
        return IndexDefinition.builder(FLIGHTS, "by_origin")
                .column("f", "origin", ColumnTypes.STRING)
                .scheme(scheme)
                .build();
    }

    private IndexedTable table(IndexScheme scheme) throws IOException {
        hbase = new FakeHBase(definition(scheme));
        return new IndexedTable(hbase.connection, FLIGHTS);
    }

    private void put(String row, String origin) {
        hbase.write(putOf(row, origin));
    }

    private static Put putOf(String row, String origin) {
        return new Put(Bytes.toBytes(row))
                .addColumn(FakeHBase.F, Bytes.toBytes("origin"), Bytes.toBytes(origin))
                .addColumn(FakeHBase.F, Bytes.toBytes("carrier"), Bytes.toBytes("UA"));
    }

    private void putRows(int count, String origin) {
        for (int i = 0; i < count; i++) {
            put(String.format("r%02d", i), origin);
        }
    }

    private static List<String> rows(IndexedTable table, IndexQuery.Builder query) throws IOException {
        List<String> rows = new ArrayList<>();
        try (IndexScanner hits = table.getByIndex(query.build())) {
            for (IndexHit hit : hits) {
                rows.add(Bytes.toString(hit.row()));
            }
        }
        return rows;
    }

    private static List<String> texts(IndexedTable table, IndexQuery query) throws IOException {
        List<String> texts = new ArrayList<>();
        try (IndexScanner hits = table.getByIndex(query)) {
            hits.forEach(hit -> texts.add(hit.toString()));
        }
        return texts;
    }
}
