package org.diffindex.server;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.Lock;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.wal.WALKey;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.protocol.DiffIndexProtos.CheckRequest;
import org.diffindex.protocol.DiffIndexProtos.CheckResponse;
import org.diffindex.protocol.DiffIndexProtos.DrainRequest;
import org.diffindex.protocol.DiffIndexProtos.FillRequest;
import org.diffindex.protocol.DiffIndexProtos.Repair;
import org.diffindex.protocol.DiffIndexProtos.RepairRequest;
import org.diffindex.protocol.DiffIndexProtos.ReportStaleRequest;
import org.diffindex.protocol.DiffIndexProtos.StaleEntry;
import org.diffindex.server.maintain.RowClock;
import org.diffindex.server.maintain.RowLocks;
import org.diffindex.server.maintain.RowMemory;
import org.diffindex.server.spill.SpillFiles;

/** Lets a simulation in another package replace the {@link Platform}. */
public final class SimulatedMachine {
    private SimulatedMachine() {}

    /** The parts that the simulation provides, as in {@link Platform}. */
    public interface Parts {
        InstantSource wallClock();

        long nanoTime();

        ScheduledExecutorService processorThreads();

        ExecutorService callThreads();

        ExecutorService writerThreads();

        ExecutorService diskThread();

        ScheduledExecutorService cleanupThread();

        RowLocks rowLocks();

        RowClock rowClock();

        RowMemory rowMemory(RowMemory.Shared shared, LongAdder hits);

        Lock lock();

        /** Returns whether the server can tell from its clock that its session has not ended. */
        boolean holdsLease();

        /** Returns whether the folder of the server's WALs exists. */
        boolean hasWal();

        /** Returns whether a region remembers its writes that may or may not be in the WAL. */
        boolean keepsUncertainWrites();

        void awaitVisible(RegionInfo region);

        boolean isVisible(RegionInfo region, long sequence);

        boolean isAtomic(MiniBatchOperationInProgress<Mutation> batch);
    }

    /** Makes the regions of a server share these parts. To be called before the first of them starts. */
    public static void install(RegionCoprocessorEnvironment env, Parts parts) {
        PerServer.offer(env, ServerIndexing.class, () -> new ServerIndexing(env, new SimulatedPlatform(parts)));
    }

    /** Returns the memory, in bytes, that index updates in flight hold on a server. */
    public static long memoryUsed(Map<String, Object> sharedData) {
        return sharedData.values().stream()
                .mapToLong(shared ->
                        PerServer.valueOf(shared, ServerIndexing.class).memory().used())
                .sum();
    }

    /** Returns how many batches and files of a region its flush waits for. */
    public static long inside(IndexObserver observer) {
        IndexEndpoint endpoint =
                (IndexEndpoint) observer.getServices().iterator().next();
        long[] inside = new long[1];
        endpoint.drain(
                new ServerRpcController(),
                DrainRequest.newBuilder().setTimeoutMs(0).build(),
                response -> inside[0] = response.getRemaining());
        return inside[0];
    }

    /** Reports to a region entries that a reader found stale. */
    public static void reportStale(IndexObserver observer, IndexDefinition index, List<StaleEntry> entries) {
        IndexEndpoint endpoint =
                (IndexEndpoint) observer.getServices().iterator().next();
        ServerRpcController controller = new ServerRpcController();
        endpoint.reportStale(
                controller,
                ReportStaleRequest.newBuilder()
                        .setIndex(index.name())
                        .setIndexId(index.id())
                        .addAllEntries(entries)
                        .build(),
                response -> {});
        if (controller.failed() && controller.errorText().contains("failed unexpectedly")) {
            throw new IllegalStateException(controller.getFailedOn());
        }
    }

    /** Repairs entries, as a scrub does that has found them wrong; the region may refuse or fail. */
    public static void repair(IndexObserver observer, IndexDefinition index, List<StaleEntry> entries) {
        IndexEndpoint endpoint =
                (IndexEndpoint) observer.getServices().iterator().next();
        ServerRpcController controller = new ServerRpcController();
        RepairRequest.Builder request =
                RepairRequest.newBuilder().setIndex(index.name()).setIndexId(index.id());
        entries.forEach(entry -> request.addRepairs(Repair.newBuilder()
                .setRow(entry.getRow())
                .setKey(entry.getKey())
                .setStamp(entry.getStamp())));
        endpoint.repair(controller, request.build(), response -> {});
        if (controller.failed() && controller.errorText().contains("failed unexpectedly")) {
            throw new IllegalStateException(controller.getFailedOn());
        }
    }

    /** Backfills an index with the rows of a region, which may refuse or fail. */
    public static void backfill(IndexObserver observer, IndexDefinition index) {
        IndexEndpoint endpoint =
                (IndexEndpoint) observer.getServices().iterator().next();
        ServerRpcController controller = new ServerRpcController();
        endpoint.fill(
                controller,
                FillRequest.newBuilder()
                        .setIndex(index.name())
                        .setIndexId(index.id())
                        .setMaxRows(100)
                        .build(),
                response -> {});
        if (controller.failed() && controller.errorText().contains("failed unexpectedly")) {
            throw new IllegalStateException(controller.getFailedOn());
        }
    }

