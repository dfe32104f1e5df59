package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
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
