package org.diffindex.server.sim;

import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.ExtendedCell;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKeyImpl;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.server.SimulatedMachine;
import org.diffindex.server.maintain.RowClock;
import org.diffindex.server.maintain.RowLocks;
import org.diffindex.server.maintain.RowMemory;
import org.diffindex.server.sim.SimulationFailure.Kind;

/**
 * Mistakes of a naive implementation on a real HBase. The wiring of each replaces a correct part by a faulty one, and
 * causes violations of a kind: an index that differs, unless the defect names another.
 */
enum Defect {
    /** Refuses valid writes. */
    GOOD_WRITES_REFUSED(
            Kind.REFUSAL, answering(OperationStatusCode.SANITY_CHECK_FAILURE, "Write refused, nothing was written")),

    /** Reports a write as durable but delayed although it was not made. */
    DELAY_TOLD_OF_WHAT_IS_NOT_WRITTEN(
            Kind.BASE, answering(OperationStatusCode.FAILURE, IndexUpdateDelayedException.DESCRIPTION)),

    /** Two concurrent writers of a row read the same old value. */
    NO_ROW_LOCKS(new Wiring() {
        @Override
        RowLocks rowLocks(Scheduler scheduler) {
            return new RowLocks() {
                @Override
                public Held acquire(Collection<ImmutableBytesWritable> rows) {
                    return () -> {};
                }

                @Override
                public Held acquireWithin(Duration atMost, Collection<ImmutableBytesWritable> rows) {
                    return acquire(rows);
                }
            };
        }
    }),

    /**
     * Row locks are held during delivery, so that other writers of the row, and with them flushes, wait for the
     * network.
     */
    ROW_LOCKS_HELD_WHILE_DELIVERING(Kind.CALL, new Wiring() {
        @Override
        RowLocks rowLocks(Scheduler scheduler) {
            return new Server.WatchedRowLocks(scheduler) {
                @Override
                public Held acquire(Collection<ImmutableBytesWritable> rows) {
                    Held held = super.acquire(rows);
                    int[] releases = {0};
                    return () -> {
                        if (++releases[0] > 1) {
                            held.release();
                        }
                    };
                }
            };
        }
    }),

    /** Two writes of a row within a millisecond get the same stamp. */
    STAMPS_REPEAT_WITHIN_A_MILLISECOND(new Wiring() {
        @Override
        RowClock rowClock(InstantSource source) {
            return new RowClock(source) {
                @Override
                public Stamp next(ImmutableBytesWritable row, int count) {
                    long now = source.millis();
                    return new Stamp(now, now, now, now, 0);
                }
            };
        }
    }),

    /** Every cell of a batch, instead of every batch, advances the clock of its row. */
    STAMPS_RUN_AHEAD_WITHOUT_BOUND(Kind.TIMESTAMP, new Wiring() {
        @Override
        RowClock rowClock(InstantSource source) {
            return new RowClock(source) {
                @Override
                public Stamp next(ImmutableBytesWritable row, int count) throws RegionTooBusyException {
                    Stamp stamp = super.next(row, 100 * count);
                    return new Stamp(
                            stamp.last() - count + 1, stamp.last(), stamp.since(), stamp.clock(), stamp.floor());
                }
            };
        }
    }),

    /** The memory keeps what a row showed before a write that is not a plain put. */
    ROW_MEMORY_SURVIVES_OTHER_WRITES(new Wiring() {
        @Override
        RowMemory rowMemory(RowMemory.Shared shared, LongAdder hits) {
            return new RowMemory(shared, hits) {
                @Override
                public Optional<List<Cell>> take(byte[] row, long before) {
                    Optional<List<Cell>> known = super.take(row, before);
                    known.ifPresent(cells -> remember(row, cells));
                    return known;
                }
            };
        }
    }),

