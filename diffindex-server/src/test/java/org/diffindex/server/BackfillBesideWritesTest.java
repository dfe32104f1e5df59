package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.protocol.DiffIndexProtos.FillRequest;
import org.diffindex.protocol.DiffIndexProtos.FillResponse;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.Gate;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.local.Waiting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests a page of a backfill whose rows are written at each moment of it, on a real region. */
class BackfillBesideWritesTest {
    private static final long START = 1_700_000_000_000L;

    /** The timestamp that a client gives to a row, slightly ahead of the clock. */
    private static final long AHEAD = START + 20;

    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);

    private final ExecutorService others = Executors.newCachedThreadPool();

    @TempDir
    Path folder;

    @AfterEach
    void stopThreads() {
        others.shutdownNow();
    }

    /** A write that ends the entry of a row, whose timestamp the clock passes while a page reads the row. */
    enum Ending {
        /** By a client's timestamp, before the clock reaches that of the row. */
        DELETE_AHEAD(START + 10, () -> new Delete(row("r"), AHEAD + 5)),
        /** At the very timestamp of the row, which it hides since it is later. */
        PUT_AT_THAT_TIME(AHEAD, () -> put("LAX")),
        DELETE_AT_THAT_TIME(AHEAD, () -> new Delete(row("r")));

        private final long at;

        @SuppressWarnings("ImmutableEnumChecker") // the supplier has no state
        private final Supplier<Mutation> write;

        Ending(long at, Supplier<Mutation> write) {
            this.at = at;
            this.write = write;
        }
    }

    @ParameterizedTest
    @EnumSource
    void anEntryThatAWriteEndsWhileThePageReadsIsNotPutBack(Ending ending) throws IOException {
        for (IndexDefinition index : List.of(INDEX, Flights.byOrigin(IndexScheme.SYNC_FULL))) {
            try (ManualClock clock = ManualClock.install(START);
                    LocalRegion local = new LocalRegion(folder.resolve(index.name()), 1, List.of(index))) {
                putAhead(local);
                local.base().atNextRead(() -> {
                    clock.set(ending.at);
                    write(local, ending.write.get());
                    clock.set(AHEAD + 10);
                });
                backfill(local, index);
                compare(local, index);
            }
        }
    }

    /** Such a write has a stamp from before the page, and the row's timestamp may be later than that. */
    @Test
    void anEntryThatAWriteInFlightEndsIsNotPutBack() throws Exception {
        try (ManualClock clock = ManualClock.install(START);
                LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            putAhead(local);
            Future<?> writer = hold(local, new Delete(row("r"), AHEAD + 5));
            clock.set(AHEAD + 10);
            Future<?> page = others.submit(() -> backfill(local, INDEX));
            releaseWhenThePageWaits(local, page);
            writer.get();
            compare(local, INDEX);
        }
    }

    /** A write may be visible before its change is in the AUQ, where the change could be merged with the next one. */
    @Test
    void aPageWaitsForWritesThatItMaySee() throws Exception {
        try (ManualClock clock = ManualClock.install(START);
                LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            write(local, put("ORD"));
            clock.set(START + 1);
            Future<?>[] writer = new Future<?>[1];
            Future<FillResponse> page = others.submit(() -> {
                local.base().atNextRead(() -> writer[0] = hold(local, put("LAX")));
                return backfill(local, INDEX);
            });
            releaseWhenThePageWaits(local, page);
            writer[0].get();
            assertThat(page.get().getEntries()).isEqualTo(1);
            compare(local, INDEX);
        }
    }

    /** If the server dies, its next one knows the timestamp from the row, but no stamp that only the page had. */
    @Test
    void aRowWhoseTimestampTheClockPassesWhileThePageReadsIsPutAtThat() throws IOException {
        try (ManualClock clock = ManualClock.install(START);
                LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            putAhead(local);
            local.base().atNextRead(() -> clock.set(AHEAD + 10));
            assertThat(backfill(local, INDEX).getEntries()).isEqualTo(1);
            compare(local, INDEX);
            Cell entry = local.indexTable(INDEX).visible().firstEntry().getValue();
            assertThat(entry.getTimestamp()).isEqualTo(AHEAD);
        }
    }

    /** Begins a write that ends when the gate is opened; returns when it is in the memstore. */
    private Future<?> hold(LocalRegion local, Mutation write) {
        local.base().gate.close();
        Future<?> writer = others.submit(() -> write(local, write));
        Waiting.until("the write waits in the memstore", () -> isWaitingIn(Gate.class));
        return writer;
    }

    private static void releaseWhenThePageWaits(LocalRegion local, Future<?> page) throws Exception {
        try {
            Waiting.until("the page waits or is done", () -> page.isDone() || isWaitingIn(BackfillPage.class));
            assertThat(page).isNotDone();
        } finally {
            local.base().gate.open();
        }
        page.get();
    }

    private static boolean isWaitingIn(Class<?> place) {
        return Thread.getAllStackTraces().values().stream()
                .anyMatch(stack -> stack.length > 0
                        && Set.of("park", "wait", "wait0").contains(stack[0].getMethodName())
                        && List.of(stack).stream()
                                .anyMatch(frame -> frame.getClassName().equals(place.getName())));
    }

    private static Put put(String origin) {
        return new Put(row("r")).addColumn(F, Bytes.toBytes("origin"), Bytes.toBytes(origin));
    }

    /** Puts the row at a client's timestamp; returns when the APS has read it. */
    private static void putAhead(LocalRegion local) {
        write(local, new Put(row("r")).addColumn(F, Bytes.toBytes("origin"), AHEAD, Bytes.toBytes("ORD")));
        assertThat(local.drain()).isZero();
    }

    private static void write(LocalRegion local, Mutation write) {
        try {
            local.region().batchMutate(new Mutation[] {write});
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static FillResponse backfill(LocalRegion local, IndexDefinition index) {
        FillResponse[] response = new FillResponse[1];
        FillRequest request = FillRequest.newBuilder()
                .setIndex(index.name())
                .setIndexId(index.id())
                .setMaxRows(100)
                .build();
        local.endpoint().fill(new ServerRpcController(), request, answer -> response[0] = answer);
        return response[0];
    }

    private static void compare(LocalRegion local, IndexDefinition index) throws IOException {
        assertThat(local.drain()).isZero();
        assertThat(local.indexTable(index).entries()).isEqualTo(local.expected(index));
    }
}
