package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Index = f(visible base), after random sequences of every kind of write, with flushes and compactions between, on a real
 * region: at once under sync-full, after a drain under the asynchronous schemes; sync-insert may hold more.
 */
class RegionModelTest {
    private static final int SEQUENCES = 200;
    private static final int MOST_WRITES = 16;

    @TempDir
    Path folder;

    @ParameterizedTest
    @EnumSource
    void theIndexesHoldWhatTheBaseShows(RandomWrites.Times times) throws IOException {
        int versions = times == RandomWrites.Times.PAST ? 3 : 1;
        try (LocalRegion local = new LocalRegion(folder, versions, indexes())) {
            for (int sequence = 0; sequence < SEQUENCES; sequence++) {
                Random random = new Random(31L * sequence + times.name().hashCode());
                String rows = "s" + sequence + "-";
                RandomWrites writes = new RandomWrites(local.region(), random, rows, times);
                int count = 1 + random.nextInt(MOST_WRITES);
                for (int i = 0; i < count; i++) {
                    writes.next();
                }
                compare(local, rows, times + ", sequence " + sequence + ": " + writes.told());
            }
            compare(local, "", "all sequences of " + times);
        }
    }

    private static void compare(LocalRegion local, String rows, String told) throws IOException {
        for (IndexDefinition index : local.indexes()) {
            if (index.scheme() == IndexScheme.SYNC_FULL) {
                assertThat(entries(local, index, rows))
                        .as("%s after %s", index, told)
                        .isEqualTo(local.expected(index, rows));
            }
        }
        assertThat(local.drain()).isZero();
        for (IndexDefinition index : local.indexes()) {
            if (index.scheme().leavesStaleEntries()) {
                assertThat(entries(local, index, rows))
                        .as("%s after %s", index, told)
                        .containsAll(local.expected(index, rows));
            } else {
                assertThat(entries(local, index, rows))
                        .as("%s after %s", index, told)
                        .isEqualTo(local.expected(index, rows));
            }
        }
    }

    /** The entries of the rows with a prefix; an entry's key ends with its row. */
    private static NavigableSet<String> entries(LocalRegion local, IndexDefinition index, String rows) {
        NavigableSet<String> entries = local.indexTable(index).entries();
        entries.removeIf(entry -> !entry.contains(rows));
        return entries;
    }

    private static List<IndexDefinition> indexes() {
        List<IndexDefinition> indexes = new ArrayList<>();
        for (IndexScheme scheme : IndexScheme.values()) {
            indexes.add(Flights.byOrigin(scheme));
            indexes.add(Flights.byOriginAndDate(scheme));
        }
        indexes.add(IndexDefinition.builder(Flights.TABLE, "by_count")
                .column("f", "count", ColumnTypes.LONG)
                .build());
        return indexes;
    }
}
