package org.diffindex.server.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.exceptions.FailedSanityCheckException;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexAddress;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDelta;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.diffindex.server.sim.Stub;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that a write leaves none of its calls in flight, whatever becomes of the others: its failure means that all
 * have ended.
 */
@Timeout(60)
class IndexWriterTest {
    private static final IndexDefinition FIRST_INDEX = Flights.byOrigin(IndexScheme.SYNC_FULL);
    private static final IndexDefinition SECOND_INDEX = Flights.byOriginAndDate(IndexScheme.SYNC_FULL);
    private static final TableName FIRST = FIRST_INDEX.indexTable();
    private static final TableName SECOND = SECOND_INDEX.indexTable();

    /** A key of the first of two regions; {@link #HIGH} is one of the second. */
    private static final long LOW = 1;

    private static final long HIGH = -1;

    private final ExecutorService pool = Executors.newCachedThreadPool();
    private final CountDownLatch secondMayEnd = new CountDownLatch(1);

    @AfterEach
    void stop() {
        secondMayEnd.countDown();
        pool.shutdownNow();
    }

    @ParameterizedTest
    @MethodSource
    void aWriteFailsOnlyWhenItsOtherCallHasEnded(Exception failure) throws Exception {
        FutureTask<Void> write = write(fails(failure), waits(secondMayEnd));
        Thread thread = new Thread(write, "writer");
        thread.start();
        while (thread.getState() != Thread.State.WAITING && !write.isDone()) {
            Thread.onSpinWait();
        }
        assertThat(write).isNotDone();
        secondMayEnd.countDown();
        assertThatThrownBy(write::get).cause().isSameAs(failure);
    }

    static List<Exception> aWriteFailsOnlyWhenItsOtherCallHasEnded() {
        return List.of(new IOException("The server is away"), new IllegalStateException("The client is broken"));
    }

    @Test
    void aFailureOfTheOtherCallFailsTheWrite() {
        IOException failure = new IOException("The server is away");
        FutureTask<Void> write = write(waits(new CountDownLatch(0)), fails(failure));
        write.run();
        assertThatThrownBy(write::get).rootCause().isSameAs(failure);
    }

    @Test
    void deletesAnEntryOnlyWhenItsReplacementElsewhereIsDurable() throws Exception {
        SimulatedServers servers = new SimulatedServers(2, 1);
        List<IndexUpdate> updates = move(FIRST_INDEX, LOW, HIGH);
        Connection connection = servers.connection();
        SimulatedServers.writer(connection, pool).write(updates);
        assertThat(servers.received())
                .extracting(mutation -> mutation.getClass().getSimpleName())
                .containsExactly("Put", "Delete");
        assertThat(servers.rpcs()).isEqualTo(2);
    }

