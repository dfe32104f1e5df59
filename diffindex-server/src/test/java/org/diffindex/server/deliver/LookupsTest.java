package org.diffindex.server.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.RegionLocations;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.ClusterConnection;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.NoServerForRegionException;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.exceptions.FailedSanityCheckException;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.MoreExecutors;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexAddress;
import org.diffindex.model.IndexEntry;
import org.diffindex.server.sim.Stub;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests what lookups of regions take of a write's time, which is 30 s by a clock that the lookups move. */
@Timeout(60)
class LookupsTest {
    private static final EntryFormat FORMAT = new EntryFormat("");
    private static final long ATTEMPT_SECONDS = 9;

    private final ExecutorService pool = Executors.newCachedThreadPool();
    private final SimulatedServers servers = new SimulatedServers(1, 1);
    private final AtomicLong seconds = new AtomicLong();
    private boolean isClosed;

    /** The tables that were looked up, once for each attempt; hbase:meta for a lookup of its place. */
    private final List<TableName> attempts = new CopyOnWriteArrayList<>();

    @AfterEach
    void stop() {
        pool.shutdownNow();
    }

    /** An attempt of HBase's client to look up a region. */
    @FunctionalInterface
    private interface Attempt {
        void make(TableName table) throws Exception;
    }

    /** A handler, its client and the close of its region wait for the lookups of a write as they do for its calls. */
    @Test
    void theLookupsOfAWriteCountTowardsItsTime() {
        IndexWriter writer = writer(pool, table -> {
            seconds.addAndGet(ATTEMPT_SECONDS);
            throw new SocketTimeoutException("hbase:meta does not answer");
        });
        assertThatThrownBy(() -> writer.write(updates(2))).isInstanceOf(IOException.class);
        assertThat(seconds.get()).as("seconds, a tenth more than 30 at most").isLessThanOrEqualTo(33);
    }

    @Test
    void aLookupThatFailsIsRepeatedAsHBaseDoes() throws IOException {
        IndexWriter writer = writer(pool, table -> {
            if (attempts.size() == 1) {
                throw new IOException("The server of hbase:meta has stopped");
            } else if (attempts.size() == 3) {
                throw new NoServerForRegionException("The region is being opened");
            }
        });
        writer.write(updates(1));
        assertThat(attempts)
                .as("asks where hbase:meta is only if it did not answer")
                .containsExactly(table(0), TableName.META_TABLE_NAME, table(0), table(0));
        assertThat(servers.received()).hasSize(1);
    }

    /** The index was dropped. */
    @Test
    void aTableThatDoesNotExistIsLookedUpOnce() {
        IndexWriter writer = writer(pool, table -> {
            seconds.addAndGet(ATTEMPT_SECONDS);
            throw new TableNotFoundException(table);
        });
        assertThatThrownBy(() -> writer.write(updates(1))).isInstanceOf(TableNotFoundException.class);
        assertThat(attempts).containsExactly(table(0));
    }

    /** The server is stopping. */
    @Test
    void nothingIsLookedUpAgainWhenTheConnectionIsClosed() {
        IndexWriter writer = writer(pool, table -> {
            isClosed = true;
            seconds.addAndGet(ATTEMPT_SECONDS);
            throw new IOException("The connection is closed");
        });
        assertThatThrownBy(() -> writer.write(updates(1))).hasMessage("The connection is closed");
        assertThat(attempts).containsExactly(table(0));
    }

    @Test
    void theOtherTablesAreLookedUpTogetherWhenALookupHasFailed() {
        CyclicBarrier together = new CyclicBarrier(2);
        IndexWriter writer = writer(pool, table -> {
            if (table.equals(table(0))) {
                seconds.addAndGet(ATTEMPT_SECONDS);
                throw new TableNotFoundException(table);
            }
            together.await(10, TimeUnit.SECONDS);
        });
        assertThatThrownBy(() -> writer.write(updates(3))).isInstanceOf(TableNotFoundException.class);
        assertThat(servers.received()).hasSize(2);
    }

    @Test
    void slowLookupsOfManyRegionsTakeAPartOfTheTime() {
        IndexWriter writer = writer(pool, table -> seconds.addAndGet(ATTEMPT_SECONDS / 3));
        List<IndexUpdate> updates =
                Stream.generate(() -> updates(1).get(0)).limit(40).toList();
        assertThatThrownBy(() -> writer.write(updates)).hasMessageContaining("too slow");
        assertThat(seconds.get()).as("seconds").isLessThanOrEqualTo(21);
        assertThat(servers.received()).as("those whose region was found").isNotEmpty();
    }

