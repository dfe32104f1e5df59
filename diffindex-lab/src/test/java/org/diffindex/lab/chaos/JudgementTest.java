package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.verify.ScrubReport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the reasons for which a run is not clean although every answer was as promised. */
class JudgementTest {
    private final Tally tally = new Tally();
    private final List<FaultEvent> faults = new ArrayList<>();
    private final List<Abort> aborts = new ArrayList<>();
    private final List<Death> deaths = new ArrayList<>();
    private int compared = ChaosTable.INDEXES.size();
    private int checkpoints = 3;
    private int failedCheckpoints;
    private IndexScheme scheme = IndexScheme.SYNC_FULL;
    private boolean schemeChanges;

    @BeforeEach
    void answer() {
        write(Outcome.OK, 10);
        tally.reads.add(10);
        tally.moved.increment();
        tally.must.add(10);
        tally.drains.increment();
        tally.builds.increment();
        tally.sessionReads.increment();
        faults.add(new FaultEvent("flush", "t", 0, 1, 0, 1, FaultEvent.Result.DONE, ""));
    }

    private void write(Outcome outcome, int times) {
        for (int i = 0; i < times; i++) {
            tally.write("put", outcome);
        }
    }

    private ChaosResult result() {
        IndexDefinition index = IndexDefinition.builder(new ChaosTable(scheme).name(), "i")
                .column("f", "c", ColumnTypes.STRING)
                .scheme(scheme)
                .build();
        ScrubReport report = new ScrubReport(index, 1, 1, Map.of(), Map.of(), 0, List.of(), Duration.ZERO);
        return new ChaosResult(
                new ChaosOptions(
                        Path.of("unused"),
                        Duration.ofMinutes(1),
                        List.of(scheme),
                        7,
                        List.of(FaultKind.values()),
                        1,
                        1,
                        1,
                        1,
                        1,
                        3,
                        schemeChanges,
                        false),
                Map.of(scheme, tally),
                faults,
                new Violations(violation -> {}),
                aborts,
                deaths,
                Collections.nCopies(compared, report),
                100,
                checkpoints,
                failedCheckpoints);
    }

    private static FaultEvent fault(FaultEvent.Result result, String note) {
        return new FaultEvent("split-base", "t", 0, 1, 0, 1, result, note);
    }

    private void assertUnexplained(String what) {
        assertThat(result().unexplained()).singleElement().asString().contains(what);
        assertThat(result().isClean()).isFalse();
    }

    @Test
    void isCleanIfTheRunWentAsPlanned() {
        faults.add(fault(FaultEvent.Result.DONE, ""));
        faults.add(fault(FaultEvent.Result.FAILED, "a region was in transition"));
        faults.add(fault(FaultEvent.Result.SKIPPED, "nothing to hit"));
        aborts.add(new Abort("rs1", "10:00", "YouAreDead", "after stall-long"));
        failedCheckpoints = 1;
        write(Outcome.UNKNOWN, 9);
        tally.failedReads.add(9);
        assertThat(result().unexplained()).isEmpty();
        assertThat(result().isClean()).isTrue();
    }

    @Test
    void isNotCleanIfAProcessEndedByItself() {
        deaths.add(new Death("rs2", 1, "rs2 has ended by itself"));
        assertUnexplained("rs2 has ended by itself");
    }

    @Test
    void isNotCleanIfNoFaultExplainsAnAbort() {
        aborts.add(new Abort("rs1", "10:00", "Unrecoverable", ""));
        assertUnexplained("rs1 at 10:00");
    }

    @Test
    void isNotCleanIfAKindOfFaultNeverWorked() {
        faults.addAll(Collections.nCopies(2, fault(FaultEvent.Result.FAILED, "no such method")));
        assertThat(result().unexplained()).isEmpty();
        faults.add(fault(FaultEvent.Result.FAILED, "no such method"));
        assertUnexplained("none of 3 faults split-base");
    }

    @Test
    void isNotCleanIfMostCheckpointsWereImpossible() {
        checkpoints = 2;
        failedCheckpoints = 2;
        assertUnexplained("2 of 4 checkpoints");
    }

    @Test
    void theOnlyCheckpointMayHaveBeenImpossible() {
        checkpoints = 0;
        failedCheckpoints = 1;
        assertThat(result().unexplained()).isEmpty();
    }

    @Test
    void isNotCleanIfNoSchemeWasChangedThoughSomeWereToBe() {
        schemeChanges = true;
        assertUnexplained("no scheme of an index was changed");
        tally.schemeChanges.increment();
        assertThat(result().unexplained()).isEmpty();
    }

