package org.diffindex.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.lab.bench.experiments.Bench;
import org.diffindex.lab.bench.experiments.BenchTables;
import org.diffindex.lab.bench.experiments.Experiment;
import org.diffindex.lab.bench.experiments.Procedure;
import org.diffindex.lab.bench.experiments.Procedure.Tables;
import org.diffindex.lab.bench.experiments.Procedure.WarmUp;
import org.diffindex.lab.bench.experiments.Results;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentDescription;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import org.diffindex.lab.bench.statistics.Measurement;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the order of a run, with experiments that measure nothing. */
class BenchRunTest {
    private final BenchTables tables = mock(BenchTables.class);
    private final LocalCluster cluster = mock(LocalCluster.class);
    private final StringWriter told = new StringWriter();
    private final AtomicLong now = new AtomicLong();

    @BeforeEach
    void compactAtOnce() throws IOException {
        when(tables.compact()).thenReturn(true);
        when(tables.awaitCompactions()).thenReturn(true);
    }

    /** An experiment that records its calls. */
    private static class Recorded implements Experiment {
        final String name;
        final List<String> calls = new ArrayList<>();
        final List<BenchCell> cells;
        boolean untilSettled;
        int failsInRound = Integer.MAX_VALUE;

        Recorded(String name, Contender... contenders) {
            this.name = name;
            this.cells = BenchCell.ofEach(List.of(contenders), "1 client", 1);
        }

        @Override
        public ExperimentDescription description() {
            return new ExperimentDescription(name, name, "", "", List.of(), List.of());
        }

        @Override
        public List<BenchCell> cells() {
            return cells;
        }

        @Override
        public double expectedSeconds() {
            return 1;
        }

        @Override
        public Procedure procedure() {
            WarmUp warmUp = untilSettled ? WarmUp.UNTIL_SETTLED : WarmUp.ONCE;
            return new Procedure(warmUp, Tables.SHARED_COMPACTED, Integer.MAX_VALUE);
        }

        @Override
        public void prepare() {
            calls.add("prepare");
        }

        @Override
        public void finish() {
            calls.add("finish");
        }

        @Override
        public Measurement run(BenchCell cell, int round, double seconds) throws IOException {
            if (round >= failsInRound) {
                throw new IOException("no region server");
            }
            calls.add(round + " " + cell.contender().label() + " " + seconds);
            return Measurement.empty().with(Measurement.P50, 100);
        }
    }

    private List<ExperimentResult> run(boolean quick, Experiment... experiments) throws IOException {
        Bench bench = new Bench(cluster, null, Results.options(2_000, List.of(), quick), tables);
        Timetable timetable = new Timetable(() -> now.addAndGet(TimeUnit.MILLISECONDS.toNanos(100)), Optional.empty());
        return new BenchRun(bench, timetable, new ProgressLine(new PrintWriter(told), false)).run(List.of(experiments));
    }

    @Test
    void warmsUpWithAShorterRoundAndRotatesTheContendersInMeasuredRounds() throws IOException {
        Recorded update = new Recorded("update", Contender.NO_INDEX, Results.FULL);
        List<ExperimentResult> results = run(true, update);
        assertThat(update.calls)
                .containsExactly(
                        "prepare",
                        "0 no index 0.5",
                        "0 sync-full 0.5",
                        "1 sync-full 1.0",
                        "1 no index 1.0",
                        "2 no index 1.0",
                        "2 sync-full 1.0",
                        "3 sync-full 1.0",
                        "3 no index 1.0",
                        "finish");
        assertThat(results).singleElement().satisfies(result -> {
            assertThat(result.failure()).isEmpty();
            assertThat(result.cells()).extracting(CellResult::cell).isEqualTo(update.cells);
            assertThat(result.cells()).allMatch(cell -> cell.rounds().size() == 3);
        });
    }

