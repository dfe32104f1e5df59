package org.diffindex.server.sim;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.MultiVersionConcurrencyControl;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKeyImpl;

/** One mini-batch that passes through a region in the steps of HRegion.doMiniBatchMutate. */
final class RegionWrite {
    private static final int WAL_FAILS_ONCE_IN = 4;
    private static final int COPROCESSOR_FAILS_ONCE_IN = 40;
    private static final int READS_FAIL_ONCE_IN = 4;

    /**
     * Thrown when a sync of the WAL failed, whose entries may be durable nevertheless, or when a coprocessor failed after
     * the write had entered the memstore, where HBase shows it nevertheless.
     */
    static final class LateFailure extends IOException {
        private static final long serialVersionUID = 1;
    }

    private final OpenRegion region;
    private final Scheduler scheduler;
    private final Mutation[] mutations;
    private final OperationStatus[] statuses;
    private final boolean atomic;
    private final List<List<Cell>> results = new ArrayList<>();
    private final List<Runnable> rowLocks = new ArrayList<>();

    private RegionWrite(OpenRegion region, List<Mutation> mutations, boolean atomic) {
        this.atomic = atomic;
        this.region = region;
        this.scheduler = region.scheduler;
        this.mutations = mutations.toArray(Mutation[]::new);
        this.statuses = notRun(mutations.size());
    }

    private static OperationStatus[] notRun(int size) {
        OperationStatus[] statuses = new OperationStatus[size];
        Arrays.fill(statuses, OperationStatus.NOT_RUN);
        return statuses;
    }

    /** A mini-batch that knows whether its call is atomic. */
    private static final class Operations extends MiniBatchOperationInProgress<Mutation> {
        private final boolean atomic;

        Operations(Mutation[] mutations, boolean atomic) {
            this(mutations, notRun(mutations.length), atomic);
        }

        Operations(Mutation[] mutations, OperationStatus[] statuses, boolean atomic) {
            super(mutations, statuses, new WALEdit[mutations.length], 0, mutations.length, mutations.length);
            this.atomic = atomic;
        }
    }

    /** Returns a batch with other mutations, none of which was run. */
    static MiniBatchOperationInProgress<Mutation> shown(
            MiniBatchOperationInProgress<Mutation> batch, List<Mutation> mutations) {
        return new Operations(mutations.toArray(Mutation[]::new), isAtomic(batch));
    }

    static boolean isAtomic(MiniBatchOperationInProgress<Mutation> batch) {
        return ((Operations) batch).atomic;
    }

    /**
     * Makes one call of a client, atomic or with an outcome for each write. The client may learn the outcome when this
     * returns.
     */
    static OperationStatus[] call(OpenRegion region, List<Mutation> mutations) throws IOException {
        boolean atomic = mutations.stream().anyMatch(Increment.class::isInstance) || region.scheduler.onceIn(2);
        region.startOperation();
        try {
            for (Mutation mutation : mutations) {
                region.hooks.prepare(mutation);
            }
            List<OperationStatus> statuses = new ArrayList<>();
            for (List<Mutation> batch : miniBatches(region, mutations, atomic)) {
                statuses.addAll(List.of(new RegionWrite(region, batch, atomic).run()));
            }
            return statuses.toArray(OperationStatus[]::new);
        } finally {
            region.endOperation();
        }
    }

    /**
     * Splits a call as HBase does when it cannot acquire a row lock at once: that write and all after it are in the
     * next mini-batch.
     */
    private static List<List<Mutation>> miniBatches(OpenRegion region, List<Mutation> mutations, boolean atomic) {
        return atomic || region.scheduler.onceIn(2)
                ? List.of(mutations)
                : mutations.stream().map(List::of).toList();
    }

    private OperationStatus[] run() throws IOException {
        scheduler.beginsAgain();
        MiniBatchOperationInProgress<Mutation> batch = new Operations(mutations, statuses, atomic);
        boolean success = false;
        try {
            underLocks(batch);
            success = true;
        } finally {
            if (!scheduler.isKilled()) {
                complete(batch, success);
            }
        }
        return statuses;
    }

    private void complete(MiniBatchOperationInProgress<Mutation> batch, boolean success) throws IOException {
        for (int i = 0; i < statuses.length; i++) {
            if (statuses[i].getOperationStatusCode() == OperationStatusCode.NOT_RUN) {
                statuses[i] = success ? OperationStatus.SUCCESS : OperationStatus.FAILURE;
            }
        }
        scheduler.pause("has released the locks");
        for (int i = 0; i < statuses.length; i++) {
            if (statuses[i].getOperationStatusCode() == OperationStatusCode.SUCCESS) {
                region.hooks.visible(mutations[i]);
            }
        }
        scheduler.pause("has called the hooks of its writes");
        if (!success && region.server.isWalShaky && scheduler.onceIn(READS_FAIL_ONCE_IN)) {
            scheduler.happens("fault: the rows of a failed write cannot be read");
            region.withoutReads.add(Thread.currentThread());
        }
        try {
            region.hooks.completed(batch, success);
        } finally {
            region.withoutReads.remove(Thread.currentThread());
        }
    }