    /** The cells of every row are dated by the highest stamp of any row. */
    ONE_ROW_DATES_ANOTHERS_CELLS(Kind.TIMESTAMP, new Wiring() {
        @Override
        RowClock rowClock(InstantSource source) {
            return new RowClock(source) {
                @Override
                public Stamp next(ImmutableBytesWritable row, int count) throws RegionTooBusyException {
                    Stamp stamp = super.next(row, count);
                    return new Stamp(stamp.first(), stamp.last(), stamp.since(), stamp.clock(), 0);
                }
            };
        }
    }),

    /** A replayed stamp that is far ahead of the clock is taken for a client's timestamp. */
    REPLAY_FORGETS_STAMPS_AHEAD_OF_THE_CLOCK(Kind.BASE, new Wiring() {
        @Override
        RowClock rowClock(InstantSource source) {
            return new RowClock(source) {
                @Override
                public void raise(long stamp) {
                    if (stamp <= source.millis() + MAX_CLOCK_SKEW_MS) {
                        super.raise(stamp);
                    }
                }
            };
        }
    }),

    /** Timestamps of writes that precede the index, or bypass the hooks, are taken for stamps. */
    UNSTAMPED_EDITS_COUNT_AS_STAMPED(Kind.TIMESTAMP, new Hooking(scheduler -> new Hooks(scheduler) {
        @Override
        void replayed(RegionInfo region, WALKeyImpl key, WALEdit edit) throws IOException {
            if (key.getExtendedAttributes().isEmpty()) {
                SimulatedMachine.markStamped(key);
            }
            super.replayed(region, key, edit);
        }
    })),

    /** The clock is not raised when a region moves to a server whose clock is behind. */
    CLOCK_NOT_RAISED_AT_OPEN(Kind.BASE, new Wiring() {
        @Override
        RowClock rowClock(InstantSource source) {
            return new RowClock(source) {
                @Override
                public void raise(long stamp) {
                    // forgets the stamps of the previous server
                }
            };
        }
    }),

    /** Delivers in postBatchMutate, while the region's lock is held. */
    DELIVERY_UNDER_THE_REGIONS_LOCK(Kind.CALL, new Hooking(Delivering::new)),

    /** Makes one call per entry instead of one per mini-batch. */
    ONE_CALL_PER_ENTRY(Kind.CALL, new Wiring() {
        @Override
        void deliver(IndexTable index, List<Mutation> mutations, Scheduler scheduler) throws IOException {
            for (Mutation mutation : mutations) {
                index.batch(List.of(mutation));
            }
        }
    }),

    /** Drains only in the region's preFlush, and ignores the updates of what is in the snapshot. */
    DRAINS_ONLY_BEFORE_THE_SNAPSHOT(new Hooking(scheduler -> new Hooks(scheduler) {
        @Override
        void snapshotTaken(Flush kind) {
            // already drained by preFlush
        }
    })),

    /** Does not cover the flush that closes a region, for which HBase does not call the region's preFlush. */
    FLUSH_AT_CLOSE_NOT_COVERED(new Hooking(scheduler -> new Hooks(scheduler) {
        @Override
        void snapshotTaken(Flush kind) throws IOException {
            if (kind != Flush.AT_CLOSE) {
                super.snapshotTaken(kind);
            }
        }
    })),

    /** Does not cover flushes during a replay, for which HBase does not call the region's preFlush either. */
    FLUSH_OF_A_REPLAY_NOT_COVERED(new Hooking(scheduler -> new Hooks(scheduler) {
        @Override
        void snapshotTaken(Flush kind) throws IOException {
            if (kind != Flush.AT_REPLAY) {
                super.snapshotTaken(kind);
            }
        }
    })),

    /** A flush learns of a write only after the write has released the region's lock, and does not look for it. */
    REGISTERED_AFTER_THE_LOCK(new Hooking(scheduler -> new Hooks(scheduler) {
        @Override
        void applied(MiniBatchOperationInProgress<Mutation> batch) {
            // deferred to completed()
        }

        @Override
        void completed(MiniBatchOperationInProgress<Mutation> batch, boolean success) throws IOException {
            if (success) {
                scheduler.await("its turn to be registered", () -> false, A_WHILE_NANOS);
                super.applied(batch);
            }
            super.completed(batch, success);
        }

        @Override
        void beforeSnapshotIsWritten() {
            // the flush would find the write, as one that failed
        }
    })),

