package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;

/** Tests queries that name the columns of the base rows. */
class RowColumnsTest {
    private static final IndexDefinition INDEX = IndexDefinition.builder(TableName.valueOf("flights"), "by_origin")
            .column("f", "origin", ColumnTypes.STRING)
            .scheme(IndexScheme.SYNC_INSERT)
            .build();

    private static Put flight(String row, String origin, String... notes) {
        Put put = new Put(Bytes.toBytes(row)).addColumn(FakeHBase.F, Bytes.toBytes("origin"), Bytes.toBytes(origin));
        for (String note : notes) {
            put.addColumn(FakeHBase.F, Bytes.toBytes(note), Bytes.toBytes("of " + row));
        }
        return put;
    }

    private static List<String> columns(Result row) {
        return Arrays.stream(row.isEmpty() ? new Cell[0] : row.rawCells())
                .map(cell -> Bytes.toString(CellUtil.cloneQualifier(cell)))
                .toList();
    }

    /** The entry is checked by a column that the user did not ask for. */
    @Test
    void aHitHasTheColumnsThatWereAskedFor() throws IOException {
        FakeHBase hbase = new FakeHBase(INDEX);
        hbase.write(flight("r1", "ORD", "dest", "note"));
        hbase.write(flight("r2", "LAX", "dest"));
        hbase.write(flight("r2", "ORD"));
        hbase.write(flight("r3", "LAX", "dest"));
        hbase.write(flight("r4", "ORD"));
        List<String> found = new ArrayList<>();
        try (IndexedTable table = new IndexedTable(hbase.connection, INDEX.table());
                IndexScanner hits = table.getByIndex(IndexQuery.index("by_origin")
                        .equalTo("ORD")
                        .withRows("f:dest")
                        .build())) {
            for (IndexHit hit : hits) {
                found.add(Bytes.toString(hit.row()) + columns(hit.result()));
            }
        }
        assertThat(found).containsExactly("r1[dest]", "r2[dest]", "r4[]");
    }

    @Test
    void asksForTheColumnsOfTheIndexToo() {
        Get get = RowColumns.of("f:dest", "g").askFor(INDEX, new Get(Bytes.toBytes("r")));
        assertThat(get.getFamilyMap().get(FakeHBase.F))
                .containsExactlyInAnyOrder(Bytes.toBytes("origin"), Bytes.toBytes("dest"));
        assertThat(get.getFamilyMap().get(Bytes.toBytes("g"))).isNull();
        assertThat(get.numFamilies()).isEqualTo(2);
    }

    @Test
    void aFamilyIsWholeWhateverColumnOfItIsNamed() {
        for (RowColumns columns : List.of(RowColumns.of("f", "f:dest"), RowColumns.of("f:dest", "f"))) {
            Get get = columns.askFor(INDEX, new Get(Bytes.toBytes("r")));
            assertThat(get.getFamilyMap()).containsKey(FakeHBase.F);
            assertThat(get.getFamilyMap().get(FakeHBase.F)).isNull();
        }
    }

    @Test
    void allColumnsNeedNoNames() {
        IndexQuery named = IndexQuery.index("i").withRows("f:a", "g").build();
        assertThat(named.isWithRows()).isTrue();
        assertThat(named.rowColumnNames()).containsExactly("f:a", "g");
        IndexQuery all = IndexQuery.index("i").withRows("f:a").withRows().build();
        assertThat(all.isWithRows()).isTrue();
        assertThat(all.rowColumnNames()).isEmpty();
        assertThat(RowColumns.ALL.askFor(INDEX, new Get(Bytes.toBytes("r"))).hasFamilies())
                .isFalse();
    }

    @Test
    void refusesWhatIsNoColumnWhenTheQueryIsBuilt() {
        IndexQuery.Builder query = IndexQuery.index("i");
        for (String wrong : List.of("", ":a", "f:a:int", "f:\\a")) {
            assertThatThrownBy(() -> query.withRows("f:b", wrong))
                    .as(wrong)
                    .isInstanceOf(InvalidQueryException.class)
                    .hasMessageContaining("family:qualifier")
                    .hasMessageContaining("'" + wrong + "'");
        }
        assertThatThrownBy(() -> query.withRows(new String[0]))
                .isInstanceOf(InvalidQueryException.class)
                .hasMessageContaining("withRows()");
        assertThat(query.build().isWithRows()).isFalse();
    }
}
