package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.metrics2.MetricsSource;
import org.diffindex.model.BuildFamily.Totals;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.build.BuildReading;
import org.diffindex.server.local.Flights;
import org.diffindex.server.metrics.Scrape;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that the metrics of a master show the builds that it runs, and no others. */
class BuildMetricsTest {
    private static final IndexDefinition ONE = Flights.byOrigin(IndexScheme.SYNC_FULL);
    private static final IndexDefinition OTHER = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);

    private final BuildMetrics metrics = new BuildMetrics();

    @AfterEach
    void close() {
        metrics.close();
    }

    static BuildReading reading(IndexDefinition index, long rows) {
        return new BuildReading(
                index.table(),
                index.name(),
                Optional.of(new BuildReading.Recorded(new Totals(rows, rows - 1, 1), 2, 3, false, false, true, false)));
    }

    private static Optional<MetricsSource> shown(IndexDefinition index) {
        return Scrape.registered("Master,sub=DiffIndex,table=%s,index=%s".formatted(index.table(), index.name()));
    }

    private static Map<String, Double> values(IndexDefinition index) {
        return Scrape.of(shown(index).orElseThrow());
    }

    private static String name(String name, IndexDefinition index) {
        return "diff_index_build_%s{table=\"%s\",index=\"%s\"}".formatted(name, index.table(), index.name());
    }

    @Test
    void showsTheLastReadingOfEachBuild() {
        metrics.accept(List.of(reading(ONE, 10), reading(OTHER, 5)));
        metrics.accept(List.of(reading(ONE, 20), reading(OTHER, 5)));
        assertThat(values(ONE))
                .containsExactly(
                        Map.entry(name("unreachable", ONE), 0.0),
                        Map.entry(name("rows", ONE), 20.0),
                        Map.entry(name("entries", ONE), 19.0),
                        Map.entry(name("left_out", ONE), 1.0),
                        Map.entry(name("ranges", ONE), 3.0),
                        Map.entry(name("ranges_done", ONE), 2.0),
                        Map.entry(name("paused", ONE), 0.0),
                        Map.entry(name("by_job", ONE), 0.0),
                        Map.entry(name("failing", ONE), 1.0),
                        Map.entry(name("failed", ONE), 0.0));
        assertThat(values(OTHER)).containsEntry(name("rows", OTHER), 5.0);
    }

    /** The last numbers would look like those of a build that stands. */
    @Test
    void showsNoNumbersWhileTheRecordCannotBeReached() {
        metrics.accept(List.of(reading(ONE, 10)));
        metrics.accept(List.of(new BuildReading(ONE.table(), ONE.name(), Optional.empty())));
        assertThat(values(ONE)).containsExactly(Map.entry(name("unreachable", ONE), 1.0));
        metrics.accept(List.of(reading(ONE, 11)));
        assertThat(values(ONE)).containsEntry(name("unreachable", ONE), 0.0).containsEntry(name("rows", ONE), 11.0);
    }

    @Test
    void aBuildThatHasEndedIsNotShown() {
        metrics.accept(List.of(reading(ONE, 10), reading(OTHER, 5)));
        metrics.accept(List.of(reading(OTHER, 6)));
        assertThat(shown(ONE)).isEmpty();
        assertThat(shown(OTHER)).isPresent();
        metrics.close();
        assertThat(shown(OTHER)).isEmpty();
    }
}