    /** A flush fails while updates are pending, until the server aborts. */
    FLUSH_REFUSED_WHILE_UPDATES_WAIT(Kind.STUCK, new Hooking(scheduler -> new Hooks(scheduler) {
        @Override
        void snapshotTaken(Flush kind) throws IOException {
            if (inside() > 0) {
                throw new IOException("Index updates wait");
            }
        }
    })),

    /** A flush waits for an index whose server needs the flush thread. */
    FLUSH_WAITS_FOR_THE_INDEX(Kind.STUCK, new Hooking(scheduler -> new Hooks(scheduler) {
        @Override
        void snapshotTaken(Flush kind) throws IOException {
            if (kind != Flush.AT_REPLAY) {
                scheduler.await("the index, in the flush", () -> inside() == 0);
            }
            super.snapshotTaken(kind);
        }
    })),

    /** The server that opens a region does not look for the spill of the previous server. */
    SPILL_NOT_FOUND_AT_OPEN(Kind.STUCK, new Hooking(scheduler -> new Hooks(scheduler) {
        @Override
        void opening() {
            // relies on the WAL alone
        }
    })),

    /** A spill file is removed when it is loaded instead of when it is delivered. */
    SPILL_REMOVED_BEFORE_DELIVERY(new Wiring() {
        @Override
        boolean removesSpillWhenRead() {
            return true;
        }
    }),

    /** A server that was paused publishes spill files though another one has opened the region. */
    SPILL_PUBLISHED_AFTER_THE_SESSION(Kind.STUCK, new Wiring() {
        @Override
        boolean publishesWithoutAWal() {
            return true;
        }
    }),

    /** A server that was paused answers, and repairs entries, by what its rows were before. */
    LEASE_TAKEN_FOR_ENDLESS(Kind.READ, new Wiring() {
        @Override
        boolean ignoresItsSession() {
            return true;
        }
    }),

    /** Spill files are in the region's folder, and are removed with it when the region is split. */
    SPILL_IN_THE_REGIONS_FOLDER(new Wiring() {
        @Override
        boolean keepsSpillWithTheRegion() {
            return true;
        }
    }),

    /** Replayed changes are queued only when the region is open, and its WAL is gone. */
    REPLAY_QUEUED_ONLY_AFTER_THE_OPEN(new Hooking(Late::new)),

    /** Opening a region waits for an index whose region needs the thread that opens regions. */
    OPEN_WAITS_FOR_THE_INDEX(Kind.STUCK, new Hooking(scheduler -> new Hooks(scheduler) {
        @Override
        void opened() throws IOException {
            super.opened();
            scheduler.await("the index, in postOpen", () -> inside() == 0);
        }
    })),

    /** A connection is opened in start(): it waits for the cluster, which waits for the region. */
    CONNECTION_OPENED_AT_START(Kind.CALL, new Hooking(scheduler -> new Hooks(scheduler) {
        @Override
        void start(RegionCoprocessorEnvironment env) throws IOException {
            super.start(env);
            env.createConnection(env.getConfiguration()).close();
        }
    })),

    /** Recovered edits bypass the hooks, as with hbase.wal.split.to.hfile. */
    REPLAY_WITHOUT_HOOKS(new Hooking(scheduler -> new Hooks(scheduler) {
        @Override
        void replayed(RegionInfo region, WALKeyImpl key, WALEdit edit) {
            // the edits become store files
        }
    })),

    /** Only asynchronous indexes are delivered to from the AUQ, so that synchronous ones do not recover. */
    SYNC_INDEXES_NOT_RECOVERED(new Wiring() {
        @Override
        void deliver(IndexTable index, List<Mutation> mutations, Scheduler scheduler) throws IOException {
            boolean fromQueue = scheduler.runningName().startsWith("APS");
            if (!fromQueue || index.definition.scheme().isAsynchronous()) {
                index.batch(mutations);
            }
        }
    }),

