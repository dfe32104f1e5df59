package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.ipc.RpcCall;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.PathIntoRegion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a call that another coprocessor refuses when it begins, of whose end HBase tells no coprocessor. */
@Timeout(60)
class RefusedCallTest {
    private static final IndexDefinition SYNC = Flights.byOrigin(IndexScheme.SYNC_FULL);

    @TempDir
    Path folder;

    private LocalRegion local;
    private Refusing refusing;

    @BeforeEach
    void open() throws IOException {
        local = new LocalRegion(folder, 1, List.of(SYNC));
        HRegion region = local.region();
        region.getCoprocessorHost().load(Refusing.class, Integer.MAX_VALUE, region.getReadOnlyConfiguration());
        refusing = region.getCoprocessorHost().findCoprocessor(Refusing.class);
    }

    @AfterEach
    void close() throws IOException {
        local.close();
    }

    private void put(String row) throws IOException {
        local.region().put(put(row, "ORD"));
    }

    private static Put put(String row, String origin) {
        return new Put(Flights.row(row)).addColumn(Flights.F, Bytes.toBytes("origin"), Bytes.toBytes(origin));
    }

    /** Otherwise each handler would keep the region's parts after the region is closed. */
    @Test
    void leavesNothingBehindOnItsThread() throws IOException {
        refusing.refuses = true;
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> put("r")).hasStackTraceContaining("refused");
        }
        local.close();
        assertThat(PerThread.ofThisThread()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void withinAHookOfAWriteDoesNotDisturbThatWrite(Hook hook) throws IOException {
        refusing.triesWithin = hook;
        put("r");
        assertThat(refusing.refusals).isEqualTo(1);
        assertThat(PerThread.ofThisThread()).isEmpty();
        assertThat(local.indexTable(SYNC).entries()).hasSize(1).isEqualTo(local.expected(SYNC));
    }

    /** The calls of a thread are then not told apart by whether it is in a hook at all. */
    @ParameterizedTest
    @EnumSource
    void withinAHookOfAWriteThatANeighbourMakesDoesNotDisturbThatWrite(Hook hook) throws IOException {
        inAHookOfAnotherRegion(() -> {
            refusing.triesWithin = hook;
            put("r");
        });
        assertThat(refusing.refusals).isEqualTo(1);
        assertThat(PerThread.ofThisThread()).isEmpty();
        assertThat(local.drain()).isZero();
        assertThat(local.indexTable(SYNC).entries()).hasSize(1).isEqualTo(local.expected(SYNC));
    }

    @ParameterizedTest
    @EnumSource
    void withinAHookOfAConditionalWriteThatANeighbourMakesDoesNotDisturbThatWrite(Hook hook) throws IOException {
        local.region().put(put("r", "ORD"));
        assertThat(local.drain()).isZero();
        local.network().faults.hold(); // the APS must not deliver in its place
        refusing.refused = Region.Operation.ANY;
        inAHookOfAnotherRegion(() -> {
            refusing.triesWithin = hook;
            PathIntoRegion.CHECK_AND_MUTATE.write(local.region(), List.of(put("r", "LAX")));
        });
        assertThat(local.indexTable(SYNC).entries()).hasSize(1).isEqualTo(local.expected(SYNC));
        local.network().faults.end();
        assertThat(refusing.refusals).isEqualTo(1);
        assertThat(PerThread.ofThisThread()).isEmpty();
        assertThat(local.drain()).isZero();
    }

    /** A write that may fail. */
    private interface Write {
        void run() throws IOException;
    }

    /** Does something in a hook of a write to another region of an indexed table. */
    private void inAHookOfAnotherRegion(Write write) throws IOException {
        inAHookOfAnotherRegion(put("s", "ORD"), write);
    }

    private void inAHookOfAnotherRegion(Put outer, Write write) throws IOException {
        try (LocalRegion other = new LocalRegion(
                folder.resolve("other"), 1, List.of(SYNC), Map.of(), OtherCoprocessorsTest::withNeighbour)) {
            other.region().getCoprocessorHost().findCoprocessor(OtherCoprocessorsTest.Neighbour.class).inMemstore =
                    batch -> write.run();
            other.region().put(outer);
        }
    }

    /** HBase calls neither the last hooks of the index's coprocessor for the batch, nor that for the end of the call. */
    @Test
    void aBatchWhoseEndAnotherCoprocessorHidesFreesItsRowAtTheNextCall() throws IOException {
        Failing failing = loadFailing();
        failing.fails = true;
        assertThatThrownBy(() -> put("r")).hasStackTraceContaining("failed");
        failing.fails = false;
        put("r");
        assertThat(PerThread.ofThisThread()).isEmpty();
        assertThat(local.drain()).isZero();
        assertThat(local.indexTable(SYNC).entries()).hasSize(1).isEqualTo(local.expected(SYNC));
    }

    private Failing loadFailing() throws IOException {
        HRegion region = local.region();
        region.getCoprocessorHost().load(Failing.class, 0, region.getReadOnlyConfiguration());
        return region.getCoprocessorHost().findCoprocessor(Failing.class);
    }

    /** Returns a put that concerns no index. */
    private static Put unindexed(String row) {
        return new Put(Flights.row(row)).addColumn(Flights.F, Bytes.toBytes("other"), Bytes.toBytes("x"));
    }

    /** The write that failed does not count as one in which the next write of the same hook is nested. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBatchLeftBehindInAHookFreesItsRowAtTheNextCallOfTheHook(boolean isHookOfAnIndexedWrite) throws IOException {
        Failing failing = loadFailing();
        inAHookOfAnotherRegion(isHookOfAnIndexedWrite ? put("s", "ORD") : unindexed("s"), () -> {
            failing.fails = true;
            assertThatThrownBy(() -> put("r")).hasStackTraceContaining("failed");
            failing.fails = false;
            put("r");
        });
        assertThat(PerThread.ofThisThread()).isEmpty();
        assertThat(local.drain()).isZero();
        assertThat(local.indexTable(SYNC).entries()).hasSize(1).isEqualTo(local.expected(SYNC));
    }

    /** The write of the hook concerns no index, so the batch that was left behind is the only one of the thread. */
    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void aBatchLeftBehindInAHookIsNotTakenForThatOfTheHook(boolean isAnsweredToAClient, boolean isBeforeWal)
            throws IOException {
        Failing failing = loadFailing();
        failing.writesBeforeWal = isBeforeWal;
        failing.write = () -> {
            failing.write = null;
            failing.fails = true;
            assertThatThrownBy(() -> put("r")).hasStackTraceContaining("failed");
            failing.fails = false;
        };
        if (isAnsweredToAClient) {
            RpcCall call = mock(RpcCall.class);
            when(call.getDeadline()).thenReturn(Long.MAX_VALUE);
            RpcServer.setCurrentCall(call);
        }
        try {
            local.region().put(unindexed("s"));
        } finally {
            RpcServer.unsetCurrentCall();
        }
        assertThat(PerThread.ofThisThread()).isEmpty();
        assertThat(local.drain()).isZero();
        assertThat(local.indexTable(SYNC).entries()).hasSize(1).isEqualTo(local.expected(SYNC));
    }

    /** Fails after a write, and when HBase ends the call. */
    public static final class Failing implements RegionCoprocessor, RegionObserver {
        boolean fails;

        /** The write that this makes in a hook before the index's; null for none. */
        Write write;

        /** Whether that is {@code preWALAppend}, rather than the last hook of a batch. */
        boolean writesBeforeWal;

        @Override
        public void preWALAppend(ObserverContext<RegionCoprocessorEnvironment> context, WALKey key, WALEdit edit)
                throws IOException {
            if (write != null && writesBeforeWal) {
                write.run();
            }
        }

        @Override
        public void postBatchMutateIndispensably(
                ObserverContext<RegionCoprocessorEnvironment> context,
                MiniBatchOperationInProgress<Mutation> batch,
                boolean success)
                throws IOException {
            if (write != null && !writesBeforeWal) {
                write.run();
            }
        }

        @Override
        public Optional<RegionObserver> getRegionObserver() {
            return Optional.of(this);
        }

        private void failIfToldTo() throws IOException {
            if (fails) {
                throw new IOException("failed");
            }
        }

        @Override
        public void postPut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit)
                throws IOException {
            failIfToldTo();
        }

        @Override
        public void postCloseRegionOperation(
                ObserverContext<RegionCoprocessorEnvironment> context, Region.Operation operation) throws IOException {
            failIfToldTo();
        }
    }

    /** A hook of a write. */
    enum Hook {
        BEFORE_BATCH,
        BEFORE_WAL,
        IN_MEMSTORE
    }

    /** Refuses calls when HBase begins them. */
    public static final class Refusing implements RegionCoprocessor, RegionObserver {
        boolean refuses;
        Region.Operation refused = Region.Operation.BATCH_MUTATE;
        int refusals;

        /** The hook, after the index's, in which this writes another row, which it refuses; null for none. */
        Hook triesWithin;

        @Override
        public Optional<RegionObserver> getRegionObserver() {
            return Optional.of(this);
        }

        @Override
        public void postStartRegionOperation(
                ObserverContext<RegionCoprocessorEnvironment> context, Region.Operation operation) throws IOException {
            if (refuses && operation == refused) {
                throw new IOException("refused");
            }
        }

        private void tryWithin(Hook hook, ObserverContext<RegionCoprocessorEnvironment> context) {
            if (hook == triesWithin) {
                refuses = true;
                HRegion region = (HRegion) context.getEnvironment().getRegion();
                try {
                    (refused == Region.Operation.ANY ? PathIntoRegion.CHECK_AND_MUTATE : PathIntoRegion.ALONE)
                            .write(region, List.of(put("other", "LAX")));
                } catch (IOException e) {
                    refusals++;
                }
                refuses = false;
            }
        }

        @Override
        public void preBatchMutate(
                ObserverContext<RegionCoprocessorEnvironment> context, MiniBatchOperationInProgress<Mutation> batch) {
            tryWithin(Hook.BEFORE_BATCH, context);
        }

        @Override
        public void preWALAppend(ObserverContext<RegionCoprocessorEnvironment> context, WALKey key, WALEdit edit) {
            tryWithin(Hook.BEFORE_WAL, context);
        }

        @Override
        public void postBatchMutate(
                ObserverContext<RegionCoprocessorEnvironment> context, MiniBatchOperationInProgress<Mutation> batch) {
            tryWithin(Hook.IN_MEMSTORE, context);
        }
    }
}
