package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.MiniBatchOperationInProgress;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.Waiting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests a flush that begins when HBase has released a write that another coprocessor failed in {@code
 * postBatchMutate}, and before the index's coprocessor learns of the failure: the snapshot contains the write, and the
 * row as it was before.
 */
class FlushBesideALateFailureTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");

    private final ExecutorService handlers = Executors.newCachedThreadPool();

    @TempDir
    Path folder;

    @AfterEach
    void stop() {
        handlers.shutdownNow();
    }

    /** Fails writes with the attribute "fails" after they are in the memstore. Its hooks come before the index's. */
    public static final class Failing implements RegionCoprocessor, RegionObserver {
        private volatile Callable<?> inMemstore = () -> null;
        private volatile Callable<?> beforeFlush = () -> null;
        private volatile Callable<?> flush = () -> null;
        private volatile Callable<?> afterFlush = () -> null;

        @Override
        public Optional<RegionObserver> getRegionObserver() {
            return Optional.of(this);
        }

        private static boolean fails(MiniBatchOperationInProgress<Mutation> batch) {
            return batch.getOperation(0).getAttribute("fails") != null;
        }

        @Override
        public void postBatchMutate(
                ObserverContext<RegionCoprocessorEnvironment> context, MiniBatchOperationInProgress<Mutation> batch)
                throws IOException {
            if (fails(batch)) {
                call(inMemstore);
                throw new IOException("failed after the memstore");
            }
        }

        private static void call(Callable<?> deed) throws IOException {
            try {
                deed.call();
            } catch (Exception e) {
                throw new IOException(e);
            }
        }

        @Override
        public void postBatchMutateIndispensably(
                ObserverContext<RegionCoprocessorEnvironment> context,
                MiniBatchOperationInProgress<Mutation> batch,
                boolean success)
                throws IOException {
            if (fails(batch)) {
                call(beforeFlush);
                call(flush);
                call(afterFlush);
            }
        }
    }

    private static TableDescriptorBuilder withFailing(TableDescriptorBuilder table) {
        try {
            return table.setCoprocessor(CoprocessorDescriptorBuilder.newBuilder(Failing.class.getName())
                    .setPriority(Coprocessor.PRIORITY_USER - 1)
                    .build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private LocalRegion open(IndexDefinition index) throws IOException {
        return new LocalRegion(
                folder,
                1,
                List.of(index),
                Map.of(Settings.CLOSE_WAIT_MS, "1"),
                FlushBesideALateFailureTest::withFailing);
    }

    private static Callable<?> beginToClose(LocalRegion local) {
        return () -> {
            local.region().getCoprocessorHost().preClose(false);
            return null;
        };
    }

    private static Failing failing(LocalRegion local) {
        return local.region().getCoprocessorHost().findCoprocessor(Failing.class);
    }

    /** Makes a write that fails, and flushes before the index's coprocessor learns of the failure. */
    private void failBesideAFlush(LocalRegion local, Mutation write) {
        failing(local).flush =
                () -> handlers.submit(() -> local.region().flush(true)).get(20, TimeUnit.SECONDS);
        write.setAttribute("fails", new byte[1]);
        assertThatThrownBy(() -> local.region().batchMutate(new Mutation[] {write}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("failed after the memstore");
    }

    private static String origin(LocalRegion local) throws IOException {
        return Bytes.toString(local.region().get(new Get(row("r"))).getValue(F, ORIGIN));
    }

    @ParameterizedTest
    @EnumSource(names = {"SYNC_FULL", "ASYNC_SIMPLE"})
    void theOldEntryOfTheFailedWriteIsDeleted(IndexScheme scheme) throws IOException {
        IndexDefinition index = Flights.byOrigin(scheme);
        try (LocalRegion local = open(index)) {
            local.region().put(put("ORD"));
            assertThat(local.drain()).isZero();
            failBesideAFlush(local, put("LAX"));
            assertThat(origin(local)).as("HBase shows the write").isEqualTo("LAX");
            assertThat(local.drain()).isZero();
            assertThat(local.indexTable(index).entries()).isEqualTo(local.expected(index));
        }
    }

    /** When a region begins to close, it is settled which past its last flush keeps. */
    @Test
    void theLastFlushKeepsWhatTheRowWasBeforeTheFailedWrite() throws IOException {
        IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_FULL);
        try (LocalRegion local = open(index)) {
            local.region().put(put("ORD"));
            failing(local).beforeFlush = beginToClose(local);
            failBesideAFlush(local, put("LAX"));
            assertThat(local.drain()).isZero();
            assertThat(local.indexTable(index).entries()).isEqualTo(local.expected(index));
        }
    }

    /** The server may die before the hook for the failure, and then only this file tells of the write. */
    @ParameterizedTest
    @EnumSource(names = {"SYNC_FULL", "ASYNC_SIMPLE"})
    void theFlushWritesTheFailedWriteToDiskForItsIndexes(IndexScheme scheme) throws IOException {
        try (LocalRegion local = open(Flights.byOrigin(scheme))) {
            theFlushWritesAFailedWriteToDisk(local);
        }
    }

    @Test
    void soDoesTheFlushOfARegionThatIsClosing() throws IOException {
        try (LocalRegion local = open(Flights.byOrigin(IndexScheme.SYNC_FULL))) {
            failing(local).inMemstore = beginToClose(local);
            theFlushWritesAFailedWriteToDisk(local);
        }
    }

    private void theFlushWritesAFailedWriteToDisk(LocalRegion local) throws IOException {
        List<String> files = new ArrayList<>();
        failing(local).afterFlush = () -> files.addAll(local.spillFiles());
        failBesideAFlush(local, put("LAX"));
        assertThat(files).hasSize(1);
        assertThat(local.drain()).isZero();
        Waiting.until("the file is removed", () -> local.spillFiles().isEmpty());
    }

    /** While a flush keeps the past from before a tombstone, it does not apply the tombstone. */
    @Test
    void theFlushKeepsWhatAFailedDeleteReveals() throws IOException {
        IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_FULL);
        try (LocalRegion local = open(index)) {
            local.region().put(new Put(row("r")).addColumn(F, ORIGIN, 10, Bytes.toBytes("ORD")));
            local.region().put(new Put(row("r")).addColumn(F, ORIGIN, 20, Bytes.toBytes("LAX")));
            failBesideAFlush(local, new Delete(row("r")).addColumn(F, ORIGIN, 20));
            assertThat(origin(local)).isEqualTo("ORD");
            assertThat(local.drain()).isZero();
            assertThat(local.indexTable(index).entries()).hasSize(1).isEqualTo(local.expected(index));
        }
    }

    private static Put put(String origin) {
        return new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes(origin));
    }
}
