package org.diffindex.server.sequences;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.model.SchemeState;
import org.diffindex.server.local.BaseProbe;
import org.diffindex.server.local.DeliveryFaults;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.local.PathIntoRegion;
import org.diffindex.server.local.PutProcessor;
import org.diffindex.server.maintain.RowClock;

/**
 * Runs one sequence of steps on a table, and compares it with the model "index = f(visible base)": the synchronous
 * indexes after every step, all indexes after every drain and at the end. Acknowledged writes must survive a crash.
 */
public final class SequenceRun {
    /**
     * How far the clock of a server to which regions move is behind. It is not behind if cells expire, because entries
     * are then exact only as far as the clocks agree.
     */
    private static final long BEHIND_MS = 500;

    private static final ExecutorService SECOND_WRITER = Executors.newSingleThreadExecutor(task -> {
        Thread thread = new Thread(task, "second writer");
        thread.setDaemon(true);
        return thread;
    });

    private final LocalTable table;
    private final DeliveryFaults faults;
    private final ManualClock clock;
    private final StepMutations mutations;
    private final List<String> rows;
    private final LateIndexes late;

    private final TableShape shape;

    private final long behindMs;

    /** Rows of writes whose index updates were reported as delayed, until the next drain. */
    private final Set<Integer> delayed = new HashSet<>();

    /** Rows of which HBase may drop visible cells without a write: see {@link HiddenPuts}. */
    private final Set<Integer> unsteady = new HashSet<>();

    /**
     * Creates a run on a table that is empty, or on rows that it does not have.
     *
     * @param rows the prefix of the names of its rows
     */
    public SequenceRun(TableShape shape, LocalTable table, DeliveryFaults faults, ManualClock clock, String rows) {
        this.shape = shape;
        this.behindMs = shape.hasTtl() ? 0 : BEHIND_MS;
        this.table = table;
        this.faults = faults;
        this.clock = clock;
        this.mutations = new StepMutations(clock, rows);
        this.rows =
                IntStream.range(0, Sequences.ROWS).mapToObj(mutations::rowName).toList();
        this.late = new LateIndexes(table, faults, rows);
    }

    /** Returns the names of its rows. */
    public List<String> rows() {
        return rows;
    }

    /** Returns the names of the rows of which HBase may drop visible cells without a write. */
    public List<String> unsteadyRows() {
        return unsteady.stream().map(rows::get).toList();
    }

    /** Runs steps, some of which may give timestamps. */
    public void run(List<Step> steps) throws IOException {
        run(steps, true);
    }

    public void run(List<Step> steps, boolean clientsGiveTimes) throws IOException {
        for (Step step : steps) {
            take(step);
            if (step instanceof Step.Write && (clientsGiveTimes || givesTimes(step))) {
                lookForUnsteadyRows();
            }
            compare(step);
            if (!clientsGiveTimes) {
                lastWriteOf(step).ifPresent(this::assertIsShown);
            }
        }
        take(Step.Upkeep.DRAIN);
        compare(Step.Upkeep.DRAIN);
        late.drop();
    }

    private static boolean givesTimes(Step write) {
        return write instanceof Step.PutBeside || write.parts().stream().anyMatch(SequenceRun::givesTimes);
    }

    /**
     * Returns the last write of a step, if it is certain to be the last one of its row and to be carried out. Increments
     * and appends of a batch are not: HBase computes their results as of before the batch.
     */
    private static Optional<Step.Single> lastWriteOf(Step step) {
        if (step instanceof Step.Single write) {
            return Optional.of(write);
        }
        if (step instanceof Step.Batch || step instanceof Step.Atomic) {
            Step.Single last = step.parts().get(step.parts().size() - 1);
            boolean isComputed = last instanceof Step.Increment || last instanceof Step.Append;
            return isComputed ? Optional.empty() : Optional.of(last);
        }
        return Optional.empty();
    }