    /** A write whose index update is delayed is acknowledged. */
    FAILED_INDEX_WRITE_ACKNOWLEDGED(new Hooking(scheduler -> new Hooks(scheduler) {
        @Override
        void completed(MiniBatchOperationInProgress<Mutation> batch, boolean success) throws IOException {
            try {
                super.completed(batch, success);
            } catch (IndexUpdateDelayedException e) {
                scheduler.tell("does not report " + e.getMessage());
            }
        }
    })),

    /** Only the first of several rows whose index update is late is reported. */
    ONLY_THE_FIRST_LATE_ROW_REPORTED(new Hooking(scheduler -> new Hooks(scheduler) {
        @Override
        void completed(MiniBatchOperationInProgress<Mutation> batch, boolean success) throws IOException {
            super.completed(batch, success);
            boolean reported = false;
            for (int i = 0; i < batch.size(); i++) {
                boolean isLate = batch.getOperationStatus(i).getOperationStatusCode() == OperationStatusCode.FAILURE;
                if (isLate && reported) {
                    batch.setOperationStatus(i, OperationStatus.SUCCESS);
                }
                reported |= isLate;
            }
        }
    })),

    /** A put gets the timestamp of a delete of its row that precedes it in the batch, and is hidden by it. */
    PUT_HIDDEN_BY_A_DELETE_BEFORE_IT(Kind.BASE, new Hooking(scheduler -> new Hooks(scheduler) {
        @Override
        void beforeBatch(MiniBatchOperationInProgress<Mutation> batch) throws IOException {
            super.beforeBatch(batch);
            for (int i = 1; i < batch.size(); i++) {
                Mutation put = batch.getOperation(i);
                Mutation before = batch.getOperation(i - 1);
                if (put instanceof Put && before instanceof Delete && Row.COMPARATOR.compare(put, before) == 0) {
                    cellsOf(put).get(0).setTimestamp(cellsOf(before).get(0).getTimestamp());
                }
            }
        }

        private List<ExtendedCell> cellsOf(Mutation mutation) {
            return mutation.getFamilyCellMap().values().stream()
                    .flatMap(List::stream)
                    .map(ExtendedCell.class::cast)
                    .toList();
        }
    })),

    /** A failed call to an index is taken for a successful one. */
    FAILED_INDEX_WRITE_FORGOTTEN(new Wiring() {
        @Override
        void deliver(IndexTable index, List<Mutation> mutations, Scheduler scheduler) {
            try {
                index.batch(mutations);
            } catch (IOException e) {
                scheduler.tell("forgets " + e.getMessage());
            }
        }
    }),

    /** Indexes the amount of an increment instead of its result. */
    DELTAS_INDEXED(new Hooking(Amounts::new)),

    /** A flush drops the version that an update in the AUQ still has to read. */
    NO_HISTORY_IN_FLUSHES(new Hooking(scheduler -> new Hooks(scheduler) {
        @Override
        void beforeSnapshotIsWritten() {
            // HBase's default
        }
    })),

    /** A compaction drops the version that an update in the AUQ still has to read. */
    NO_HISTORY_IN_COMPACTIONS(new Wiring() {
        @Override
        boolean compactsWhatScannersRead() {
            return true;
        }
    }),

    /** Deletes do not reach the hook. */
    DELETES_PASS_BY(new Hooking(scheduler -> new Seeing(scheduler) {
        @Override
        Mutation seen(Mutation mutation) {
            return mutation instanceof Delete ? null : mutation;
        }
    })),

    /** A put under a tombstone with a future timestamp is taken to be visible. */
    FUTURE_TIMESTAMPS_ON_THE_FAST_PATH(new Hooking(scheduler -> new Hooks(scheduler) {
        @Override
        void beforeWalAppend(WALKeyImpl key, WALEdit edit) throws IOException {
            super.beforeWalAppend(key, new WALEdit());
        }
    })),

