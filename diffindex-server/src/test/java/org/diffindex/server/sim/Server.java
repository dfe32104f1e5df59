package org.diffindex.server.sim;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.MultiVersionConcurrencyControl;
import org.diffindex.server.SimulatedMachine;
import org.diffindex.server.maintain.RowClock;
import org.diffindex.server.maintain.RowLocks;
import org.diffindex.server.maintain.RowMemory;

/** One incarnation of a region server, from its start to its crash: its clock, its threads and its handlers. */
final class Server implements SimulatedMachine.Parts {
    private static final int HANDLERS = 2;

    final ServerName name;
    final ConcurrentMap<String, Object> sharedData = new ConcurrentHashMap<>();
    private final Scheduler scheduler;
    private final Wiring wiring;

    /** What numbers the writes of each region that was opened here, by its encoded name. */
    private final Map<String, Supplier<MultiVersionConcurrencyControl>> versions = new ConcurrentHashMap<>();

    /** Offset of its clock from virtual time. */
    private long skewMs;

    /** Whether syncs of its WAL fail now and then. */
    final boolean isWalShaky;

    boolean alive = true;

    /** Whether it is suspended. */
    boolean isAsleep;

    /** Whether its ZooKeeper session has ended, so that its WAL is closed and its regions are other servers'. */
    boolean sessionEnded;

    /** The regions that were opened here, closed or not. */
    final List<OpenRegion> regions = new ArrayList<>();

    final Slots handlers;
    final Slots priorityHandlers;
    final Slots openers;
    final Slots flushers;

    Server(Scheduler scheduler, Wiring wiring, String host, int life, long skewMs, boolean isWalShaky) {
        this.scheduler = scheduler;
        this.wiring = wiring;
        this.skewMs = skewMs;
        this.isWalShaky = isWalShaky;
        this.name = ServerName.valueOf(host, 16020, life);
        this.handlers = new Slots(scheduler, "a handler of " + host, HANDLERS);
        this.priorityHandlers = new Slots(scheduler, "a priority handler of " + host, HANDLERS);
        this.openers = new Slots(scheduler, "an open thread of " + host, 1);
        this.flushers = new Slots(scheduler, "a flush thread of " + host, 1);
    }

    /** Threads of one kind, each of which runs one task at a time. */
    static final class Slots {
        private final Scheduler scheduler;
        private final String what;
        private int free;

        Slots(Scheduler scheduler, String what, int count) {
            this.scheduler = scheduler;
            this.what = what;
            this.free = count;
        }

        <E extends Exception> void run(Task<E> task) throws E {
            scheduler.await(what, () -> free > 0);
            free--;
            try {
                task.run();
            } finally {
                free++;
            }
        }
    }

    /** A task of a thread. */
    @FunctionalInterface
    interface Task<E extends Exception> {
        void run() throws E;
    }

    /** Sets what a region that is being opened numbers its writes by. */
    void numbers(RegionInfo region, Supplier<MultiVersionConcurrencyControl> mvcc) {
        versions.put(region.getEncodedName(), mvcc);
    }

    void setClock(long fromOthersMs) {
        skewMs = fromOthersMs;
    }

    long nowMs() {
        return TimeUnit.NANOSECONDS.toMillis(scheduler.nowNanos()) + skewMs;
    }

    @Override
    public InstantSource wallClock() {
        return () -> Instant.ofEpochMilli(nowMs());
    }

    @Override
    public long nanoTime() {
        return scheduler.nowNanos();
    }

    @Override
    public ScheduledExecutorService processorThreads() {
        return new Turns(scheduler, "APS on " + name.getHostname(), this);
    }

    @Override
    public ExecutorService callThreads() {
        return new Turns.Awaited(scheduler, "APS call on " + name.getHostname(), this);
    }

    @Override
    public ExecutorService writerThreads() {
        return new Turns.Awaited(scheduler, "writer on " + name.getHostname(), this);
    }

    @Override
    public ExecutorService diskThread() {
        return new Turns(scheduler, "disk of " + name.getHostname(), this);
    }

    @Override
    public ScheduledExecutorService cleanupThread() {
        return new Turns(scheduler, "clean-up on " + name.getHostname(), this);
    }

    @Override
    public RowLocks rowLocks() {
        return wiring.rowLocks(scheduler);
    }

    @Override
    public RowClock rowClock() {
        return wiring.rowClock(wallClock());
    }

    @Override
    public RowMemory rowMemory(RowMemory.Shared shared, LongAdder hits) {
        return wiring.rowMemory(shared, hits);
    }

    @Override
    public boolean isAtomic(MiniBatchOperationInProgress<Mutation> batch) {
        return RegionWrite.isAtomic(batch);
    }

    @Override
    public void awaitVisible(RegionInfo region) {
        MultiVersionConcurrencyControl mvcc =
                versions.get(region.getEncodedName()).get();
        long written = mvcc.getWritePoint();
        scheduler.await("all writes to be visible", () -> mvcc.getReadPoint() >= written);
    }

    @Override
    public boolean isVisible(RegionInfo region, long sequence) {
        return versions.get(region.getEncodedName()).get().getReadPoint() >= sequence;
    }

    /** Ends its session: other servers change the files and WALs of its regions from now on, and it cannot. */
    void loseSession() {
        sessionEnded = true;
        regions.forEach(OpenRegion::lose);
    }

    /** Returns whether it can write to its WAL, so that what it does to its regions counts. */
    boolean serves() {
        return alive && !sessionEnded;
    }

    @Override
    public boolean holdsLease() {
        return !sessionEnded || wiring.ignoresItsSession();
    }

    @Override
    public boolean hasWal() {
        scheduler.pause("looks for its WALs");
        return !sessionEnded || wiring.publishesWithoutAWal();
    }

    @Override
    public boolean keepsUncertainWrites() {
        return wiring.keepsUncertainWrites();
    }

    @Override
    public Lock lock() {
        return new TurnLock(scheduler);
    }

    /** Row locks for which actors wait at the scheduler, which also records the locks that each actor holds. */
    static class WatchedRowLocks extends RowLocks {
        private final Scheduler scheduler;

        WatchedRowLocks(Scheduler scheduler) {
            this.scheduler = scheduler;
        }

        @Override
        protected void take(Lock lock) {
            while (!lock.tryLock()) {
                scheduler.await("a row's lock", () -> !((ReentrantLock) lock).isLocked());
            }
        }

        /** Waits without a bound, so that writes that wait for each other do not go unnoticed. */
        @Override
        public Held acquireWithin(Duration atMost, Collection<ImmutableBytesWritable> rows) {
            return acquire(rows);
        }

        @Override
        public Set<ImmutableBytesWritable> heldAmong(Set<ImmutableBytesWritable> rows) {
            scheduler.pause("looks at the locks of rows");
            Set<ImmutableBytesWritable> held = super.heldAmong(rows);
            scheduler.pause("has looked at the locks of rows");
            return held;
        }

        @Override
        public void awaitHeld() {
            scheduler.pause("looks for writes in flight");
            super.awaitHeld();
            scheduler.pause("has waited for the writes in flight");
        }

        @Override
        public Held acquire(Collection<ImmutableBytesWritable> rows) {
            Held held = super.acquire(rows);
            Runnable leave = scheduler.enter("the locks of its rows");
            return () -> {
                leave.run();
                held.release();
            };
        }
    }
}
