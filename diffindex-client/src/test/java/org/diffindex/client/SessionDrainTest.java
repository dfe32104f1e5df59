package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;

/** Tests that a session can forget delivered changes whatever indexes were dropped since it was opened. */
class SessionDrainTest {
    private final Map<String, IndexDefinition> present = new HashMap<>();
    private final List<List<String>> drained = new ArrayList<>();
    private final SessionDrain drain = new SessionDrain(
            new IndexCatalog(TableName.valueOf("t"), () -> Map.copyOf(present)), (indexes, timeout) -> {
                if (!present.keySet().containsAll(indexes)) {
                    throw new DoNotRetryIOException("Not drained; the region has other indexes");
                }
                drained.add(List.copyOf(indexes));
                return DrainResult.DRAINED;
            });

    private void create(String name, IndexScheme scheme) {
        present.put(
                name,
                IndexDefinition.builder(TableName.valueOf("t"), name)
                        .column("f", name, ColumnTypes.STRING)
                        .scheme(scheme)
                        .build());
    }

    @Test
    void waitsOnlyForAsyncSessionIndexes() throws IOException {
        create("a", IndexScheme.ASYNC_SESSION);
        create("b", IndexScheme.ASYNC_SIMPLE);
        assertThat(drain.drained()).isTrue();
        assertThat(drained).containsExactly(List.of("a"));
    }

    @Test
    void doesNotWaitForAnIndexThatWasDropped() throws IOException {
        create("a", IndexScheme.ASYNC_SESSION);
        create("b", IndexScheme.ASYNC_SESSION);
        assertThat(drain.drained()).isTrue();
        drained.clear();
        present.remove("a");
        assertThat(drain.drained()).isTrue();
        assertThat(drained).containsExactly(List.of("b"));
        present.remove("b");
        assertThat(drain.drained()).isTrue();
    }

    @Test
    void reportsAFailureThatNoDropExplains() throws IOException {
        create("a", IndexScheme.ASYNC_SESSION);
        SessionDrain failing = new SessionDrain(
                new IndexCatalog(TableName.valueOf("t"), () -> Map.copyOf(present)), (indexes, timeout) -> {
                    throw new IOException("away");
                });
        assertThatThrownBy(failing::drained).hasMessage("away");
    }
}