    /** Entries are ordered by the timestamps of clients instead of the order of the writes. */
    TIMESTAMPS_OF_CLIENTS_AS_STAMPS(Kind.TIMESTAMP, new Hooking(scheduler -> new Hooks(scheduler) {
        @Override
        void replayed(RegionInfo region, WALKeyImpl key, WALEdit edit) throws IOException {
            WALKeyImpl bare = new WALKeyImpl(
                    key.getEncodedRegionName(),
                    key.getTableName(),
                    key.getSequenceId(),
                    key.getWriteTime(),
                    org.apache.hadoop.hbase.HConstants.DEFAULT_CLUSTER_ID);
            SimulatedMachine.markStamped(bare);
            super.replayed(region, bare, edit);
        }
    })),

    /** Index writes use the common handlers, so that handlers of two servers wait for each other. */
    INDEX_WRITES_IN_THE_COMMON_HANDLERS(Kind.STUCK, new Wiring() {
        @Override
        boolean sharesHandlers() {
            return true;
        }
    }),

    /** Index tombstones are purged early, so that a late put of an old entry finds none. */
    INDEX_TOMBSTONES_PURGED_EARLY(new Wiring() {
        @Override
        boolean purgesIndexTombstones() {
            return true;
        }
    }),

    /** A write that skips the WAL is not replayed after a crash, but its index entry remains. */
    SKIP_WAL_HONOURED(new Hooking(scheduler -> new Honouring(scheduler, Durability.SKIP_WAL))),

    /** A write is acknowledged before its WAL entry is synced; a crash loses it, but its index entry remains. */
    ASYNC_WAL_HONOURED(new Hooking(scheduler -> new Honouring(scheduler, Durability.ASYNC_WAL))),

    /**
     * An entry that was written ahead of its row is taken for stale and deleted, because nothing waits for the write.
     */
    ENTRIES_AHEAD_OF_THEIR_ROWS_TAKEN_FOR_STALE(new Wiring() {
        @Override
        Hooks hooks(Scheduler scheduler) {
            return new Hooks(scheduler) {
                @Override
                void beforeGet(RegionCoprocessorEnvironment env, Get get) {
                    // reads the row without waiting for its writes
                }
            };
        }

        @Override
        RowLocks rowLocks(Scheduler scheduler) {
            return new Server.WatchedRowLocks(scheduler) {
                @Override
                public Held acquire(Collection<ImmutableBytesWritable> rows) {
                    return scheduler.runningName().startsWith("clean-up") ? () -> {} : super.acquire(rows);
                }
            };
        }
    }),

    /** Within a region, a row's old entry is deleted before the new one is put. */
    DELETES_BEFORE_PUTS(Kind.READ, new Wiring() {
        @Override
        boolean cutsIndexBatches() {
            return true;
        }
    }),

    /** Readers take the current content of an index for what their scan has seen. */
    SCANS_DO_NOT_KNOW_WHAT_THEY_HAVE_MET(Kind.READ, new Wiring() {
        @Override
        boolean tellsReadPoints() {
            return false;
        }

        @Override
        boolean remembersWhatScansMeet() {
            return false;
        }
    }),

    /**
     * Scans do not look again at regions they have passed, and miss a row that moves from a region ahead to one behind.
     */
    NO_SECOND_LOOK(Kind.READ, new Wiring() {
        @Override
        boolean looksTwice() {
            return false;
        }
    }),

    /**
     * The entry of a write whose sync failed is deleted; when a replay restores the write, its entry is put under the
     * tombstone.
     */
    UNCERTAIN_WRITES_TAKEN_FOR_FAILED(new Wiring() {
        @Override
        boolean keepsUncertainWrites() {
            return false;
        }

        @Override
        boolean failsSyncs() {
            return true;
        }
    }),

