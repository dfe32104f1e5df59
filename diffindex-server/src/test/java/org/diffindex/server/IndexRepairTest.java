package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.model.UndecodableValueException;
import org.diffindex.protocol.DiffIndexProtos.Repair;
import org.diffindex.protocol.DiffIndexProtos.RepairRequest;
import org.diffindex.protocol.DiffIndexProtos.RepairResponse;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.local.Waiting;
import org.diffindex.server.maintain.RowClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the repair of single entries on a real region. */
class IndexRepairTest {
    private static final int KEY_BYTES = 20_000;

    /** The number of retries after which the AUQ's backoff takes seconds. */
    private static final int TRIES = 6;

    private static final IndexDefinition INDEX =
            Flights.byOrigin(IndexScheme.SYNC_FULL).withId("second");

    @TempDir
    Path folder;

    @Test
    void refusesToRepairADroppedIndexOfTheSameName() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            put(local);
            local.indexTable(INDEX).clear();
            ServerRpcController late = new ServerRpcController();
            assertThat(repair(local, missing().setIndexId("first").build(), late))
                    .isNull();
            assertThat(late.getFailedOn()).hasMessageContaining("was dropped and created again");
            assertThat(local.indexTable(INDEX).entries()).isEmpty();
        }
    }

    @Test
    void addressesItsUpdatesToTheIndexByItsId() throws Exception {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            put(local);
            local.indexTable(INDEX).clear();
            local.network().addressees.clear();
            RepairRequest both = missing().addRepairs(wrongKey('a')).build();
            RepairResponse repaired = repair(local, both, new ServerRpcController());
            assertThat(repaired.getPuts()).isEqualTo(1);
            assertThat(repaired.getDeletes()).isEqualTo(1);
            assertThat(local.network().addressees).containsExactly("second");
            assertThat(local.indexTable(INDEX).entries()).hasSameSizeAs(local.expected(INDEX));
        }
    }

    /** The remembered cells of a row may be why its entry was wrong. */
    @Test
    void theWriteAfterARepairReadsItsRow() throws Exception {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            put(local);
            long before = local.base().reads.own();
            put(local, "r", "LAX");
            assertThat(local.base().reads.own()).as("reads of a remembered row").isEqualTo(before);
            RepairResponse unused = repair(local, missing().build(), new ServerRpcController());
            before = local.base().reads.own();
            put(local, "r", "ORD");
            assertThat(local.base().reads.own()).as("reads after the repair").isGreaterThan(before);
            assertThat(local.indexTable(INDEX).entries()).isEqualTo(local.expected(INDEX));
        }
    }

    @Test
    void repairsMoreWrongEntriesOfARowThanItGetsStampsInASecond() throws Exception {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            put(local);
            RepairRequest.Builder request = missing();
            for (int i = 0; i < 1_100; i++) {
                request.addRepairs(wrongKey('a'));
            }
            assertThat(repair(local, request.build(), new ServerRpcController()).getDeletes())
                    .isEqualTo(1_100);
        }
    }

    @Test
    void aRowThatIsWrittenTooOftenDoesNotBlockTheRepairOfOthers() throws Exception {
        try (ManualClock clock = ManualClock.install(1_700_000_000_000L);
                LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            put(local);
            for (int i = 0; i <= RowClock.MOST_AHEAD_MS; i++) {
                put(local, "hot");
            }
            assertThat(local.status().getLatestStamp())
                    .as("latest stamp, ahead of the clock")
                    .isEqualTo(clock.millis() + RowClock.MOST_AHEAD_MS);
            local.indexTable(INDEX).clear();
            RepairRequest both = RepairRequest.newBuilder()
                    .setIndex(INDEX.name())
                    .setIndexId(INDEX.id())
                    .addRepairs(Repair.newBuilder().setRow(ByteString.copyFrom(row("hot"))))
                    .addRepairs(Repair.newBuilder().setRow(ByteString.copyFrom(row("r"))))
                    .build();
            assertThat(repair(local, both, new ServerRpcController()).getPuts()).isEqualTo(1);
            assertThat(local.indexTable(INDEX).entries()).isEqualTo(local.expected(INDEX, "r"));
            clock.move(RowClock.MOST_AHEAD_MS);
            assertThat(repair(local, both, new ServerRpcController()).getPuts()).isEqualTo(2);
            assertThat(local.indexTable(INDEX).entries()).isEqualTo(local.expected(INDEX));
        }
    }

    /** Otherwise the delete of the next write would miss the entry. */
    @Test
    void replacesAnEntryWithAFutureStampByOneWithTheRowsStamp() throws Exception {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            put(local);
            Cell entry = local.indexTable(INDEX).visible().values().iterator().next();
            byte[] key = CellUtil.cloneRow(entry);
            long future = System.currentTimeMillis() + TimeUnit.HOURS.toMillis(1);
            local.indexTable(INDEX).apply(INDEX.entryFormat().put(new IndexEntry(key, entry.getTimestamp()), future));
            assertThat(local.status().getLatestStamp()).isBetween(entry.getTimestamp(), future - 1);
            RepairRequest request = RepairRequest.newBuilder()
                    .setIndex(INDEX.name())
                    .setIndexId(INDEX.id())
                    .addRepairs(Repair.newBuilder()
                            .setRow(ByteString.copyFrom(row("r")))
                            .setKey(ByteString.copyFrom(key))
                            .setStamp(future))
                    .build();
            RepairResponse unused = repair(local, request, new ServerRpcController());
            assertThat(local.indexTable(INDEX).entries()).isEqualTo(local.expected(INDEX));
            local.region().delete(new Delete(row("r")));
            assertThat(local.indexTable(INDEX).entries()).isEmpty();
        }
    }

    /** If the changes before and after the repair were merged, the result would not delete the entry. */
    @Test
    void theNextWriteDeletesAnEntryThatWasRepairedDuringABackoff() throws IOException {
        IndexDefinition index = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(index))) {
            local.network().failures.outage(true);
            put(local, "other", "LAX");
            Waiting.until(
                    "the AUQ's backoff takes seconds", () -> local.status().getRetries() >= TRIES);
            put(local, "r", "ORD");
            local.network().failures.outage(false);
            RepairRequest request = RepairRequest.newBuilder(missing().build())
                    .setIndex(index.name())
                    .setIndexId(index.id())
                    .build();
            assertThat(repair(local, request, new ServerRpcController()).getPuts())
                    .isEqualTo(1);
            put(local, "r", "JFK");
            assertThat(local.status().getQueued()).as("queued changes").isGreaterThan(1);

            assertThat(local.drain()).isZero();

            assertThat(local.indexTable(index).entries()).isEqualTo(local.expected(index));
        }
    }

    /** The reservation counts the bytes of the updates, not the rows. */
    @Test
    void reservesTheMemoryOfItsUpdatesWhileTheyAreInFlight() throws Exception {
        ExecutorService caller = Executors.newSingleThreadExecutor();
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            put(local);
            long before = ServerParts.of(local).memory().used();
            local.network().faults.holdNext();
            RepairRequest request = missing()
                    .addRepairs(wrongKey('a'))
                    .addRepairs(wrongKey('b'))
                    .build();
            Future<RepairResponse> repair = caller.submit(() -> repair(local, request, new ServerRpcController()));
            Waiting.until(
                    "the updates are in flight", () -> local.network().faults.waiting() == 1);
            long held = ServerParts.of(local).memory().used() - before;
            local.network().faults.end();
            assertThat(repair.get(30, TimeUnit.SECONDS).getDeletes()).isEqualTo(2);
            assertThat(held).isBetween(4L * KEY_BYTES, 20L * KEY_BYTES); // a mutation holds its key twice
            assertThat(ServerParts.of(local).memory().used()).isEqualTo(before);
        } finally {
            caller.shutdownNow();
        }
    }

    /**
     * The row has moved, and the put of its new entry is in flight: the old one is stale, and the only one by which
     * readers find the row.
     */
    @Test
    void putsTheRightEntryBeforeItDeletesAStaleOne() throws IOException {
        IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_INSERT);
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(index))) {
            put(local, "r", "ORD");
            Cell old = local.indexTable(index).visible().values().iterator().next();
            local.network().faults.hold(); // calls of the APS remain in flight
            local.network().faults.failNext(1, false);
            assertThatThrownBy(() -> put(local, "r", "LAX")).isInstanceOf(IndexUpdateDelayedException.class);
            assertThat(local.indexTable(index).entries()).allMatch(entry -> entry.startsWith("ORD"));
            RepairRequest request = RepairRequest.newBuilder()
                    .setIndex(index.name())
                    .setIndexId(index.id())
                    .addRepairs(Repair.newBuilder()
                            .setRow(ByteString.copyFrom(row("r")))
                            .setKey(ByteString.copyFrom(CellUtil.cloneRow(old)))
                            .setStamp(old.getTimestamp()))
                    .build();
            assertThat(repair(local, request, new ServerRpcController()).getPuts())
                    .isEqualTo(1);
            assertThat(local.indexTable(index).entries()).isEqualTo(local.expected(index));
            local.network().faults.end();
            assertThat(local.drain()).isZero();
            assertThat(local.indexTable(index).entries()).isEqualTo(local.expected(index));
        }
    }

    private static void put(LocalRegion local) throws IOException {
        put(local, "r");
    }

    private static void put(LocalRegion local, String row) throws IOException {
        put(local, row, "ORD");
    }

    private static void put(LocalRegion local, String row, String origin) throws IOException {
        local.region().put(new Put(row(row)).addColumn(F, Bytes.toBytes("origin"), Bytes.toBytes(origin)));
    }

    private static RepairRequest.Builder missing() {
        return RepairRequest.newBuilder()
                .setIndex(INDEX.name())
                .setIndexId(INDEX.id())
                .addRepairs(Repair.newBuilder().setRow(ByteString.copyFrom(row("r"))));
    }

    /** Returns a wrong entry of the row, with another, long value. */
    private static Repair wrongKey(char letter) throws UndecodableValueException {
        byte[] value = Bytes.toBytes(String.valueOf(letter).repeat(KEY_BYTES));
        byte[] key = new IndexKeyCodec(INDEX).encode(List.of(value), row("r"));
        return Repair.newBuilder()
                .setRow(ByteString.copyFrom(row("r")))
                .setKey(ByteString.copyFrom(key))
                .setStamp(1)
                .build();
    }

    private static RepairResponse repair(LocalRegion local, RepairRequest request, ServerRpcController controller) {
        List<RepairResponse> responses = new ArrayList<>();
        local.endpoint().repair(controller, request, responses::add);
        return responses.get(0);
    }
}