    private void assertIsShown(Step.Single write) {
        String row = mutations.rowName(write.row());
        try {
            LastWrite.assertIsShown(write, table.visible(List.of(row)).get(row));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void take(Step step) throws IOException {
        if (step instanceof Step.Write write) {
            write(write);
        } else if (step instanceof Step.Upkeep upkeep) {
            keepUp(upkeep);
        } else if (step instanceof Step.Split split) {
            clock.move(-behindMs);
            table.split(mutations.row(split.row()));
        } else if (step instanceof Step.Tick tick) {
            clock.move(tick.milliseconds());
        } else if (step instanceof Step.Crash crash) {
            crash(crash);
        } else if (step instanceof Step.Create create) {
            late.backfill(late.create(create.scheme()));
        } else if (step instanceof Step.Alter alter) {
            alter(alter.scheme());
        } else if (step instanceof Step.FailNext failNext) {
            faults.failNext(failNext.calls(), failNext.halfway());
        } else {
            befall((Step.Fault) step);
        }
    }

    private void befall(Step.Fault fault) {
        switch (fault) {
            case OUTAGE -> faults.outage();
            case HOLD -> faults.hold();
            case END -> faults.end();
        }
    }

    private void keepUp(Step.Upkeep upkeep) throws IOException {
        switch (upkeep) {
            case FLUSH -> {
                table.flush();
            }
            case FLUSH_F -> {
                table.flush(Step.Column.A.family());
            }
            case COMPACT -> {
                table.compact();
            }
            case MOVE -> {
                clock.move(-behindMs);
                table.move();
            }
            case MERGE -> {
                clock.move(-behindMs);
                table.merge();
            }
            case DRAIN -> drain();
        }
    }

    /** Ends the faults, and waits for all deliveries. Calls that a dead server had in flight arrive last. */
    private void drain() {
        faults.end();
        assertThat(table.drain()).as("batches left after a drain").isZero();
        faults.arriveLate();
        delayed.clear();
    }

    private void crash(Step.Crash crash) throws IOException {
        List<String> steady = new ArrayList<>(rows);
        steady.removeAll(unsteadyRows());
        Map<String, List<Cell>> before = table.visible(steady);
        table.die();
        faults.serverDied(crash.heldArrive());
        clock.move(crash.clockDifference());
        Optional<IndexDefinition> created = crash.created().map(late::define);
        String recovered = created.isPresent() ? table.recover(late.with(created.get())) : table.recover();
        assertThat(table.visible(steady))
                .as("the base after %s, %s", crash, recovered)
                .isEqualTo(before);
        if (created.isPresent()) {
            late.backfill(created.get());
        }
    }

    /** Changes a scheme in the steps of a change; the index table answers no readers meanwhile. */
    private void alter(IndexScheme next) throws IOException {
        if (late.last().isEmpty()) {
            late.backfill(late.create(next));
            return;
        }
        SchemeState begun =
                SchemeState.begin(Optional.empty(), late.last().get().scheme(), next, "change");
        IndexDefinition changed = late.changeLast(next);
        if (begun.needsDrain() || begun.needsCleanup()) {
            drain();
        }
        if (begun.needsCleanup()) {
            for (Map.Entry<String, List<Cell>> row : table.visible(rows).entrySet()) {
                table.repairOthers(
                        changed,
                        Bytes.toBytes(row.getKey()),
                        LocalTable.expected(changed, Map.of(row.getKey(), row.getValue())));
            }
        }
    }

    private void write(Step.Write write) throws IOException {
        if (write instanceof Step.Single single) {
            acknowledged(single.row(), () -> apply(single));
        } else if (write instanceof Step.Batch batch) {
            batch(batch.writes());
        } else if (write instanceof Step.Rows several) {
            rowsTogether(several.writes());
        } else if (write instanceof Step.Atomic atomic) {
            RowMutations row = mutations.atomic(atomic.row(), atomic.writes());
            acknowledged(atomic.row(), () -> region(atomic.row()).mutateRow(row));
        } else if (write instanceof Step.Check check) {
            acknowledged(check.row(), () -> check(check));
        } else if (write instanceof Step.Together together) {
            faults.withoutHold(() -> together(together));
        } else if (write instanceof Step.Within within) {
            within(within);
        } else if (write instanceof Step.CreateBesideWrites create) {
            createBesideWrites(create);
        }
    }

    /** Lets another coprocessor also run a row processor, in a row of its own, before the outer write is logged. */
    private void within(Step.Within within) throws IOException {
        Step.Single inner = within.inner();
        HRegion region = region(within.outer().row());
        Put unindexed = new Put(Bytes.add(mutations.row(within.outer().row()), Bytes.toBytes("-processed")))
                .addColumn(Bytes.toBytes("f"), Bytes.toBytes("unindexed"), 1, Bytes.toBytes("processed"));
        probe(within.outer()).beforeNextAppend(() -> region.processRowsWithLocks(new PutProcessor(unindexed)));
        probe(within.outer()).afterNextWrite(() -> acknowledged(inner.row(), () -> apply(inner)));
        acknowledged(within.outer().row(), () -> apply(within.outer()));
    }

    /** Returns the probe of the region of a write. */
    private BaseProbe probe(Step.Single write) {
        return region(write.row()).getCoprocessorHost().findCoprocessor(BaseProbe.class);
    }

    private void createBesideWrites(Step.CreateBesideWrites create) throws IOException {
        IndexDefinition index = late.create(create.scheme());
        acknowledged(create.before().row(), () -> apply(create.before()));
        probe(create.during()).atNextRead(() -> {
            clock.move(create.ticksBefore());
            try {
                acknowledged(create.during().row(), () -> apply(create.during()));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            clock.move(create.ticksAfter());
        });
        late.backfill(index);
    }

    /** A call of a client. */
    @FunctionalInterface
    private interface Call {
        void make() throws IOException;
    }

    private void acknowledged(int row, Call call) throws IOException {
        try {
            call.make();
        } catch (IndexUpdateDelayedException e) {
            delayed.add(row);
        }
    }

    /** Retries a little later, as a client does, if a cell that expires is ahead of the clock. */
    private void check(Step.Check check) throws IOException {
        long deadline = clock.millis() + RowClock.MOST_AHEAD_MS;
        while (true) {
            try {
                region(check.row()).checkAndMutate(checkAndMutate(check));
                return;
            } catch (RegionTooBusyException e) {
                if (!shape.hasTtl() || clock.millis() > deadline) {
                    throw e;
                }
                clock.move(1);
            }
        }
    }

    private HRegion region(int row) {
        return table.regionOf(mutations.row(row));
    }

    private void apply(Step.Single write) throws IOException {
        HRegion region = region(write.row());
        Mutation mutation = mutations.of(write);
        if (mutation instanceof Put put) {
            region.put(put);
        } else if (mutation instanceof Delete delete) {
            region.delete(delete);
        } else if (mutation instanceof Increment increment) {
            region.increment(increment);
        } else if (mutation instanceof Append append) {
            region.append(append);
        }
    }

    /** Makes one call for each region, like a client's batch. */
    private void batch(List<Step.Single> writes) throws IOException {
        Map<HRegion, List<Step.Single>> byRegion = new LinkedHashMap<>();
        for (Step.Single write : writes) {
            byRegion.computeIfAbsent(region(write.row()), region -> new ArrayList<>())
                    .add(write);
        }
        for (Map.Entry<HRegion, List<Step.Single>> each : byRegion.entrySet()) {
            batch(each.getKey(), each.getValue());
        }
    }

    /**
     * Makes one call. Each write has its own outcome, but HBase applies a batch with increments or appends as a whole.
     */
    private void batch(HRegion region, List<Step.Single> writes) throws IOException {
        boolean isAtomic =
                writes.stream().anyMatch(write -> write instanceof Step.Increment || write instanceof Step.Append);
        OperationStatus[] statuses = {};
        try {
            statuses = region.batchMutate(mutations.of(writes));
        } catch (IndexUpdateDelayedException e) {
            assertThat(isAtomic)
                    .as("whether %s, which was answered as a whole, is atomic", writes)
                    .isTrue();
            writes.forEach(write -> delayed.add(write.row()));
        }
        for (int i = 0; i < statuses.length; i++) {
            if (statuses[i].getOperationStatusCode() != OperationStatusCode.SUCCESS) {
                assertThat(isAtomic).isFalse();
                assertThat(statuses[i].getExceptionMsg()).contains(IndexUpdateDelayedException.DESCRIPTION);
                delayed.add(writes.get(i).row());
            }
        }
    }

    /** Writes those rows that are in the region of the first one. */
    private void rowsTogether(List<Step.Single> writes) throws IOException {
        HRegion region = region(writes.get(0).row());
        List<Step.Single> inRegion = writes.stream()
                .filter(write -> region(write.row()).equals(region))
                .toList();
        try {
            PathIntoRegion.ROWS_WITH_LOCKS.write(region, List.of(mutations.of(inRegion)));
        } catch (IndexUpdateDelayedException e) {
            inRegion.forEach(write -> delayed.add(write.row()));
        }
    }

    private CheckAndMutate checkAndMutate(Step.Check check) throws IOException {
        Step.Value value = check.value();
        CheckAndMutate.Builder builder = CheckAndMutate.newBuilder(mutations.row(check.row()))
                .ifMatches(
                        value.column().family(),
                        value.column().qualifier(),
                        check.equal() ? CompareOperator.EQUAL : CompareOperator.NOT_EQUAL,
                        StepMutations.value(value));
        if (check.writes().size() > 1) {
            return builder.build(mutations.atomic(check.row(), check.writes()));
        }
        Mutation action = mutations.of(check.writes().get(0));
        if (action instanceof Put put) {
            return builder.build(put);
        } else if (action instanceof Delete delete) {
            return builder.build(delete);
        } else if (action instanceof Increment increment) {
            return builder.build(increment);
        }
        return builder.build((Append) action);
    }

    private void together(Step.Together together) throws IOException {
        Future<?> other = SECOND_WRITER.submit(() -> {
            apply(together.other());
            return null;
        });
        acknowledged(together.one().row(), () -> apply(together.one()));
        acknowledged(together.other().row(), () -> {
            try {
                other.get(1, TimeUnit.MINUTES);
            } catch (ExecutionException e) {
                throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getCause());
            } catch (InterruptedException | TimeoutException e) {
                throw new IOException("The second writer did not finish", e);
            }
        });
    }

    /** Compares the indexes with the base, as far as they promise anything at this moment. */
    private void compare(Step after) throws IOException {
        Map<String, List<Cell>> visible = table.visible(rows);
        boolean drained = after == Step.Upkeep.DRAIN;
        for (IndexDefinition index : table.indexes()) {
            if (drained || index.scheme().readsAcknowledgedWrites()) {
                NavigableSet<String> expected = ofOwnRows(LocalTable.expected(index, visible));
                NavigableSet<String> actual = ofOwnRows(table.entries(index));
                if (index.scheme().leavesStaleEntries()) {
                    // Entries beside these have another key than the row's entry, and the double check drops them.
                    assertThat(actual).as("%s after %s", index.name(), after).containsAll(expected);
                } else {
                    assertThat(actual).as("%s after %s", index.name(), after).isEqualTo(expected);
                }
            }
        }
    }

    /** Looks for rows with hidden puts. With NEW_VERSION_BEHAVIOR, an earlier tombstone hides no put. */
    private void lookForUnsteadyRows() throws IOException {
        for (int row = 0; shape != TableShape.NEW_VERSION_BEHAVIOR && row < rows.size(); row++) {
            if (HiddenPuts.areAmong(table.everything(rows.get(row)))) {
                unsteady.add(row);
            }
        }
    }

    /**
     * Retains the entries of this run's rows that are neither delayed nor unsteady. An entry's key ends with its row.
     */
    private NavigableSet<String> ofOwnRows(NavigableSet<String> entries) {
        entries.removeIf(entry -> {
            int end = entry.lastIndexOf('@') - 1;
            int row = entry.charAt(end) - '0';
            return !entry.substring(0, end).endsWith(mutations.rowPrefix())
                    || delayed.contains(row)
                    || unsteady.contains(row);
        });
        return entries;
    }
}