    /** A page of a backfill takes it that every later write has a later stamp than the timestamps that it reads. */
    BACKFILL_AT_TIMESTAMPS_OF_THE_FUTURE(new Wiring() {
        @Override
        RowClock rowClock(InstantSource source) {
            return new RowClock(source) {
                @Override
                public long earliestFromNow() {
                    return Long.MAX_VALUE;
                }
            };
        }
    }),

    /** The next server of a region assumes that no client has given a timestamp. */
    HORIZON_FORGOTTEN(new Wiring() {
        @Override
        String listed(String name) {
            return name.replaceFirst("-[0-9a-f]{16}-", "-0000000000000000-");
        }
    });

    private static final long MAX_CLOCK_SKEW_MS = 30_000;
    private static final long A_WHILE_NANOS = 30_000_000;

    private final Kind violation;

    @SuppressWarnings("ImmutableEnumChecker") // a wiring is stateless; the objects it creates are not
    private final Wiring wiring;

    Defect(Wiring wiring) {
        this(Kind.INDEX, wiring);
    }

    Defect(Kind violation, Wiring wiring) {
        this.violation = violation;
        this.wiring = wiring;
    }

    /** Returns the kind of the violations that show the defect; those of other kinds may have another cause. */
    Kind violation() {
        return violation;
    }

    Wiring wiring() {
        return wiring;
    }

    /** Calls the hooks differently. */
    private static final class Hooking extends Wiring {
        private final java.util.function.Function<Scheduler, Hooks> hooks;

        Hooking(java.util.function.Function<Scheduler, Hooks> hooks) {
            this.hooks = hooks;
        }

        @Override
        Hooks hooks(Scheduler scheduler) {
            return hooks.apply(scheduler);
        }
    }

    /** Writes with a durability that the client asked for, whatever the coprocessor requires. */
    private static final class Honouring extends Hooks {
        private final Durability honoured;
        private final Set<Mutation> asked = Collections.newSetFromMap(new IdentityHashMap<>());

        Honouring(Scheduler scheduler, Durability honoured) {
            super(scheduler);
            this.honoured = honoured;
        }

        @Override
        void prepare(Mutation mutation) throws IOException {
            if (mutation.getDurability() == honoured) {
                asked.add(mutation);
            }
            super.prepare(mutation);
        }

        @Override
        Durability durabilityOf(Mutation mutation) {
            return asked.contains(mutation) ? honoured : super.durabilityOf(mutation);
        }
    }

    private static final class Delivering extends Hooks {
        private MiniBatchOperationInProgress<Mutation> delivered;

        Delivering(Scheduler scheduler) {
            super(scheduler);
        }

        @Override
        void applied(MiniBatchOperationInProgress<Mutation> batch) throws IOException {
            super.applied(batch);
            delivered = batch;
            super.completed(batch, true);
        }

        @Override
        void completed(MiniBatchOperationInProgress<Mutation> batch, boolean success) throws IOException {
            if (delivered != batch) {
                super.completed(batch, success);
            }
        }
    }

    private static final class Late extends Hooks {
        private final TreeMap<Long, StoreFiles.Logged> replayed = new TreeMap<>();
        private RegionInfo region;

        Late(Scheduler scheduler) {
            super(scheduler);
        }

        @Override
        void replayed(RegionInfo of, WALKeyImpl key, WALEdit edit) {
            region = of;
            replayed.put(key.getSequenceId(), new StoreFiles.Logged(key, edit));
        }

        @Override
        void opened() throws IOException {
            for (StoreFiles.Logged entry : replayed.values()) {
                super.replayed(region, entry.key(), entry.edit());
            }
            super.opened();
        }
    }

    /** Now and then answers the first write of a batch with this status, instead of applying it. */
    private static Wiring answering(OperationStatusCode code, String message) {
        return new Wiring() {
            @Override
            Hooks hooks(Scheduler scheduler) {
                return new Hooks(scheduler) {
                    @Override
                    void beforeBatch(MiniBatchOperationInProgress<Mutation> batch) throws IOException {
                        if (scheduler.onceIn(4)) {
                            batch.setOperationStatus(0, new OperationStatus(code, message));
                        }
                        super.beforeBatch(batch);
                    }
                };
            }
        };
    }

