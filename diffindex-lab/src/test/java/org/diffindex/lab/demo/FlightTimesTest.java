package org.diffindex.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.Histogram;
import org.diffindex.client.Staleness;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.verify.Difference;
import org.diffindex.verify.ScrubReport;
import org.junit.jupiter.api.Test;

/** Tests the summary of the demo's measurements. */
class FlightTimesTest {
    private static final FlightTable NONE = new FlightTable(Optional.empty());
    private static final FlightTable FULL = new FlightTable(Optional.of(IndexScheme.SYNC_FULL));
    private static final FlightTable ASYNC = new FlightTable(Optional.of(IndexScheme.ASYNC_SIMPLE));

    private static Histogram micros(long... values) {
        Histogram nanos = new Histogram(3);
        Arrays.stream(values).forEach(value -> nanos.recordValue(value * 1_000));
        return nanos;
    }

    private static FlightTimes times() {
        Staleness staleness = mock(Staleness.class);
        when(staleness.p50()).thenReturn(Duration.ofMillis(2));
        when(staleness.p99()).thenReturn(Duration.ofMillis(30));
        return new FlightTimes(
                Map.of(NONE, micros(100, 100, 200), FULL, micros(150, 160, 900), ASYNC, micros(110, 110, 110)),
                Map.of(NONE, staleness, FULL, staleness, ASYNC, staleness),
                Map.of(FULL, micros(70), ASYNC, micros(80)),
                Map.of(NONE, micros(50_000), FULL, micros(51_000), ASYNC, micros(52_000)),
                Map.of(FULL, micros(5_000), ASYNC, micros(6_000)),
                300);
    }

    @Test
    void comparesPutsWithTheTableWithoutAnIndex() {
        SchemeResult full = times().result(FULL, 1_000, List.of());
        assertThat(full.scheme()).isEqualTo("sync-full");
        assertThat(full.putP50Us()).isCloseTo(160, within(0.2));
        assertThat(full.putP95Us()).isCloseTo(900, within(1.0));
        assertThat(full.putRatioP50()).isCloseTo(1.6, within(0.01));
        assertThat(full.scanMs()).isCloseTo(51, within(0.1));
        IndexResult index = full.index().orElseThrow();
        assertThat(index.getByIndexP50Us()).isCloseTo(70, within(0.1));
        assertThat(index.readMs()).isCloseTo(5, within(0.01));
    }

    @Test
    void onlyAsynchronousIndexesAreStaleAndOnlyIndexedTablesHaveAnIndex() {
        assertThat(times().result(FULL, 1, List.of()).index().orElseThrow().lag())
                .isEmpty();
        assertThat(times().result(ASYNC, 1, List.of()).index().orElseThrow().lag())
                .contains(new Lag(2, 30));
        assertThat(times().result(NONE, 1, List.of()).index()).isEmpty();
    }

    @Test
    void theDifferencesOfAllIndexesAddUpExceptThoseThatTheSchemeAllows() {
        assertThat(Differences.of(List.of(
                        comparison(IndexScheme.SYNC_FULL, Map.of(Difference.STALE, 2L, Difference.MISSING, 1L)),
                        comparison(IndexScheme.SYNC_FULL, Map.of(Difference.DANGLING, 4L, Difference.MISSING, 3L)))))
                .isEqualTo(new Differences(4, 4, 2, 0));
        assertThat(Differences.of(List.of(
                        comparison(IndexScheme.SYNC_INSERT, Map.of(Difference.STALE, 2L, Difference.MISSING, 1L)))))
                .isEqualTo(new Differences(1, 0, 0, 0));
    }

    private static ScrubReport comparison(IndexScheme scheme, Map<Difference, Long> found) {
        IndexDefinition index = IndexDefinition.builder(new FlightTable(Optional.of(scheme)).name(), "i")
                .column("f", "origin", ColumnTypes.STRING)
                .scheme(scheme)
                .build();
        return new ScrubReport(index, 1, 1, found, Map.of(), 0, List.of(), Duration.ZERO);
    }

    @Test
    void tablesTakeTurnsAndTheWarmUpIsNotRecorded() throws IOException {
        List<String> calls = new ArrayList<>();
        Map<FlightTable, InterleavedRounds.Subject> subjects = new LinkedHashMap<>();
        for (FlightTable table : List.of(NONE, FULL)) {
            subjects.put(table, new InterleavedRounds.Subject() {
                @Override
                public void run(int n) {
                    calls.add(table.label() + " " + n);
                }

                @Override
                public void settle() {
                    calls.add("settle");
                }
            });
        }
        Map<FlightTable, Histogram> times = new InterleavedRounds(1, 2, 2).measure(subjects, () -> calls.add("warm"));
        assertThat(calls)
                .containsExactly(
                        "no index 0",
                        "no index 1",
                        "settle",
                        "sync-full 0",
                        "sync-full 1",
                        "settle",
                        "warm",
                        "sync-full 2",
                        "sync-full 3",
                        "settle",
                        "no index 2",
                        "no index 3",
                        "settle", //
                        "no index 4",
                        "no index 5",
                        "settle",
                        "sync-full 4",
                        "sync-full 5",
                        "settle");
        assertThat(times.values()).allMatch(nanos -> nanos.getTotalCount() == 4);
    }

    @Test
    void hasATableWithoutAnIndexAndOneForEachScheme() throws IOException {
        List<FlightTable> all = FlightTable.all();
        assertThat(all.get(0)).isEqualTo(NONE);
        assertThat(all).hasSize(1 + IndexScheme.values().length);
        assertThat(all).extracting(FlightTable::name).doesNotHaveDuplicates();
        Flights flights = Flights.first(3_000);
        assertThat(NONE.indexes(flights)).isEmpty();
        assertThat(FULL.indexes(flights))
                .hasSize(FlightTable.INDEXES)
                .extracting(IndexDefinition::name)
                .containsExactly(FlightTable.BY_ORIGIN, FlightTable.BY_ORIGIN_DATE);
        assertThat(FULL.indexes(flights)).allMatch(index -> index.splitPoints().length == 2);
    }

    @Test
    void logsAStepWithTheSecondsSinceTheStart() {
        StringWriter out = new StringWriter();
        AtomicLong now = new AtomicLong(5_000_000_000L);
        StepLog log = new StepLog(new PrintWriter(out), now::get);
        now.addAndGet(12_340_000_000L);
        log.step("loading");
        assertThat(out.toString().strip()).isEqualTo("[ 12.3 s] loading");
    }
}