    /** Returns whether a region confirms that the row of an entry yields it; false if the region refuses the call. */
    public static boolean isYielded(IndexObserver observer, IndexDefinition index, IndexEntry entry) {
        IndexEndpoint endpoint =
                (IndexEndpoint) observer.getServices().iterator().next();
        ServerRpcController controller = new ServerRpcController();
        CheckResponse[] response = new CheckResponse[1];
        endpoint.check(
                controller,
                CheckRequest.newBuilder()
                        .setIndex(index.name())
                        .setIndexId(index.id())
                        .addKey(ByteString.copyFrom(entry.key()))
                        .addFingerprint(entry.fingerprint())
                        .build(),
                answer -> response[0] = answer);
        if (controller.failed() && controller.errorText().contains("failed unexpectedly")) {
            throw new IllegalStateException(controller.getFailedOn());
        }
        return !controller.failed()
                && BitSet.valueOf(response[0].getConfirmed().toByteArray()).get(0);
    }

    /** Marks a mutation whose timestamps the server is to choose. */
    public static void leaveTimeToServer(Mutation mutation) {
        ServerTime.mark(mutation);
    }

    /** Returns whether the server chooses the timestamps of a mutation. */
    public static boolean isTimeOfServer(Mutation mutation) {
        return ServerTime.isChosenByServer(mutation);
    }

    /** Marks a WAL entry as one of writes whose stamps are their timestamps. */
    public static void markStamped(WALKey key) {
        WalStamps.of(Map.of(), List.of()).addTo(key);
    }

    private static final class SimulatedLease extends SessionLease {
        private final Parts parts;

        SimulatedLease(Parts parts) {
            super(
                    new Session() {
                        @Override
                        public Duration timeout() {
                            return Duration.ZERO;
                        }

                        @Override
                        public void ask(Runnable goesOn) {
                            throw new UnsupportedOperationException();
                        }
                    },
                    parts::nanoTime);
            this.parts = parts;
        }

        @Override
        synchronized boolean holds() {
            return parts.holdsLease();
        }
    }

    private static final class SimulatedPlatform extends Platform {
        private final Parts parts;

        SimulatedPlatform(Parts parts) {
            this.parts = parts;
        }

        @Override
        SessionLease lease(RegionCoprocessorEnvironment env) {
            return new SimulatedLease(parts);
        }

        @Override
        SpillFiles.Holding holding(RegionCoprocessorEnvironment env) {
            return () -> {
                if (!parts.hasWal()) {
                    throw new IOException("The folder of the WALs is gone");
                }
            };
        }

        @Override
        InstantSource wallClock() {
            return parts.wallClock();
        }

        @Override
        long nanoTime() {
            return parts.nanoTime();
        }

        @Override
        ScheduledExecutorService processorThreads(int count) {
            return parts.processorThreads();
        }

        @Override
        ExecutorService callThreads() {
            return parts.callThreads();
        }

        @Override
        ExecutorService writerThreads(String kind) {
            return parts.writerThreads();
        }

        @Override
        ExecutorService diskThread() {
            return parts.diskThread();
        }

        @Override
        ScheduledExecutorService cleanupThread() {
            return parts.cleanupThread();
        }

        @Override
        RowLocks rowLocks() {
            return parts.rowLocks();
        }

        @Override
        RowClock rowClock() {
            return parts.rowClock();
        }

        @Override
        RowMemory rowMemory(RowMemory.Shared shared, LongAdder hits, BooleanSupplier isUsed) {
            return parts.rowMemory(shared, hits);
        }

        @Override
        UncertainWrites uncertainWrites() {
            return parts.keepsUncertainWrites()
                    ? super.uncertainWrites()
                    : new UncertainWrites() {
                        @Override
                        synchronized long bound(ImmutableBytesWritable row, long stamp) {
                            return stamp;
                        }
                    };
        }

        @Override
        Lock lock() {
            return parts.lock();
        }

        @Override
        boolean isAtomic(MiniBatchOperationInProgress<Mutation> batch) {
            return parts.isAtomic(batch);
        }

        @Override
        BooleanSupplier showsWhatIsWritten(Region region, Set<String> harmless) {
            return () -> true;
        }

        @Override
        BooleanSupplier hasHBasesRules(Region region, Set<String> harmless) {
            return () -> true;
        }

        @Override
        void awaitVisible(Region region) {
            parts.awaitVisible(region.getRegionInfo());
        }

        @Override
        boolean isVisible(Region region, long sequence) {
            return parts.isVisible(region.getRegionInfo(), sequence);
        }

        /** The simulation trims versions by its own rules. */
        @Override
        long smallestReadPoint(Region region) {
            return Long.MAX_VALUE;
        }
    }
}