    /** Shows the coprocessor other mutations of a batch than HBase writes. */
    private abstract static class Seeing extends Hooks {
        /** The batches in flight, as the coprocessor sees them. */
        private final IdentityHashMap<MiniBatchOperationInProgress<Mutation>, Shown> inFlight = new IdentityHashMap<>();

        /**
         * A batch as the coprocessor sees it.
         *
         * @param positions those of its mutations in the real batch
         */
        private record Shown(MiniBatchOperationInProgress<Mutation> batch, List<Integer> positions) {
            void takeStatusesOf(MiniBatchOperationInProgress<Mutation> real) {
                for (int i = 0; i < positions.size(); i++) {
                    batch.setOperationStatus(i, real.getOperationStatus(positions.get(i)));
                }
            }

            void giveStatusesTo(MiniBatchOperationInProgress<Mutation> real) {
                for (int i = 0; i < positions.size(); i++) {
                    real.setOperationStatus(positions.get(i), batch.getOperationStatus(i));
                }
            }
        }

        Seeing(Scheduler scheduler) {
            super(scheduler);
        }

        /** Returns a mutation as the coprocessor sees it, null for one that it does not see. */
        abstract Mutation seen(Mutation mutation);

        @Override
        void beforeBatch(MiniBatchOperationInProgress<Mutation> batch) throws IOException {
            List<Mutation> seen = new ArrayList<>();
            List<Integer> positions = new ArrayList<>();
            for (int i = 0; i < batch.size(); i++) {
                Mutation mutation = seen(batch.getOperation(i));
                if (mutation != null) {
                    seen.add(mutation);
                    positions.add(i);
                }
            }
            Shown shown = new Shown(RegionWrite.shown(batch, seen), positions);
            inFlight.put(batch, shown);
            super.beforeBatch(shown.batch);
            shown.giveStatusesTo(batch); // of those it refused
        }

        @Override
        void applied(MiniBatchOperationInProgress<Mutation> batch) throws IOException {
            super.applied(inFlight.get(batch).batch);
        }

        @Override
        void completed(MiniBatchOperationInProgress<Mutation> batch, boolean success) throws IOException {
            Shown shown = inFlight.remove(batch);
            if (shown == null) { // failed before the coprocessor was asked
                super.completed(batch, success);
                return;
            }
            shown.takeStatusesOf(batch);
            super.completed(shown.batch, success);
            shown.giveStatusesTo(batch);
        }
    }

    /** Shows the coprocessor puts of amounts in place of increments; the results get the timestamps of these puts. */
    private static final class Amounts extends Seeing {
        private final Map<String, Cell> puts = new TreeMap<>();

        Amounts(Scheduler scheduler) {
            super(scheduler);
        }

        @Override
        Mutation seen(Mutation mutation) {
            if (!(mutation instanceof Increment)) {
                return mutation;
            }
            Put put = new Put(mutation.getRow());
            mutation.getFamilyCellMap()
                    .forEach((family, cells) -> cells.forEach(amount ->
                            put.addColumn(family, CellUtil.cloneQualifier(amount), CellUtil.cloneValue(amount))));
            SimulatedMachine.leaveTimeToServer(put);
            puts.put(
                    Bytes.toString(put.getRow()),
                    put.getFamilyCellMap().firstEntry().getValue().get(0));
            return put;
        }

        @Override
        void beforeWalAppend(WALKeyImpl key, WALEdit edit) throws IOException {
            for (Cell result : edit.getCells()) {
                Cell put = puts.get(Bytes.toString(CellUtil.cloneRow(result)));
                if (put != null && CellUtil.matchingColumn(put, result)) {
                    PrivateCellUtil.setTimestamp(result, put.getTimestamp());
                }
            }
            super.beforeWalAppend(key, edit);
        }
    }
}