    /** A write takes two steps, and four if a region was split meanwhile; its client waits for the time of one. */
    @Test
    void theSecondStepHasWhatTheFirstHasLeftOfTheTime() throws IOException {
        SimulatedServers servers = new SimulatedServers(2, 1);
        Connection connection = servers.connection();
        AtomicLong seconds = new AtomicLong();
        IndexWriter writer = writerAt(seconds, connection);
        servers.afterEachCall(() -> seconds.addAndGet(20));
        writer.write(move(FIRST_INDEX, LOW, HIGH));
        assertThat(servers.limits()).containsExactly(10_000);

        servers.afterEachCall(() -> seconds.addAndGet(30));
        assertThatThrownBy(() -> writer.write(move(FIRST_INDEX, LOW, HIGH)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Not sent: earlier calls of the write took 30000 ms");
        assertThat(servers.received())
                .extracting(mutation -> mutation.getClass().getSimpleName())
                .containsExactly("Put", "Delete", "Put");
    }

    @Test
    void keepsAnEntryIfItsReplacementCouldNotBePut() {
        List<Object> received = new CopyOnWriteArrayList<>();
        FutureTask<Void> write = write(
                Map.of(
                        FIRST,
                        batch -> {
                            List<?> mutations = (List<?>) batch[0];
                            received.addAll(mutations);
                            throw new IOException("The server is away");
                        },
                        SECOND,
                        batch -> received.addAll((List<?>) batch[0])),
                2,
                Stream.concat(move(FIRST_INDEX, LOW, HIGH).stream(), move(SECOND_INDEX, LOW, HIGH).stream())
                        .toList());
        write.run();
        assertThatThrownBy(write::get).rootCause().hasMessage("The server is away");
        assertThat(received)
                .as("calls, of which only the other table's delete follows its put")
                .extracting(mutation -> mutation.getClass().getSimpleName())
                .containsExactlyInAnyOrder("Put", "Put", "Delete");
    }

    @Test
    void movesAnEntryWithinARegionInOneCall() throws IOException {
        SimulatedServers servers = new SimulatedServers(2, 1);
        Connection connection = servers.connection();
        SimulatedServers.writer(connection, pool).write(move(FIRST_INDEX, LOW, LOW + 1));
        assertThat(servers.received())
                .extracting(mutation -> mutation.getClass().getSimpleName())
                .containsExactly("Put", "Delete");
        assertThat(servers.rpcs()).isEqualTo(1);
    }

    /** HBase sorts a batch by row, and applies at most so much of it at a time. */
    @Test
    void sendsDeletesAfterPutsIfThereAreMoreThanHBaseAppliesTogether() throws IOException {
        SimulatedServers servers = new SimulatedServers(1, 1);
        Connection connection = servers.connection();
        int moves = HRegion.DEFAULT_HBASE_REGIONSERVER_MINIBATCH_SIZE / 2;
        List<IndexUpdate> updates = LongStream.rangeClosed(0, moves)
                .boxed()
                .flatMap(i -> move(FIRST_INDEX, 2 * i, 2 * i + 1).stream())
                .toList();
        SimulatedServers.writer(connection, pool).write(updates);
        assertThat(servers.rpcs()).isEqualTo(2);
        assertThat(servers.received().subList(0, moves + 1)).hasOnlyElementsOfType(Put.class);
        assertThat(servers.received().subList(moves + 1, 2 * moves + 2)).hasOnlyElementsOfType(Delete.class);
    }

    /** HBase applies fewer mutations together if hbase.regionserver.minibatch.size is below its default. */
    @Test
    void sendsDeletesAfterPutsIfHBaseIsSetToApplyFewerTogether() throws IOException {
        SimulatedServers servers = new SimulatedServers(1, 1);
        Connection connection = servers.connection();
        List<IndexUpdate> updates = Stream.concat(
                        move(FIRST_INDEX, LOW + 1, LOW).stream(), move(FIRST_INDEX, LOW + 3, LOW + 2).stream())
                .toList();
        SimulatedServers.writer(connection, pool, 3).write(updates);
        assertThat(servers.received())
                .extracting(mutation -> mutation.getClass().getSimpleName())
                .containsExactly("Put", "Put", "Delete", "Delete");
        assertThat(servers.rpcs()).isEqualTo(2);
    }

    /**
     * A later write, which sends its entry itself, has changed the row; only what this write puts is certain to be in
     * the index.
     */
    @Test
    void deletesAnEntryAfterAllPutsIfAnotherWritePutsItsSuccessor() throws IOException {
        SimulatedServers servers = new SimulatedServers(2, 1);
        Connection connection = servers.connection();
        IndexUpdate delete = IndexUpdate.delete(FIRST_INDEX, Bytes.toBytes(LOW), 1, Bytes.toBytes(LOW + 1));
        IndexUpdate put = IndexUpdate.put(FIRST_INDEX, new IndexEntry(Bytes.toBytes(HIGH), 2), 2);
        SimulatedServers.writer(connection, pool).write(List.of(delete, put));
        assertThat(servers.received())
                .extracting(mutation -> mutation.getClass().getSimpleName())
                .containsExactly("Put", "Delete");
        assertThat(servers.rpcs()).isEqualTo(2);
    }

    /**
     * A region may have been split after its location was looked up: then the put may still be in flight to the other
     * half.
     */
    @Test
    void deletesAnEntryAfterAllPutsIfItsRegionRefusesToDeleteItAlone() throws Exception {
        List<List<String>> calls = new CopyOnWriteArrayList<>();
        FutureTask<Void> write = write(
                Map.of(FIRST, batch -> {
                    List<?> mutations = (List<?>) batch[0];
                    calls.add(mutations.stream()
                            .map(each -> each.getClass().getSimpleName())
                            .toList());
                    for (Object each : mutations) {
                        if (each instanceof Delete delete
                                && IndexAddress.regionOf(delete).isPresent()) {
                            throw new RetriesExhaustedWithDetailsException(
                                    List.of(new FailedSanityCheckException(IndexAddress.NOT_IN_ITS_REGION)),
                                    List.of(delete),
                                    List.of("rs0:16020"));
                        }
                    }
                    return null;
                }),
                1,
                move(FIRST_INDEX, LOW, LOW + 1));
        write.run();
        write.get();
        assertThat(calls).containsExactly(List.of("Put", "Delete"), List.of("Put"), List.of("Delete"));
    }

    /**
     * HBase's client refuses to look up the region of a key that is too long, before it sends anything. A lookup may take
     * longer than the calls may.
     */
    @ParameterizedTest
    @MethodSource
    void anUpdateWhoseRegionIsNotFoundFailsAlone(Exception failure) throws Exception {
        SimulatedServers servers = new SimulatedServers(1, 1);
        AtomicLong seconds = new AtomicLong();
        Connection connection = withLocators(servers, table -> call -> {
            if (table.equals(FIRST) && Bytes.toLong((byte[]) call[0]) == LOW + 1) {
                seconds.addAndGet(31);
                throw failure;
            }
            return servers.connection().getRegionLocator(table).getRegionLocation((byte[]) call[0]);
        });
        List<IndexUpdate> updates = Stream.concat(
                        move(FIRST_INDEX, LOW, LOW + 1).stream(), move(SECOND_INDEX, LOW, LOW + 1).stream())
                .toList();
        IndexWriter writer = writerAt(seconds, connection);
        assertThatThrownBy(() -> writer.write(updates)).isSameAs(failure);
        assertThat(servers.received())
                .as("the other table's updates; the entry stays whose successor was not put")
                .extracting(mutation -> mutation.getClass().getSimpleName())
                .containsExactly("Put", "Delete");
    }

    static List<Exception> anUpdateWhoseRegionIsNotFoundFailsAlone() {
        return List.of(
                new IOException("hbase:meta is away"),
                new SocketTimeoutException("hbase:meta does not answer"),
                new IllegalArgumentException("Row length is too long"));
    }

    /** Earlier versions wrote such entries, which a scrub deletes. */
    @Test
    void findsTheRegionOfAKeyThatIsTooLongForALookup() throws IOException {
        int longest = FIRST_INDEX.maxKeyLength();
        byte[] key = new byte[longest + 2];
        key[longest] = 1;
        byte[] secondStart = Arrays.copyOf(key, longest + 1);
        HRegionLocation first = location(HConstants.EMPTY_START_ROW, secondStart);
        HRegionLocation second = location(secondStart, HConstants.EMPTY_END_ROW);
        Connection connection = withLocators(new SimulatedServers(1, 1), table -> call -> {
            byte[] row = (byte[]) call[0];
            assertThat(row).hasSizeLessThanOrEqualTo(longest + 1);
            return second.getRegion().containsRow(row) ? second : first;
        });
        try (EntryLocations locations = new EntryLocations(connection)) {
            assertThat(locations.of(FIRST, key)).isSameAs(second);
        }
    }

    private static HRegionLocation location(byte[] start, byte[] end) {
        return new HRegionLocation(
                RegionInfoBuilder.newBuilder(FIRST)
                        .setStartKey(start)
                        .setEndKey(end)
                        .build(),
                ServerName.valueOf("rs", 16020, 1));
    }

    private static Connection withLocators(SimulatedServers servers, Function<TableName, Stub.Answer> lookUp) {
        Connection connection = servers.connection();
        return Stub.of(
                Connection.class,
                Map.of(
                        "getRegionLocator",
                        call -> Stub.of(
                                RegionLocator.class,
                                Map.of("getRegionLocation", lookUp.apply((TableName) call[0]), "close", close -> null)),
                        "getTable",
                        call -> connection.getTable((TableName) call[0], null),
                        "getTableBuilder",
                        call -> connection.getTableBuilder((TableName) call[0], null),
                        "isClosed",
                        call -> false));
    }

    /** Returns the updates of a row whose entry moves from one key to another, the delete first. */
    private static List<IndexUpdate> move(IndexDefinition index, long from, long to) {
        IndexDelta delta = IndexDelta.between(
                Optional.of(new IndexEntry(Bytes.toBytes(from), 1)), Optional.of(new IndexEntry(Bytes.toBytes(to), 2)));
        return IndexUpdate.of(index, delta, 2, 2);
    }

    /** Returns a write to two tables. The writing thread itself makes the call to the first. */
    /** Returns a writer with a timeout of 30 s by a clock that the test moves. */
    private IndexWriter writerAt(AtomicLong seconds, Connection connection) {
        return new IndexWriter(
                () -> connection,
                pool,
                HRegion.DEFAULT_HBASE_REGIONSERVER_MINIBATCH_SIZE,
                30_000,
                () -> TimeUnit.SECONDS.toNanos(seconds.get()),
                CallListener.NONE);
    }

    private FutureTask<Void> write(Stub.Answer first, Stub.Answer second) {
        return write(Map.of(FIRST, first, SECOND, second), 1, List.of(update(FIRST_INDEX), update(SECOND_INDEX)));
    }

    private FutureTask<Void> write(
            Map<TableName, Stub.Answer> batches, int numberOfServers, List<IndexUpdate> updates) {
        Connection servers = new SimulatedServers(numberOfServers, 1).connection();
        Connection connection = Stub.of(
                Connection.class,
                Map.of(
                        "getRegionLocator",
                        call -> servers.getRegionLocator((TableName) call[0]),
                        "getTable",
                        call -> Stub.of(
                                Table.class,
                                Map.of("batch", batches.get((TableName) call[0]), "close", close -> null))));
        IndexWriter writer = SimulatedServers.writer(connection, pool);
        return new FutureTask<>(() -> {
            writer.write(updates);
            return null;
        });
    }

    private static Stub.Answer fails(Exception failure) {
        return batch -> {
            throw failure;
        };
    }

    private static Stub.Answer waits(CountDownLatch end) {
        return batch -> {
            end.await();
            return null;
        };
    }

    private static IndexUpdate update(IndexDefinition index) {
        return IndexUpdate.put(index, new IndexEntry(Bytes.toBytes(1L), 1), 1);
    }
}