    @Test
    void isNotCleanIfAnIndexWasNotCompared() {
        compared--;
        assertUnexplained("were compared");
    }

    @Test
    void isNotCleanIfMostWritesWereRefused() {
        write(Outcome.REFUSED, 10);
        assertUnexplained("only 10 of 20 writes");
    }

    /** For example, every delete is delayed although no index is away, or fails with an unknown exception. */
    @Test
    void isNotCleanIfNoWriteOfAKindWasAcknowledged() {
        write(Outcome.OK, 20);
        for (int i = 0; i < 9; i++) {
            tally.write("delete", i < 5 ? Outcome.DELAYED : Outcome.UNKNOWN);
        }
        assertThat(result().unexplained()).isEmpty();
        tally.write("delete", Outcome.DELAYED);
        assertUnexplained("none of 10 writes of the kind delete was acknowledged");
        tally.write("delete", Outcome.LATE);
        assertThat(result().unexplained()).isEmpty();
    }

    /** Such writes are durable; only the attempt that made them is unknown. */
    @Test
    void countsLateAcknowledgementsAsAcknowledgements() {
        write(Outcome.LATE, 20);
        assertThat(result().unexplained()).isEmpty();
    }

    /** Rows whose index updates were delayed are written, but nothing was checked for them. */
    @Test
    void isNotCleanIfMostWritesWereDelayed() {
        write(Outcome.DELAYED, 10);
        assertUnexplained("only 10 of 20 writes");
    }

    @Test
    void isNotCleanIfNoUnindexablePutWasRefused() {
        tally.unindexable.add(6);
        assertUnexplained("none of 6 unindexable puts");
        tally.rejected.increment();
        assertThat(result().unexplained()).isEmpty();
    }

    @Test
    void isNotCleanIfNoDrainWasPossible() {
        scheme = IndexScheme.ASYNC_SIMPLE;
        tally.drains.reset();
        tally.failedDrains.add(5);
        assertUnexplained("none of 5 drains succeeded");
    }

    @Test
    void isNotCleanIfMostReadsFailed() {
        tally.failedReads.add(10);
        assertUnexplained("only 10 of 20 reads");
    }

    @Test
    void isNotCleanIfNoRowMovedToAnotherRegion() {
        tally.moved.reset();
        assertUnexplained("no row moved");
    }

    /** Each drain was answered, but left updates. */
    @Test
    void isNotCleanIfAnAsynchronousIndexWasNeverDrained() {
        scheme = IndexScheme.ASYNC_SIMPLE;
        tally.moved.reset();
        tally.drains.reset();
        assertUnexplained("drains succeeded");
    }

    @Test
    void isNotCleanIfNothingWasReadInASession() {
        scheme = IndexScheme.ASYNC_SESSION;
        tally.sessionReads.reset();
        assertUnexplained("in a session");
    }

    @Test
    void isNotCleanIfNoReadHadToFindARow() {
        tally.must.reset();
        assertUnexplained("had to find a row");
    }

    @Test
    void isNotCleanIfNoIndexWasBuilt() {
        tally.builds.reset();
        assertUnexplained("no index was built");
    }

    @Test
    void isNotCleanIfNoFaultWasApplied() {
        faults.clear();
        faults.add(fault(FaultEvent.Result.SKIPPED, "no such process is up"));
        assertUnexplained("no fault");
    }

    @Test
    void aRepairBetweenFaultsIsNoFault() {
        faults.clear();
        faults.add(new FaultEvent(FaultEvent.FOUND_DOWN, "rs1", 0, 1, 0, 1, FaultEvent.Result.DONE, "repaired"));
        assertUnexplained("no fault");
    }

    @Test
    void isNotCleanIfAKindOfFaultNeverHadATarget() {
        faults.addAll(Collections.nCopies(6, fault(FaultEvent.Result.SKIPPED, "nothing to hit")));
        assertUnexplained("none of 6 faults split-base");
    }

    @Test
    void isNotCleanIfNothingWasDoneUnderAScheme() {
        Tally nothing = new Tally();
        ChaosResult run = result();
        ChaosResult idle = new ChaosResult(
                run.options(),
                Map.of(IndexScheme.SYNC_FULL, nothing),
                run.faults(),
                run.violations(),
                run.aborts(),
                run.deaths(),
                run.comparisons(),
                run.rowsCompared(),
                run.checkpoints(),
                run.failedCheckpoints());
        assertThat(idle.unexplained()).hasSize(5);
    }
}
