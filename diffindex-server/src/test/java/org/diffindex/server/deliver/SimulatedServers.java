package org.diffindex.server.deliver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableBuilder;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.server.sim.Stub;

/**
 * Region servers over which the regions of every table are distributed, as the network sees them: a batch is one RPC to
 * each server that has one of its rows, as HBase's client sends it. Rows begin with 8 bytes, by which the regions
 * divide them evenly. Thread-safe.
 */
final class SimulatedServers {
    private record Region(TableName table, int number) {}

    private final Map<Region, HRegionLocation> locations = new ConcurrentHashMap<>();
    private final List<ServerName> servers;
    private final int regionsOfEach;

    /** The operation timeouts, in milliseconds, of the tables that have their own. */
    private final List<Integer> limits = new CopyOnWriteArrayList<>();

    /** Guarded by this. */
    private int rpcs;

    /** Guarded by this. */
    private final List<Mutation> received = new ArrayList<>();

    /** Guarded by this. */
    private Runnable afterEachCall = () -> {};

    /** The calls that no server has answered yet. Guarded by this. */
    private int inFlight;

    /** Guarded by this. */
    private int mostInFlight;

    /** How many calls must have been in flight at once before one is answered. Guarded by this. */
    private int heldUntilInFlight;

    SimulatedServers(int servers, int regionsOfEach) {
        this.servers = IntStream.range(0, servers)
                .mapToObj(i -> ServerName.valueOf("rs" + i, 16020, 1))
                .toList();
        this.regionsOfEach = regionsOfEach;
    }

    /** Returns a writer over a connection, to servers with HBase's default mini-batch size and no limit of time. */
    static IndexWriter writer(Connection connection, ExecutorService pool) {
        return writer(connection, pool, HRegion.DEFAULT_HBASE_REGIONSERVER_MINIBATCH_SIZE);
    }

    static IndexWriter writer(Connection connection, ExecutorService pool, int mostTogether) {
        return new IndexWriter(
                () -> connection, pool, mostTogether, Integer.MAX_VALUE, System::nanoTime, CallListener.NONE);
    }

    /** Returns a connection to them. */
    Connection connection() {
        return Stub.of(
                Connection.class,
                Map.of(
                        "getRegionLocator", call -> locator((TableName) call[0]),
                        "getTable", call -> table((TableName) call[0]),
                        "getTableBuilder", call -> builder((TableName) call[0])));
    }

    private RegionLocator locator(TableName table) {
        return Stub.of(
                RegionLocator.class,
                Map.of(
                        "getRegionLocation",
                        call -> locations.computeIfAbsent(new Region(table, region((byte[]) call[0])), this::location),
                        "close",
                        call -> null));
    }

    private HRegionLocation location(Region region) {
        RegionInfo info = RegionInfoBuilder.newBuilder(region.table)
                .setRegionId(region.number)
                .build();
        return new HRegionLocation(info, serverOf(region.table, region.number));
    }

    private int region(byte[] row) {
        // The upper 32 bits select the region, as a share of their range.
        long share = Bytes.toLong(row) >>> Integer.SIZE;
        return (int) ((share * servers.size() * regionsOfEach) >>> Integer.SIZE);
    }

    /** Returns the server of a region. Each table begins at another server. */
    private ServerName serverOf(TableName table, int region) {
        return servers.get(Math.floorMod(region + table.hashCode(), servers.size()));
    }

    private TableBuilder builder(TableName name) {
        TableBuilder[] itself = new TableBuilder[1];
        itself[0] = Stub.of(
                TableBuilder.class,
                Map.of(
                        "setOperationTimeout",
                        call -> {
                            limits.add((Integer) call[0]);
                            return itself[0];
                        },
                        "build",
                        call -> table(name)));
        return itself[0];
    }

    private Table table(TableName name) {
        return Stub.of(
                Table.class,
                Map.of(
                        "batch",
                        call -> {
                            begin();
                            receive(name, (List<?>) call[0]);
                            end();
                            return null;
                        },
                        "close",
                        call -> null));
    }

    private synchronized void begin() throws InterruptedException {
        inFlight++;
        mostInFlight = Math.max(mostInFlight, inFlight);
        notifyAll();
        while (mostInFlight < heldUntilInFlight) {
            wait();
        }
    }

    private synchronized void end() {
        inFlight--;
        afterEachCall.run();
    }

    /** Runs a task at the end of each call. */
    synchronized void afterEachCall(Runnable task) {
        afterEachCall = task;
    }

    /** Answers no call before so many were in flight at once. */
    synchronized void answerOnlyIfInFlight(int calls) {
        heldUntilInFlight = calls;
    }

    /** Returns the highest number of calls that were in flight at once. */
    synchronized int mostInFlight() {
        return mostInFlight;
    }

    private synchronized void receive(TableName table, List<?> batch) {
        List<Mutation> mutations = batch.stream().map(Mutation.class::cast).toList();
        rpcs += (int) mutations.stream()
                .map(mutation -> serverOf(table, region(mutation.getRow())))
                .distinct()
                .count();
        received.addAll(mutations);
    }

    /** Returns the limits, in milliseconds, of the calls that were not given the connection's. */
    List<Integer> limits() {
        return limits;
    }

    /** Returns the number of RPCs that they received. */
    synchronized int rpcs() {
        return rpcs;
    }

    /** Returns the mutations that they received. */
    synchronized List<Mutation> received() {
        return List.copyOf(received);
    }
}
