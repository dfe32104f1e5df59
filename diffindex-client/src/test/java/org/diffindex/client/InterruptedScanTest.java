package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;

/** Tests reads by index that need more than one HBase scan, and the reports of a large one. */
class InterruptedScanTest {
    private FakeHBase hbase;

    /**
     * The second scan, which starts after the limit, reads the rest of the region at a later read point, and meets
     * nothing there.
     */
    @Test
    void aRowThatMovesBetweenTheScanWithALimitAndTheNextOneIsFound() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_FULL);
        put("leaves", "a");
        put("still", "b");
        put("moves", "m");
        List<String> found = new ArrayList<>();
        try (IndexScanner hits = table.getByIndex(IndexQuery.index("by_value")
                .from("a")
                .to("y")
                .limit(2)
                .withRows()
                .build())) {
            hbase.beforeLookUp = () -> put("leaves", "z");
            take(hits, 1, found);
            put("moves", "aa");
            take(hits, 9, found);
        }
        assertThat(found).containsExactly("still", "moves");
    }

    /** After an error the scanner may be used again, and continues where it was. */
    @Test
    void anErrorDoesNotLoseWhatASecondScanHasRead() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_FULL);
        hbase.regionStarts.add(Bytes.toBytes("m"));
        put("still", "a");
        put("still2", "n");
        put("moves", "x");
        hbase.beforeRegion.put("m", () -> put("moves", "c"));
        hbase.failures.put("get entries", new IOException("moved"));
        List<String> found = new ArrayList<>();
        int failures = 0;
        try (IndexScanner hits = table.getByIndex(IndexQuery.index("by_value").build())) {
            for (int i = 0; i < 10; i++) {
                try {
                    take(hits, 1, found);
                } catch (IOException e) {
                    failures++;
                }
            }
        }
        assertThat(failures).isEqualTo(1);
        assertThat(found).containsExactly("still", "still2", "moves");
    }

    @Test
    void anErrorDoesNotLoseARangeThatIsToBeReadAgain() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_FULL);
        hbase.regionStarts.add(Bytes.toBytes("m"));
        put("still", "a");
        put("moves", "x");
        hbase.beforeRegion.put("m", () -> {
            put("moves", "c");
            hbase.failures.put("scan limit -1", new IOException("moved"));
        });
        List<String> found = new ArrayList<>();
        try (IndexScanner hits = table.getByIndex(IndexQuery.index("by_value").build())) {
            assertThatThrownBy(() -> take(hits, 9, found)).hasMessage("moved");
            take(hits, 9, found);
        }
        assertThat(found).containsExactly("still", "moves");
    }

    /**
     * The scan in reverse expects the moved row at its new key, does not meet it there, because its scanner is older, and reads the
     * last page together with an entry that was put where it had read before.
     */
    @Test
    void aTokenDoesNotGoBackIfAPageEndsWithALateEntry() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        hbase.regionStarts.add(Bytes.toBytes("m"));
        for (String key : List.of("a", "b", "d", "n", "o", "p")) {
            put("still " + key, key);
        }
        put("moves", "k");
        hbase.beforeLookUp = () -> {
            put("moves", "c");
            put("late", "z");
        };
        IndexQuery.Builder query = IndexQuery.index("by_value").reverse().caching(4);
        List<String> found = new ArrayList<>();
        String token;
        try (IndexScanner hits = table.getByIndex(query.build())) {
            take(hits, 9, found);
            token = hits.token();
        }
        assertThat(found)
                .containsExactly("still p", "still o", "still n", "still d", "moves", "still b", "still a", "late");
        try (IndexScanner hits = table.getByIndex(query.after(token).build())) {
            assertThat(hits.next()).as("a hit of the next page").isNull();
        }
    }

    /**
     * HBase's client opened the second region to complete a result, while the row would have been met after the last
     * entry.
     */
    @Test
    void aRowThatLeftAKeyAfterTheLastEntryIsFound() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        hbase.regionStarts.add(Bytes.toBytes("m"));
        hbase.mostRowsOfALoad = 2;
        put("still1", "a");
        put("still2", "b");
        put("moves", "c");
        put("still3", "n");
        hbase.beforeLookUp = () -> put("moves", "x");
        List<String> found = new ArrayList<>();
        try (IndexScanner hits =
                table.getByIndex(IndexQuery.index("by_value").caching(3).build())) {
            take(hits, 9, found);
        }
        assertThat(found).containsExactly("still1", "still2", "still3", "moves");
    }

    /** The scan met an older entry at the row's present key while the row was outside the range. */
    @Test
    void aRowThatReturnsToAKeyThatTheScanHasPassedIsFound() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        put("moves", "b");
        put("moves", "m");
        put("moves", "zz");
        put("still", "c");
        List<String> found = new ArrayList<>();
        try (IndexScanner hits = table.getByIndex(
                IndexQuery.index("by_value").from("a").to("z").caching(1).build())) {
            take(hits, 1, found);
            put("moves", "b");
            take(hits, 9, found);
        }
        assertThat(found).containsExactly("still", "moves");
    }

    /** It has not moved: its entry is at the key at which the scan has returned it. */
    @Test
    void aRowThatIsWrittenAgainWithTheSameValueIsReturnedOnce() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        put("still", "m");
        put("still", "a");
        put("other", "z");
        List<String> found = new ArrayList<>();
        try (IndexScanner hits =
                table.getByIndex(IndexQuery.index("by_value").caching(1).build())) {
            take(hits, 1, found);
            put("still", "a");
            take(hits, 9, found);
        }
        assertThat(found).containsExactly("still", "other");
    }

    /** As after a write that ended delayed. */
    @Test
    void aRowIsReturnedOnceAlthoughItsLastEntryIsNotInTheIndexYet() throws IOException {
        for (String past : List.of("a", "x")) {
            IndexedTable table = table(IndexScheme.SYNC_INSERT);
            put("still", past);
            put("still", "m");
            put("other", "n");
            hbase.holds = true;
            put("still", past);
            List<String> found = new ArrayList<>();
            try (IndexScanner hits =
                    table.getByIndex(IndexQuery.index("by_value").build())) {
                take(hits, 9, found);
            }
            assertThat(found)
                    .as("at " + past)
                    .containsExactlyElementsOf(
                            past.equals("a") ? List.of("still", "other") : List.of("other", "still"));
        }
    }

    /** A region accepts 10,000 entries at a time. */
    @Test
    void reportsAPageWithVeryManyStaleEntries() throws IOException {
        IndexedTable table = table(IndexScheme.SYNC_INSERT);
        for (int i = 0; i < 10_001; i++) {
            put(String.format("r%06d", i), "a");
            put(String.format("r%06d", i), "x");
        }
        List<String> found = new ArrayList<>();
        try (IndexScanner hits = table.getByIndex(
                IndexQuery.index("by_value").equalTo("a").caching(20_000).build())) {
            take(hits, 1, found);
        }
        hbase.awaitReport();
        table.close();
        hbase.awaitIndexed(hbase.expected());
    }

    private void put(String row, String value) {
        hbase.write(new Put(Bytes.toBytes(row)).addColumn(FakeHBase.F, Bytes.toBytes("value"), Bytes.toBytes(value)));
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

    private IndexedTable table(IndexScheme scheme) throws IOException {
        hbase = new FakeHBase(IndexDefinition.builder(TableName.valueOf("t"), "by_value")
                .column("f", "value", ColumnTypes.STRING)
                .scheme(scheme)
                .build());
        return new IndexedTable(hbase.connection, hbase.definition.table());
    }
}