    @Test
    void anExperimentThatFailsKeepsItsRoundsAndTheNextOneRuns() throws IOException {
        Recorded broken = new Recorded("update", Contender.NO_INDEX);
        broken.failsInRound = 2;
        Recorded next = new Recorded("read", Contender.NO_INDEX);
        List<ExperimentResult> results = run(true, broken, next);
        assertThat(results.get(0).failure()).contains("no region server");
        assertThat(results.get(0).cells().get(0).rounds()).hasSize(1);
        assertThat(broken.calls).endsWith("finish");
        assertThat(results.get(1).failure()).isEmpty();
        assertThat(results.get(1).cells().get(0).rounds()).hasSize(3);
        assertThat(told.toString()).contains("experiment update failed: no region server");
    }

    @Test
    void warmUpEndsWhenTheFiguresHaveSettled() throws IOException {
        Recorded steady = new Recorded("update", Contender.NO_INDEX);
        steady.untilSettled = true;
        List<ExperimentResult> results = run(false, steady);
        assertThat(steady.calls.subList(1, 5))
                .as("calls, where the third round is the second in a row that is close to its predecessor")
                .containsExactly("0 no index 0.5", "1 no index 0.5", "2 no index 0.5", "3 no index 1.0");
        assertThat(results.get(0).cells().get(0).rounds()).hasSize(3);
        assertThat(results.get(0).notes()).isEmpty();
        assertThat(told.toString()).doesNotContain("not settled").doesNotContain("compact");
    }

    @Test
    void measuresFiguresThatNeverSettleNevertheless() throws IOException {
        Recorded wild = new Recorded("read", Contender.NO_INDEX) {
            @Override
            public Measurement run(BenchCell cell, int round, double seconds) throws IOException {
                Measurement unused = super.run(cell, round, seconds);
                return Measurement.empty().with(Measurement.P50, round % 2 == 0 ? 100 : 200);
            }
        };
        wild.untilSettled = true;
        List<ExperimentResult> results = run(false, wild);
        long warmUps = wild.calls.stream().filter(call -> call.endsWith("0.5")).count();
        assertThat(warmUps).isGreaterThanOrEqualTo(6);
        assertThat(results.get(0).cells().get(0).rounds()).hasSize(3);
        String note =
                "the figures had not settled after " + warmUps + " warm-up rounds, and were measured nevertheless";
        assertThat(told.toString()).contains("experiment read: " + note);
        assertThat(results.get(0).notes()).containsExactly(note);
    }

    /** The figures of cells by which no goal is judged are of shorter rounds, and fluctuate more. */
    @Test
    void onlyTheCellsThatAreMeasuredLongestMustSettle() throws IOException {
        Recorded update = new Recorded("update", Contender.NO_INDEX, Results.FULL) {
            @Override
            public double share(BenchCell cell) {
                return cell.contender().equals(Results.FULL) ? 1 : 0.2;
            }

            @Override
            public Measurement run(BenchCell cell, int round, double seconds) throws IOException {
                Measurement steady = super.run(cell, round, seconds);
                return share(cell) == 1 ? steady : steady.with(Measurement.P50, 100 << round);
            }
        };
        update.untilSettled = true;
        List<ExperimentResult> results = run(false, update);
        assertThat(update.calls).as("the fourth round is measured").contains("3 sync-full 1.0");
        assertThat(results.get(0).notes()).isEmpty();
    }

    @Test
    void notesTurnsThatWereMeasuredBesideCompactions() throws IOException {
        when(tables.awaitCompactions()).thenReturn(true, true, false, true, false, true);
        Recorded update = new Recorded("update", Contender.NO_INDEX, Results.FULL);
        List<ExperimentResult> results = run(false, update, new Recorded("read", Contender.NO_INDEX));
        assertThat(results.get(0).cells()).allMatch(cell -> cell.rounds().size() == 3);
        assertThat(results.get(0).notes()).singleElement().asString().startsWith("2 turns were run beside compactions");
        assertThat(told.toString()).contains("experiment update: 2 turns were run beside compactions");
        assertThat(results.get(1).notes()).isEmpty();
    }

