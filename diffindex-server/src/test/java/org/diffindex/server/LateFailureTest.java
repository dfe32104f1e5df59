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
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
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
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.Gate;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.Waiting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests writes that fail after they have entered the memstore, because another coprocessor fails in {@code
 * postBatchMutate}: the client is told that they failed, and HBase shows them, a moment later than it releases their
 * rows.
 */
class LateFailureTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final IndexDefinition INSERT = Flights.byOrigin(IndexScheme.SYNC_INSERT);
    private static final IndexDefinition FULL = Flights.byOrigin(IndexScheme.SYNC_FULL);
    private static final IndexDefinition ASYNC = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);

    private final ExecutorService handlers = Executors.newCachedThreadPool();

    @TempDir
    Path folder;

    @AfterEach
    void stop() {
        handlers.shutdownNow();
    }

    /**
     * Fails writes with the attribute "fails" after they are in the memstore, and those with the attribute "stops" when
     * HBase is about to apply them; holds the row "held" in the memstore.
     */
    public static final class Failing implements RegionCoprocessor, RegionObserver {
        private volatile boolean isHeld;
        private volatile Callable<?> beforeOuter = () -> null;
        private volatile Callable<?> inOuter = () -> null;
        private Optional<Mutation> stopping = Optional.empty();
        private final Gate gate = new Gate();

        @Override
        public Optional<RegionObserver> getRegionObserver() {
            return Optional.of(this);
        }

        @Override
        public void preBatchMutate(
                ObserverContext<RegionCoprocessorEnvironment> context, MiniBatchOperationInProgress<Mutation> batch)
                throws IOException {
            stopping = IntStream.range(0, batch.size())
                    .mapToObj(batch::getOperation)
                    .filter(write -> write.getAttribute("stops") != null)
                    .findFirst();
            doIfOuter(batch, beforeOuter);
        }

        private static void doIfOuter(MiniBatchOperationInProgress<Mutation> batch, Callable<?> deed)
                throws IOException {
            if (Bytes.toString(batch.getOperation(0).getRow()).equals("outer")) {
                try {
                    deed.call();
                } catch (Exception e) {
                    throw new IOException(e);
                }
            }
        }

        /** Runs after the index's own hook. */
        @Override
        public void preWALAppend(ObserverContext<RegionCoprocessorEnvironment> context, WALKey key, WALEdit edit) {
            byte[] none = Bytes.toBytes("a family that the table does not have, before all others");
            stopping.ifPresent(write -> write.getFamilyCellMap().put(none, new ArrayList<>()));
        }

        @Override
        public void postBatchMutate(
                ObserverContext<RegionCoprocessorEnvironment> context, MiniBatchOperationInProgress<Mutation> batch)
                throws IOException {
            doIfOuter(batch, inOuter);
            Put put = (Put) batch.getOperation(0);
            if (Bytes.toString(put.getRow()).equals("held")) {
                isHeld = true;
                gate.pass();
            }
            if (put.getAttribute("fails") != null) {
                throw new IOException("failed after the memstore");
            }
        }
    }

    private LocalRegion local(int priority, IndexDefinition... indexes) throws IOException {
        return new LocalRegion(folder, 1, List.of(indexes), Map.of(), table -> withFailing(table, priority));
    }

    private static TableDescriptorBuilder withFailing(TableDescriptorBuilder table, int priority) {
        try {
            return table.setCoprocessor(CoprocessorDescriptorBuilder.newBuilder(Failing.class.getName())
                    .setPriority(priority)
                    .build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {Coprocessor.PRIORITY_USER - 1, Coprocessor.PRIORITY_USER + 1})
    void everyIndexFollowsAWriteThatAnotherCoprocessorFailed(int priority) throws IOException {
        try (LocalRegion local = local(priority, FULL, ASYNC, INSERT)) {
            put(local, "r", "ORD");
            fail(local, "r", "LAX");
            assertThat(origin(local, "r")).isEqualTo("LAX");
            local.region().flush(true); // the WAL is not needed from now on
            assertThat(local.drain()).isZero();
            assertThat(local.indexTable(FULL).entries()).isEqualTo(local.expected(FULL));
            assertThat(local.indexTable(ASYNC).entries()).isEqualTo(local.expected(ASYNC));
            assertThat(local.indexTable(INSERT).entries()).containsAll(local.expected(INSERT));
        }
    }

    /** Writes another row, and returns when that is in the memstore; it is not visible until the gate is opened. */
    private Future<?> holdAnother(LocalRegion local, Failing failing) {
        failing.gate.close();
        Future<?> held = handlers.submit(() -> {
            put(local, "held", "AAA");
            return null;
        });
        Waiting.until("a write of another row is in the memstore", () -> failing.isHeld);
        return held;
    }

    /** Such a write holds the lock of its own row meanwhile. A reader must not take the row for what it still shows. */
    @ParameterizedTest
    @ValueSource(ints = {Coprocessor.PRIORITY_USER - 1, Coprocessor.PRIORITY_USER + 1})
    void aWriteThatFailsWithinAHookOfAnotherIsNotReadBeforeItIsVisible(int priority) throws Exception {
        try (LocalRegion local = local(priority, INSERT, FULL)) {
            put(local, "r", "ORD");
            Failing failing = local.region().getCoprocessorHost().findCoprocessor(Failing.class);
            Future<?> held = holdAnother(local, failing);
            failing.beforeOuter = () -> {
                fail(local, "r", "LAX");
                return null;
            };
            IndexEntry old = PresentEntriesTest.entry(local, "r");
            Future<?> outer = handlers.submit(() -> {
                put(local, "outer", "BBB");
                return null;
            });
            try {
                Waiting.until(
                        "the failed write waits, or the one around it",
                        () -> awaitsVisibility() || isCalled("completeAndWait"));
                assertThat(origin(local, "r")).as("not visible yet").isEqualTo("ORD");
                PresentEntriesTest.check(local, old); // remembers the row if it may
            } finally {
                failing.gate.open();
            }
            outer.get(30, TimeUnit.SECONDS);
            held.get(30, TimeUnit.SECONDS);
            assertThat(origin(local, "r")).isEqualTo("LAX");
            assertThat(PresentEntriesTest.check(local, old).cardinality())
                    .as("confirmed entries that the row has no more")
                    .isZero();
            put(local, "r", "JFK");
            assertThat(local.drain()).isZero();
            assertThat(local.indexTable(FULL).entries()).isEqualTo(local.expected(FULL));
        }
    }

    /** Then nothing is visible before the outer write, which goes on. */
    @ParameterizedTest
    @ValueSource(ints = {Coprocessor.PRIORITY_USER - 1, Coprocessor.PRIORITY_USER + 1})
    void aWriteThatFailsWhileAnotherIsInTheMemstoreIsNotReadBeforeThatIsVisible(int priority) throws IOException {
        try (LocalRegion local = local(priority, INSERT, FULL)) {
            put(local, "r", "ORD");
            IndexEntry old = PresentEntriesTest.entry(local, "r");
            Failing failing = local.region().getCoprocessorHost().findCoprocessor(Failing.class);
            failing.inOuter = () -> {
                fail(local, "r", "LAX");
                assertThat(origin(local, "r")).as("not visible yet").isEqualTo("ORD");
                return handlers.submit(() -> PresentEntriesTest.check(local, old))
                        .get(30, TimeUnit.SECONDS);
            };
            put(local, "outer", "BBB");
            assertThat(origin(local, "r")).isEqualTo("LAX");
            assertThat(PresentEntriesTest.check(local, old).cardinality())
                    .as("confirmed entries that the row has no more")
                    .isZero();
            put(local, "r", "JFK");
            assertThat(local.drain()).isZero();
            assertThat(local.indexTable(FULL).entries()).isEqualTo(local.expected(FULL));
        }
    }

    /** HBase applies a batch row by row. */
    @Test
    void theEntriesOfARowThatHBaseDidNotApplyStay() throws IOException {
        try (LocalRegion local = local(Coprocessor.PRIORITY_USER + 1, FULL, ASYNC, INSERT)) {
            put(local, "r", "ORD");
            put(local, "s", "ORD");
            assertThat(local.drain()).isZero();
            Put stops = new Put(row("s")).addColumn(F, ORIGIN, Bytes.toBytes("LAX"));
            stops.setAttribute("stops", new byte[1]);
            Put applied = new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("LAX"));
            assertThatThrownBy(() -> local.region().batchMutate(new Mutation[] {applied, stops}))
                    .isInstanceOf(NullPointerException.class);
            assertThat(origin(local, "r")).isEqualTo("LAX");
            assertThat(origin(local, "s")).isEqualTo("ORD");
            assertThat(local.drain()).isZero();
            assertThat(local.indexTable(FULL).entries()).isEqualTo(local.expected(FULL));
            assertThat(local.indexTable(ASYNC).entries()).isEqualTo(local.expected(ASYNC));
            assertThat(local.indexTable(INSERT).entries()).containsAll(local.expected(INSERT));
        }
    }

    /** HBase does not wait until a failed write is visible, as it does for others. */
    @ParameterizedTest
    @ValueSource(ints = {Coprocessor.PRIORITY_USER - 1, Coprocessor.PRIORITY_USER + 1})
    void theRowStaysLockedUntilTheWriteIsVisible(int priority) throws Exception {
        try (LocalRegion local = local(priority, INSERT, FULL)) {
            put(local, "r", "ORD");
            Failing failing = local.region().getCoprocessorHost().findCoprocessor(Failing.class);
            Future<?> held = holdAnother(local, failing);
            Future<?> failed = handlers.submit(() -> {
                fail(local, "r", "LAX");
                return null;
            });
            try {
                Waiting.until("the failed write waits", LateFailureTest::awaitsVisibility);
                assertThat(origin(local, "r")).as("not visible yet").isEqualTo("ORD");
            } finally {
                failing.gate.open();
            }
            failed.get(30, TimeUnit.SECONDS);
            held.get(30, TimeUnit.SECONDS);
            assertThat(origin(local, "r")).isEqualTo("LAX");
            put(local, "r", "JFK");
            assertThat(local.drain()).isZero();
            assertThat(local.indexTable(FULL).entries()).isEqualTo(local.expected(FULL));
        }
    }

    private static boolean awaitsVisibility() {
        return isCalled("awaitVisible");
    }

    private static boolean isCalled(String method) {
        return Thread.getAllStackTraces().values().stream().anyMatch(stack -> List.of(stack).stream()
                .anyMatch(frame -> frame.getMethodName().equals(method)));
    }

    private static void put(LocalRegion local, String row, String origin) throws IOException {
        local.region().put(new Put(row(row)).addColumn(F, ORIGIN, Bytes.toBytes(origin)));
    }

    private static void fail(LocalRegion local, String row, String origin) {
        Put put = new Put(row(row)).addColumn(F, ORIGIN, Bytes.toBytes(origin));
        put.setAttribute("fails", new byte[1]);
        assertThatThrownBy(() -> local.region().put(put))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("failed after the memstore");
    }

    private static String origin(LocalRegion local, String row) throws IOException {
        return Bytes.toString(local.region().get(new Get(row(row))).getValue(F, ORIGIN));
    }
}
