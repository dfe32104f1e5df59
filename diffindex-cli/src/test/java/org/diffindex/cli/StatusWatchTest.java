package org.diffindex.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.client.IndexStatus;
import org.diffindex.client.RegionStatus;
import org.diffindex.client.Staleness;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests what {@code status --watch} prints, and how it ends. */
class StatusWatchTest {
    private static final TableName TABLE = TableName.valueOf("flights");
    private static final IndexDefinition INDEX = IndexDefinition.builder(TABLE, "by_origin")
            .column("f", "origin", ColumnTypes.STRING)
            .build();

    private final StringWriter printed = new StringWriter();
    private long seconds;

    @AfterEach
    void forgetTheInterrupt() {
        Thread.interrupted();
    }

    private static RegionStatus region(String name, long puts) {
        return new RegionStatus(
                name,
                "server",
                0,
                0,
                0,
                Duration.ZERO,
                2 * puts,
                0,
                Staleness.NONE,
                0,
                0,
                puts,
                0,
                Optional.empty(),
                Map.of());
    }

    private static IndexStatus status(RegionStatus... regions) {
        return new IndexStatus(TABLE, List.of(INDEX), List.of(), Map.of(), List.of(regions));
    }

    private StatusWatch watch(StatusWatch.Form form) {
        return new StatusWatch(
                new PrintWriter(printed), form, Duration.ofMillis(1), () -> TimeUnit.SECONDS.toNanos(seconds));
    }

    @Test
    void showsRatesFromTheSecondLookOn() {
        StatusWatch watch = watch(StatusWatch.Form.LINES);
        assertThat(watch.text(List.of(status(region("r1", 1_000)))))
                .contains("index puts 1,000")
                .doesNotContain("a second");
        seconds += 2;
        assertThat(watch.text(List.of(status(region("r1", 1_500)))))
                .contains("index puts 1,500")
                .contains(
                        "  a second   delivered 500, retries 0.0, base reads 0, not needed 0, index puts 250, index deletes 0");
    }

    /** Its counters begin again, on another server or as a daughter. */
    @Test
    void aRegionThatWasOpenedMeanwhileCountsFromThere() {
        StatusWatch watch = watch(StatusWatch.Form.LINES);
        watch.text(List.of(status(region("moves", 1_000), region("stays", 100), region("splits", 500))));
        seconds += 1;
        assertThat(watch.text(List.of(status(region("moves", 10), region("stays", 101), region("daughter", 5)))))
                .contains("index puts 16,");
    }

    /** Returns looks of which the bad ones fail, and the last one ends the watch. */
    private static StatusWatch.Look looks(String... kinds) {
        Deque<String> left = new ArrayDeque<>(List.of(kinds));
        return () -> {
            String look = left.remove();
            if (look.equals("bad")) {
                throw new IOException("no \"master\" runs\n\tat org.apache.hadoop.hbase");
            } else if (look.equals("last")) {
                Thread.currentThread().interrupt();
            }
            return List.of(status(region("r1", 1)));
        };
    }

    @Test
    void goesOnAfterALookThatFailsAndEndsWhenInterrupted() {
        watch(StatusWatch.Form.IN_PLACE).run(looks("good", "bad", "last"));
        assertThat(printed.toString().split("\u001b\\[H\u001b\\[J", -1)).hasSize(4);
        assertThat(printed.toString())
                .contains("The status could not be read, will look again: no \"master\" runs", "Ctrl-C ends.");
    }

    @Test
    void printsOneObjectForEachLookInJson() {
        watch(StatusWatch.Form.JSON).run(looks("first", "last"));
        assertThat(printed.toString().lines())
                .hasSize(2)
                .allMatch(line -> line.startsWith("{\"table\":\"flights\"") && line.endsWith("}"));
    }

    /** A program could not tell a look that fails from none. */
    @Test
    void printsAnObjectForALookThatFailsInJson() {
        watch(StatusWatch.Form.JSON).run(looks("bad", "last"));
        assertThat(printed.toString().lines().toList()).hasSize(2).startsWith("{\"error\":\"no \\\"master\\\" runs\"}");
    }
}