    @Test
    void notesTablesThatCouldNotBeCompactedBeforeAnExperiment() throws IOException {
        when(tables.compact()).thenReturn(false);
        List<ExperimentResult> results = run(false, new Recorded("read", Contender.NO_INDEX));
        assertThat(results.get(0).notes())
                .containsExactly("the tables were not compacted within a minute before the first turn");
    }

    @Test
    void skipsAnExperimentWithoutCells() throws IOException {
        Recorded empty = new Recorded("heap");
        Recorded update = new Recorded("update", Contender.NO_INDEX);
        assertThat(run(true, empty, update))
                .extracting(result -> result.experiment().name())
                .containsExactly("update");
        assertThat(empty.calls).isEmpty();
        assertThat(told.toString()).contains("experiment heap is left out").doesNotContain("update is left out");
    }

    @Test
    void tablesAreCompactedBeforeReadsAndDroppedAfterAnExperimentUnlessTheRunIsQuick() throws IOException {
        run(true, new Recorded("read", Contender.NO_INDEX));
        verify(tables, never()).compact();
        verify(tables, never()).dropOthers();
        run(false, new Recorded("read", Contender.NO_INDEX), new Recorded("scan", Contender.NO_INDEX));
        verify(tables, times(2)).compact();
        verify(tables, times(2)).dropOthers();
        verify(tables, times(2)).begin();
    }

    @Test
    void theShareOfRowsThatTheRowMemorySparedIsMeasuredWhereRowsAreUpdated() throws IOException {
        TableName table = TableName.valueOf("t");
        when(tables.status(table))
                .thenReturn(RowMemoryUseTest.status(0, 5), RowMemoryUseTest.status(9, 5)) // warming up
                .thenReturn(RowMemoryUseTest.status(10, 10), RowMemoryUseTest.status(13, 11))
                .thenReturn(RowMemoryUseTest.status(20, 20), RowMemoryUseTest.status(21, 19))
                .thenReturn(RowMemoryUseTest.status(30, 30), RowMemoryUseTest.status(30, 31));
        Recorded update = new Recorded("update", Results.FULL) {
            @Override
            public Optional<TableName> updatedTable(BenchCell cell) {
                return Optional.of(table);
            }
        };
        List<ExperimentResult> results = run(true, update, new Recorded("read", Results.FULL));
        assertThat(results.get(0).cells().get(0).rounds())
                .extracting(round -> round.value(Measurement.ROW_MEMORY_HIT_SHARE))
                .containsExactly(OptionalDouble.of(0.75), OptionalDouble.empty(), OptionalDouble.of(0));
        assertThat(results.get(1).cells().get(0).names()).containsExactly(Measurement.P50);
    }

    /** To ask the regions for what they counted costs them CPU time. */
    @Test
    void cpuTimesAreTakenNextToTheExperiment() throws IOException {
        Recorded update = new Recorded("update", Results.FULL) {
            @Override
            public Optional<TableName> updatedTable(BenchCell cell) {
                return Optional.of(TableName.valueOf("t"));
            }
        };
        when(tables.status(TableName.valueOf("t"))).thenAnswer(call -> {
            update.calls.add("regions");
            return RowMemoryUseTest.status(0, 0);
        });
        when(cluster.status()).thenAnswer(call -> {
            update.calls.add("CPU");
            return List.of();
        });
        run(true, update);
        assertThat(update.calls)
                .startsWith("prepare", "regions", "CPU", "0 sync-full 0.5", "CPU", "regions", "regions", "CPU");
    }

    @Test
    void theProgressNamesTheStep() throws IOException {
        run(true, new Recorded("read", Contender.NO_INDEX));
        assertThat(told.toString().lines())
                .anyMatch(line -> line.matches("\\[\\d+:\\d\\d left] read, warming up: no index, 1 client"))
                .anyMatch(line -> line.endsWith("read, round 3 of 3: no index, 1 client"));
    }
}
