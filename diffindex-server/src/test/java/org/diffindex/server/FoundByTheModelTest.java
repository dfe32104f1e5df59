package org.diffindex.server;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hbase.client.Durability;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.sequences.SequenceRun;
import org.diffindex.server.sequences.Step;
import org.diffindex.server.sequences.Step.Column;
import org.diffindex.server.sequences.Step.Crash;
import org.diffindex.server.sequences.Step.Era;
import org.diffindex.server.sequences.Step.Extent;
import org.diffindex.server.sequences.Step.FailNext;
import org.diffindex.server.sequences.Step.Fault;
import org.diffindex.server.sequences.Step.Time;
import org.diffindex.server.sequences.Step.Upkeep;
import org.diffindex.server.sequences.Step.Value;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Regression tests of sequences that random runs of the model found. */
class FoundByTheModelTest {
    private static final long START = 1_700_000_000_000L;
    private static final Time SERVER = new Time(Era.SERVER, 0);

    @TempDir
    Path folder;

    private static Step.Put put(int row, Time time, Value... values) {
        return new Step.Put(row, List.of(values), time, Durability.USE_DEFAULT);
    }

    private static Value v(Column column, int value) {
        return new Value(column, value);
    }

    private void run(TableShape shape, Step... steps) throws IOException {
        try (ManualClock clock = ManualClock.install(START)) {
            FakeConnection network = new FakeConnection();
            try (LocalTable table = shape.open(folder, clock, network)) {
                new SequenceRun(shape, table, network.faults, clock, "r").run(List.of(steps), !shape.hasTtl());
            }
        }
    }

    @Test
    void anAppendHiddenByATombstoneChangesNoIndex() throws IOException {
        run(
                TableShape.VERSIONS_5,
                put(2, SERVER, v(Column.A, 0), v(Column.C, 0)),
                new Step.Delete(2, Extent.FAMILY, Column.C, SERVER),
                new Step.Append(2, Column.C));
    }

    @Test
    void aBackfillLeavesAloneWhatAWriteEndsWhileItReads() throws IOException {
        run(
                TableShape.VERSIONS_1,
                new Step.CreateBesideWrites(
                        IndexScheme.SYNC_FULL,
                        put(0, new Time(Era.SOON, 1), v(Column.A, 0)),
                        1,
                        put(0, SERVER, v(Column.A, 1)),
                        3));
    }

    @Test
    void aDelayedPutThatIsDeletedLeavesNoAsynchronousEntry() throws IOException {
        run(
                TableShape.VERSIONS_1,
                Fault.HOLD,
                put(2, SERVER, v(Column.A, 1)),
                new FailNext(1, false),
                put(0, SERVER, v(Column.A, 0)),
                new Step.Delete(0, Extent.COLUMN, Column.A, SERVER));
    }

    @Test
    void stampsAdvanceOnAServerWhoseClockIsBehind() throws IOException {
        run(
                TableShape.VERSIONS_1,
                put(1, SERVER, v(Column.C, 0)),
                put(1, new Time(Era.AHEAD, 1), v(Column.A, 0)),
                new Crash(-1_000, false),
                put(1, new Time(Era.NOW, 5), v(Column.C, 2)));
    }

    @Test
    void stampsOfIncrementsAdvanceOnAServerWhoseClockIsBehind() throws IOException {
        run(
                TableShape.VERSIONS_1,
                put(0, SERVER, v(Column.A, 0)),
                put(0, SERVER, v(Column.A, 1)),
                new Step.Increment(0, 1),
                Upkeep.MOVE,
                new Step.Delete(0, Extent.ROW, Column.N, SERVER));
    }

    @Test
    void aSecondCrashAfterAReplayLosesNothing() throws IOException {
        run(
                TableShape.VERSIONS_1,
                Fault.OUTAGE,
                put(0, SERVER, v(Column.A, 0)),
                new Crash(0, false),
                new Crash(0, false));
    }

    @Test
    void stampsOfAReplayAreKnownToTheServerAfterTheNext() throws IOException {
        run(
                TableShape.VERSIONS_1,
                new Step.Increment(2, 1),
                new Step.Append(2, Column.A),
                new Crash(0, false),
                Upkeep.MOVE,
                put(2, SERVER, v(Column.A, 0)));
    }

