package org.diffindex.server.deliver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.MoreExecutors;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests that the RPCs that a write of index updates makes on many servers are as many as the cost model in
 * docs/scale.md says: n mutations that are distributed evenly over S servers reach D(n, S) = S (1 - (1 - 1/S)^n) of
 * them.
 */
class FanOutTest {
    private static final EntryFormat FORMAT = new EntryFormat("");
    private static final int WRITES = 40;
    private static final int REGIONS_OF_A_SERVER = 2;

    /**
     * The accepted distance from the expected mean, in standard errors. One in a million seeds is farther off, and the
     * seed is fixed.
     */
    private static final double ERRORS = 5;

    private final ExecutorService here = MoreExecutors.newDirectExecutorService();
    private final Random random = new Random(20);

    /** The model of one write to one table: how many of some servers some mutations reach. */
    private record Reach(int mutations, int servers) {
        private double stay(int reached) {
            return Math.pow(1 - (double) reached / servers, mutations);
        }

        /** D(n, S). */
        double mean() {
            return servers * (1 - stay(1));
        }

        /** Returns the variance of the number of cells that are hit when this many balls fall into this many cells. */
        double variance() {
            double s = servers;
            return Math.max(0, s * (s - 1) * stay(2) + s * stay(1) - s * s * stay(1) * stay(1));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1",
        "1, 1000",
        "2, 3",
        "20, 3",
        "2, 40",
        "50, 40",
        "1024, 40",
        "10, 200",
        "1024, 200",
        "2, 1000",
        "160, 1000",
        "1024, 1000",
        "4000, 1000"
    })
    void aWriteMakesOneRpcForEachServerThatItReaches(int mutations, int servers) throws IOException {
        Reach reach = new Reach(mutations, servers);
        assertThat(meanRpcs(servers, List.of(mutations))).isCloseTo(reach.mean(), within(tolerance(reach.variance())));
    }

    @ParameterizedTest
    @CsvSource({"1, 5, 25, 40", "100, 200, 300, 200", "1, 512, 2000, 1000"})
    void theRpcsOfSeveralTablesAddUp(int first, int second, int third, int servers) throws IOException {
        List<Reach> reaches = IntStream.of(first, second, third)
                .mapToObj(n -> new Reach(n, servers))
                .toList();
        double mean = reaches.stream().mapToDouble(Reach::mean).sum();
        double variance = reaches.stream().mapToDouble(Reach::variance).sum();
        assertThat(meanRpcs(servers, List.of(first, second, third))).isCloseTo(mean, within(tolerance(variance)));
    }

    /**
     * A client's batch has 1,000 rows that change two entries each: on few servers it makes one RPC for 111 rows, on
     * many almost one for each mutation.
     */
    @ParameterizedTest
    @CsvSource({"3, 0.009", "40, 1.149", "200, 1.956", "1000, 1.999"})
    void theRpcsForEachRowOfAClientsBatchGrowWithTheNumberOfServers(int servers, double ofEachRow) throws IOException {
        Reach reach = new Reach(2 * 1_000 / servers, servers);
        int rpcs = rpcs(servers, servers, List.of(reach.mutations()));
        double error = Math.sqrt(servers * reach.variance());
        assertThat((double) rpcs).isCloseTo(servers * reach.mean(), within(ERRORS * error + 1e-9));
        assertThat(servers * reach.mean() / 1_000).isCloseTo(ofEachRow, within(0.001));
    }

    @Test
    void everyMutationArrivesOnce() throws IOException {
        SimulatedServers servers = new SimulatedServers(1_000, REGIONS_OF_A_SERVER);
        List<IndexUpdate> updates = updates(List.of(700, 900));
        writer(servers).write(updates);
        assertThat(servers.received())
                .containsExactlyInAnyOrderElementsOf(
                        updates.stream().map(IndexUpdate::mutation).toList());
    }

    /** On 200 servers, with 100 indexes. */
    @Test
    @Timeout(60)
    void aPutHasBoundedThreadsAndCallsHoweverManyIndexesAndServersItReaches() throws IOException {
        ExecutorService pool = Executors.newCachedThreadPool();
        try {
            SimulatedServers servers = new SimulatedServers(200, REGIONS_OF_A_SERVER);
            servers.answerOnlyIfInFlight(IndexWriter.MOST_THREADS);
            List<IndexUpdate> updates = updates(Collections.nCopies(100, 1));
            SimulatedServers.writer(servers.connection(), pool).write(updates);
            assertThat(servers.received()).hasSize(100);
            assertThat(servers.mostInFlight()).isEqualTo(IndexWriter.MOST_THREADS);
            assertThat(((ThreadPoolExecutor) pool).getLargestPoolSize()).isLessThan(IndexWriter.MOST_THREADS);
        } finally {
            pool.shutdownNow();
        }
    }

    /** A small call, which could be combined with those of others, is made alone then. */
    @Test
    void theLaterCallsOfAWriteGetWhatIsLeftOfItsTime() throws IOException {
        SimulatedServers servers = new SimulatedServers(200, REGIONS_OF_A_SERVER);
        int calls = IndexWriter.MOST_THREADS + 3;
        // At the beginning, before each table is looked up, when all are, and before each call.
        AtomicLong asked = new AtomicLong(-IndexWriter.MOST_THREADS - calls - 1);
        Connection connection = servers.connection();
        int timeoutMs = 30_000;
        IndexWriter writer = new IndexWriter(
                () -> connection,
                here,
                HRegion.DEFAULT_HBASE_REGIONSERVER_MINIBATCH_SIZE,
                timeoutMs,
                () -> Math.max(0, asked.incrementAndGet()) * TimeUnit.SECONDS.toNanos(5),
                CallListener.NONE);
        writer.write(updates(Collections.nCopies(calls, 1)));
        assertThat(servers.limits()).containsExactly(25_000, 20_000, 15_000, 10_000);
    }

    private double meanRpcs(int servers, List<Integer> mutationsOfTables) throws IOException {
        return (double) rpcs(WRITES, servers, mutationsOfTables) / WRITES;
    }

    private static double tolerance(double varianceOfOne) {
        return ERRORS * Math.sqrt(varianceOfOne / WRITES) + 1e-9;
    }

    /** Returns the number of RPCs of so many writes. */
    private int rpcs(int writes, int servers, List<Integer> mutationsOfTables) throws IOException {
        SimulatedServers simulated = new SimulatedServers(servers, REGIONS_OF_A_SERVER);
        IndexWriter writer = writer(simulated);
        for (int write = 0; write < writes; write++) {
            writer.write(updates(mutationsOfTables));
        }
        return simulated.rpcs();
    }

    private IndexWriter writer(SimulatedServers servers) {
        return SimulatedServers.writer(servers.connection(), here);
    }

    /** Returns puts and deletes of entries that are distributed evenly over their tables. */
    private List<IndexUpdate> updates(List<Integer> mutationsOfTables) {
        List<IndexUpdate> updates = new ArrayList<>();
        for (int table = 0; table < mutationsOfTables.size(); table++) {
            TableName name = TableName.valueOf("items.by_column" + table);
            for (int i = 0; i < mutationsOfTables.get(table); i++) {
                byte[] key = Bytes.toBytes(random.nextLong());
                Mutation mutation = i % 2 == 0 ? FORMAT.put(new IndexEntry(key, 1), 1) : FORMAT.delete(key, 1);
                updates.add(new IndexUpdate(name, mutation));
            }
        }
        return updates;
    }
}
