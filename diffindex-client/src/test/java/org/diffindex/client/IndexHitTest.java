package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.junit.jupiter.api.Test;

/** Tests what a hit shows of the values that its entry includes. */
class IndexHitTest {
    private static final IndexDefinition COVERING = IndexDefinition.builder(TableName.valueOf("flights"), "by_origin")
            .column("f", "origin", ColumnTypes.STRING)
            .include("f", "delay", ColumnTypes.INT)
            .include("f", "gate", ColumnTypes.STRING)
            .build();

    private static Cell cell(String column, byte[] value) {
        return new KeyValue(new byte[] {'r'}, Bytes.toBytes("f"), Bytes.toBytes(column), 5, value);
    }

    private static IndexHit hit(IndexEntry entry) {
        IndexEntryFunction function = new IndexEntryFunction(COVERING);
        return new IndexHit(
                COVERING,
                function.codec().decode(entry.key()),
                entry,
                Optional.empty(),
                new FoundEntry(entry, 5, false));
    }

    private static IndexEntry entryOf(Cell... cells) {
        return new IndexEntryFunction(COVERING)
                .entryOf(new byte[] {'r'}, List.of(cells))
                .orElseThrow();
    }

    @Test
    void showsTheIncludedValuesAndWhichAreAbsent() {
        IndexHit hit = hit(entryOf(cell("origin", Bytes.toBytes("ORD")), cell("gate", new byte[0])));
        assertThat(hit.included("f", "delay")).isEmpty();
        assertThat(hit.included(Bytes.toBytes("f"), Bytes.toBytes("gate"))).contains(new byte[0]);
        assertThat(hit.included()).hasSize(2);
        assertThat(hit.values()).as("of the key").hasSize(1);
    }

    @Test
    void aColumnThatIsNotIncludedIsNotAbsent() {
        IndexHit hit = hit(entryOf(cell("origin", Bytes.toBytes("ORD"))));
        assertThatThrownBy(() -> hit.included("f", "origin"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Index by_origin does not include the column f:origin, only (f:delay:int,f:gate")
                .hasMessageContaining("withRows");
    }

    @Test
    void aDamagedEntryShowsNoValues() {
        IndexHit hit = hit(entryOf(cell("origin", Bytes.toBytes("ORD"))).withoutIncluded());
        assertThatThrownBy(() -> hit.included("f", "gate"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("of index by_origin of table flights holds other bytes")
                .hasMessageContaining("scrub the index with repair");
    }
}