    @Test
    void stampsOfAReplaySurviveASecondCrash() throws IOException {
        run(
                TableShape.VERSIONS_1,
                new Step.Increment(2, 1),
                new Step.Append(2, Column.A),
                new Crash(0, false),
                new Crash(0, false),
                put(2, SERVER, v(Column.A, 0)));
    }

    @Test
    void entriesThatExpiredSinceACrashAreNotPutAgain() throws IOException {
        run(
                TableShape.TIME_TO_LIVE,
                put(1, SERVER, v(Column.A, 0)),
                new Step.Increment(0, 1),
                new Step.Tick(7_000),
                new Crash(0, false),
                new Step.Tick(11_000),
                new Step.Increment(1, 2));
    }

    @Test
    void tombstonesMayBeCompactedWhileTheIndexIsUnavailable() throws IOException {
        run(
                TableShape.NEW_VERSION_BEHAVIOR,
                put(0, SERVER, v(Column.A, 0)),
                new Step.Delete(0, Extent.COLUMN, Column.A, SERVER),
                Fault.OUTAGE,
                put(0, SERVER, v(Column.A, 1)),
                Upkeep.COMPACT);
    }

    @Test
    void aPutThatAClientOverwritesAtTheSameTimestampCanBeReadAfterAFlush() throws IOException {
        run(
                TableShape.VERSIONS_1,
                put(2, SERVER, v(Column.A, 1)),
                Upkeep.DRAIN,
                Fault.OUTAGE,
                put(2, new Time(Era.NOW, 0), v(Column.A, 0)),
                Upkeep.FLUSH);
    }

    @Test
    void aColumnWithoutAnIndexIsNotRefusedForItsTimestamp() throws IOException {
        run(
                TableShape.TIME_TO_LIVE,
                put(1, SERVER, v(Column.B, 0)),
                new Step.Atomic(1, List.of(new Step.Increment(1, 1), new Step.Append(1, Column.B))));
    }

    @Test
    void aDeleteHidesTheResultOfAnIncrementBeforeItInABatchWhereCellsExpire() throws IOException {
        run(
                TableShape.TIME_TO_LIVE,
                put(0, SERVER, v(Column.A, 0)),
                new Step.Batch(List.of(new Step.Increment(0, 1), new Step.Delete(0, Extent.FAMILY, Column.A, SERVER))));
    }

    /** A flush that must not yet apply the tombstone would count the version it hides, and drop the one it reveals. */
    @Test
    void aVersionRevealedByATombstoneIsNotTrimmedWhileTheIndexIsUnavailable() throws IOException {
        run(
                TableShape.VERSIONS_1,
                put(1, SERVER, v(Column.A, 0)),
                put(1, SERVER, v(Column.A, 1)),
                Upkeep.DRAIN,
                Fault.OUTAGE,
                new Step.Delete(1, Extent.VERSION, Column.A, SERVER),
                Upkeep.FLUSH);
    }

    @Test
    void aVersionRevealedByATombstoneIsNotTrimmedByACompaction() throws IOException {
        run(
                TableShape.VERSIONS_1,
                put(1, SERVER, v(Column.A, 0)),
                put(1, SERVER, v(Column.A, 1)),
                Upkeep.DRAIN,
                Fault.OUTAGE,
                new Step.Delete(1, Extent.VERSION, Column.A, SERVER),
                Upkeep.FLUSH,
                put(0, SERVER, v(Column.A, 0)),
                Upkeep.COMPACT);
    }

    /**
     * In such a family a put after a tombstone is visible, even if its timestamp is older than those the tombstone
     * hides.
     */
    @Test
    void aPutAfterATombstoneIsNotTrimmedWhileTheIndexIsUnavailable() throws IOException {
        run(
                TableShape.NEW_VERSION_BEHAVIOR,
                put(1, new Time(Era.PAST, 9), v(Column.A, 0)),
                put(1, new Time(Era.PAST, 8), v(Column.A, 1)),
                put(1, new Time(Era.PAST, 7), v(Column.A, 2)),
                Upkeep.DRAIN,
                Fault.OUTAGE,
                new Step.Delete(1, Extent.FAMILY, Column.A, SERVER),
                put(1, new Time(Era.PAST, 5), v(Column.A, 0)),
                Upkeep.COMPACT);
    }
}