    private void underLocks(MiniBatchOperationInProgress<Mutation> batch) throws IOException {
        Runnable leaveUpdates = null;
        try {
            Arrays.stream(mutations)
                    .map(mutation -> Bytes.toString(mutation.getRow()))
                    .distinct()
                    .sorted()
                    .forEach(row -> rowLocks.add(region.rowHolds.hold(row, has(row, Increment.class))));
            leaveUpdates = region.updatesLock.share();
            prepareCells();
            region.hooks.beforeBatch(batch);
            region.durable.times.stamped(List.of(mutations), region.server.nowMs());
            scheduler.pause("has its rows");
            apply(batch);
        } finally {
            if (leaveUpdates != null) {
                leaveUpdates.run();
            }
            rowLocks.forEach(Runnable::run);
        }
    }

    private boolean has(String row, Class<? extends Mutation> type) {
        return Arrays.stream(mutations)
                .anyMatch(mutation -> type.isInstance(mutation)
                        && Bytes.toString(mutation.getRow()).equals(row));
    }

    /** Sets the server's time where the client gave no timestamp, and computes the results of increments. */
    private void prepareCells() throws IOException {
        long now = region.server.nowMs();
        for (Mutation mutation : mutations) {
            List<Cell> cells = new ArrayList<>();
            for (List<Cell> ofFamily : mutation.getFamilyCellMap().values()) {
                for (Cell cell : ofFamily) {
                    if (mutation instanceof Increment) {
                        cells.add(incremented(cell, now));
                    } else {
                        if (cell.getTimestamp() == HConstants.LATEST_TIMESTAMP) {
                            PrivateCellUtil.setTimestamp(cell, now);
                        }
                        cells.add(cell);
                    }
                }
            }
            results.add(cells);
        }
    }

    private Cell incremented(Cell delta, long now) {
        byte[] row = CellUtil.cloneRow(delta);
        long value = Bytes.toLong(CellUtil.cloneValue(delta));
        long time = now;
        for (KeyValue visible : Versions.visible(region.cellsOf(row), region.mvcc.getReadPoint())) {
            if (CellUtil.matchingColumn(visible, delta)) {
                value += Bytes.toLong(CellUtil.cloneValue(visible));
                time = Math.max(time, visible.getTimestamp());
            }
        }
        return new KeyValue(
                row, CellUtil.cloneFamily(delta), CellUtil.cloneQualifier(delta), time, Bytes.toBytes(value));
    }

    private void log(StoreFiles.Logged entry, boolean synced) throws LateFailure {
        if (!region.server.serves()) {
            throw new LateFailure(); // nothing is logged, but HBase's client does not know
        }
        boolean fails = synced && region.server.isWalShaky && scheduler.onceIn(WAL_FAILS_ONCE_IN);
        if (!fails || scheduler.onceIn(2)) {
            region.log(entry, synced);
        }
        if (fails) {
            scheduler.happens("fault: a sync of the WAL fails");
            scheduler.pause("learns that the WAL failed");
            throw new LateFailure();
        }
    }

    private void apply(MiniBatchOperationInProgress<Mutation> batch) throws IOException {
        WALEdit edit = new WALEdit();
        boolean logged = false;
        boolean synced = false;
        for (int i = 0; i < mutations.length; i++) {
            if (statuses[i].getOperationStatusCode() == OperationStatusCode.NOT_RUN) {
                results.get(i).forEach(cell -> edit.add(KeyValueUtil.copyToNewKeyValue(cell)));
                Durability durability = region.hooks.durabilityOf(mutations[i]);
                logged |= durability != Durability.SKIP_WAL;
                synced |= durability != Durability.SKIP_WAL && durability != Durability.ASYNC_WAL;
            }
        }
        if (edit.isEmpty()) {
            return;
        }
        WALKeyImpl key = new WALKeyImpl(
                region.durable.info.getEncodedNameAsBytes(),
                region.durable.info.getTable(),
                region.server.nowMs(),
                region.mvcc);
        region.hooks.beforeWalAppend(key, edit);
        scheduler.pause("appends to the WAL");
        MultiVersionConcurrencyControl.WriteEntry entry = region.mvcc.begin();
        try {
            key.setWriteEntry(entry);
            long sequence = entry.getWriteNumber();
            edit.getCells().forEach(cell -> ((KeyValue) cell).setSequenceId(sequence));
            if (logged) {
                log(new StoreFiles.Logged(key, edit), synced);
            }
            scheduler.pause("has logged " + sequence);
            edit.getCells().forEach(cell -> region.remember((KeyValue) cell));
            callHooks(batch);
            scheduler.pause("has " + sequence + " in the memstore");
        } finally {
            region.mvcc.complete(entry);
            region.shows();
        }
        scheduler.await("to be visible", () -> region.mvcc.getReadPoint() >= key.getSequenceId());
    }

    /** Calls the hooks of the coprocessors for a write in the memstore; another one may fail before ours, or after it. */
    private void callHooks(MiniBatchOperationInProgress<Mutation> batch) throws IOException {
        boolean fails = scheduler.onceIn(COPROCESSOR_FAILS_ONCE_IN);
        if (!fails || scheduler.onceIn(2)) {
            region.hooks.applied(batch);
        }
        if (fails) {
            scheduler.happens("fault: another coprocessor fails after the memstore");
            throw new LateFailure();
        }
    }
}