    /** Each of several rounds would take as long as one. */
    @Test
    void noFurtherTablesAreLookedUpIfNoneIsFound() {
        IndexWriter writer = writer(MoreExecutors.newDirectExecutorService(), table -> {
            seconds.addAndGet(ATTEMPT_SECONDS);
            throw new SocketTimeoutException("hbase:meta does not answer");
        });
        assertThatThrownBy(() -> writer.write(updates(IndexWriter.MOST_THREADS + 8)))
                .isInstanceOf(IOException.class);
        assertThat(attempts).containsExactly(table(0), table(1));
    }

    @Test
    void theCallsHaveAPartOfTheTimeHoweverLongALookupTook() throws IOException {
        IndexWriter writer = writer(pool, table -> seconds.addAndGet(100));
        writer.write(updates(1));
        assertThat(servers.limits()).containsExactly(9_000);
    }

    @Test
    void aLateWriteIsNotRepeatedAfterASplit() {
        List<IndexUpdate> updates = updates(1);
        IOException refusal = new RetriesExhaustedWithDetailsException(
                List.of(new FailedSanityCheckException(IndexAddress.NOT_IN_ITS_REGION)),
                List.of(updates.get(0).mutation()),
                List.of("rs0:16020"));
        Table table = Stub.of(
                Table.class,
                Map.of(
                        "batch",
                        call -> {
                            seconds.addAndGet(22);
                            throw refusal;
                        },
                        "close",
                        call -> null));
        IndexWriter writer = writer(pool, connection(any -> {}, call -> table));
        assertThatThrownBy(() -> writer.write(updates)).isSameAs(refusal);
        assertThat(attempts).containsExactly(table(0));
    }

    private static TableName table(int number) {
        return TableName.valueOf("items.by_column" + number);
    }

    /** Returns a put for each of several tables. */
    private static List<IndexUpdate> updates(int tables) {
        return IntStream.range(0, tables)
                .mapToObj(i -> new IndexUpdate(table(i), FORMAT.put(new IndexEntry(Bytes.toBytes(1L), 1), 1)))
                .toList();
    }

    private IndexWriter writer(ExecutorService threads, Attempt attempt) {
        Connection connection = servers.connection();
        return writer(threads, connection(attempt, call -> connection.getTable((TableName) call[0], null)));
    }

    private IndexWriter writer(ExecutorService threads, Connection connection) {
        return new IndexWriter(
                () -> connection,
                threads,
                HRegion.DEFAULT_HBASE_REGIONSERVER_MINIBATCH_SIZE,
                30_000,
                () -> TimeUnit.SECONDS.toNanos(seconds.get()),
                CallListener.NONE);
    }

    /** Returns a connection as a region server has, whose locators make 21 attempts each time. */
    private ClusterConnection connection(Attempt attempt, Stub.Answer getTable) {
        Connection connection = servers.connection();
        return Stub.of(
                ClusterConnection.class,
                Map.of(
                        "locateRegion",
                        call -> {
                            assertThat(call[3])
                                    .as("whether it makes several attempts")
                                    .isEqualTo(false);
                            return new RegionLocations(locate((TableName) call[0], (byte[]) call[1], attempt));
                        },
                        "isClosed",
                        call -> isClosed,
                        "relocateRegion",
                        call -> {
                            attempts.add((TableName) call[0]);
                            return null;
                        },
                        "getRegionLocator",
                        table -> Stub.of(
                                RegionLocator.class,
                                Map.of(
                                        "getRegionLocation",
                                        call -> locateByLocator((TableName) table[0], (byte[]) call[0], attempt),
                                        "close",
                                        call -> null)),
                        "getTable",
                        getTable,
                        "getTableBuilder",
                        call -> connection.getTableBuilder((TableName) call[0], null)));
    }

    private HRegionLocation locate(TableName table, byte[] key, Attempt attempt) throws Exception {
        attempts.add(table);
        attempt.make(table);
        return servers.connection().getRegionLocator(table).getRegionLocation(key);
    }

    private HRegionLocation locateByLocator(TableName table, byte[] key, Attempt attempt) throws Exception {
        for (int i = 1; i <= 20; i++) {
            try {
                return locate(table, key, attempt);
            } catch (IOException e) {
                assertThat(e).as("another attempt follows").isNotNull();
            }
        }
        return locate(table, key, attempt);
    }
}
