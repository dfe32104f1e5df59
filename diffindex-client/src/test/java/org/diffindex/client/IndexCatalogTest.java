package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexState;
import org.junit.jupiter.api.Test;

class IndexCatalogTest {
    private static final IndexDefinition BUILDING = IndexDefinition.builder(TableName.valueOf("t"), "by_v")
            .column("f", "v", ColumnTypes.STRING)
            .build();
    private static final IndexDefinition ACTIVE = BUILDING.withState(IndexState.ACTIVE);

    private Map<String, IndexDefinition> stored = Map.of("by_v", ACTIVE);
    private int readings;
    private long nanos;

    private final IndexCatalog catalog = new IndexCatalog(
            TableName.valueOf("t"),
            () -> {
                readings++;
                return stored;
            },
            () -> nanos);

    @Test
    void remembersForAShortTime() throws IOException {
        assertThat(catalog.readable("by_v")).isEqualTo(ACTIVE);
        nanos += IndexCatalog.KEEP.toNanos() - 1;
        assertThat(catalog.readable("by_v")).isEqualTo(ACTIVE);
        assertThat(readings).isEqualTo(1);
        nanos += 1;
        assertThat(catalog.readable("by_v")).isEqualTo(ACTIVE);
        assertThat(readings).isEqualTo(2);
    }

    @Test
    void looksAgainBeforeItSaysThatAnIndexIsUnknownOrBuilding() throws IOException {
        stored = Map.of();
        assertThat(catalog.definitions()).isEmpty();
        stored = Map.of("by_v", BUILDING);
        assertThatThrownBy(() -> catalog.readable("by_v")).isInstanceOf(IndexNotReadableException.class);
        stored = Map.of("by_v", ACTIVE);
        assertThat(catalog.readable("by_v")).isEqualTo(ACTIVE);
        assertThatThrownBy(() -> catalog.readable("by_w")).isInstanceOf(NoSuchIndexException.class);
        assertThat(readings).isEqualTo(4);
    }
}
