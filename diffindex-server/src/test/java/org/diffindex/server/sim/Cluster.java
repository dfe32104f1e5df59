package org.diffindex.server.sim;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.TableBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.server.local.Flights;
import org.diffindex.server.sim.SimulationFailure.Kind;

/** Two region servers with the regions of a base table and of its indexes, and the faults that can happen to them. */
final class Cluster {
    private static final Configuration SETTINGS = new Configuration();
    private static final int SERVERS = 2;
    private static final long REGION_ID = 1;
    private static final int MOST_SKEW_MS = 40;
    private static final String INDEX_SPLIT = "B";

    private static final int SESSION_MS = 20;

    /** The longest time for which a server works on after it has slept through the end of its session. */
    private static final int LONGEST_AFTERLIFE_MS = 60;

    /** Time between the report of a stale entry and its deletion. */
    static final long STALE_DELAY_MS = 30;

    final Scheduler scheduler;
    final Disk disk;
    final Wiring wiring;
    private final Configuration conf;
    private final TableDescriptor table;
    private final Server[] servers = new Server[SERVERS];
    private final boolean clocksDiffer;
    private int lives;
    final List<StoreFiles> regions = new ArrayList<>();
    final Histories histories;
    final Map<TableName, IndexTable> indexes = new LinkedHashMap<>();
    private final Connection connection;

    /** Whether syncs of the WAL fail now and then. */
    final boolean isWalShaky;

    private boolean crashed;

    /** Whether the session of a server has ended while the server slept, so that it may have left unfinished files. */
    boolean sleptTooLong;

    /** Number of operations of the master that are in progress. */
    int inFlight;

    Cluster(
            Scheduler scheduler,
            Wiring wiring,
            List<IndexDefinition> definitions,
            boolean split,
            boolean isWalShaky,
            Times times,
            Histories histories) {
        this.histories = histories;
        this.scheduler = scheduler;
        this.wiring = wiring;
        this.isWalShaky = isWalShaky;
        this.clocksDiffer = times == Times.OF_SERVERS_THAT_DIFFER;
        this.disk = new Disk(scheduler, wiring);
        this.conf = disk.configuration(SETTINGS);
        conf.setLong("diffindex.auq.max.bytes", scheduler.onceIn(3) ? 1_700 : 1_000_000);
        conf.setInt("diffindex.near.read.cells", scheduler.onceIn(2) ? 0 : 1_000);
        conf.setInt("hbase.regionserver.minibatch.size", 1_000);
        conf.setLong("diffindex.flush.wait.ms", 20);
        conf.setLong("diffindex.close.wait.ms", 20);
        conf.setLong("diffindex.stale.delay.ms", STALE_DELAY_MS);
        TableDescriptor descriptor = TableDescriptorBuilder.newBuilder(Flights.TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(Flights.F))
                .build();
        for (IndexDefinition definition : definitions) {
            descriptor = IndexDefinitions.with(descriptor, definition);
            List<byte[]> splits = scheduler.onceIn(2) ? List.of() : List.of(Flights.row(INDEX_SPLIT));
            indexes.put(definition.indexTable(), new IndexTable(scheduler, wiring, definition, splits));
        }
        this.table = descriptor;
        this.connection = Stub.of(
                Connection.class,
                Map.of(
                        "getTable",
                                arguments ->
                                        indexes.get((TableName) arguments[0]).client(),
                        "getTableBuilder", arguments -> withinLimit(indexes.get((TableName) arguments[0])),
                        "getRegionLocator",
                                arguments ->
                                        indexes.get((TableName) arguments[0]).locator(),
                        "isClosed", none -> false,
                        "close", none -> null));
        for (int i = 0; i < SERVERS; i++) {
            servers[i] = start(i);
        }
        indexes.values().forEach(index -> index.server = anyServer());
        RegionInfo whole = RegionInfoBuilder.newBuilder(Flights.TABLE)
                .setRegionId(REGION_ID)
                .build();
        if (split) {
            halves(whole).forEach(half -> regions.add(new StoreFiles(half)));
        } else {
            regions.add(new StoreFiles(whole));
        }
    }

    private Server start(int i) {
        return new Server(
                scheduler,
                wiring,
                "server" + i,
                ++lives,
                clocksDiffer ? scheduler.random().nextInt(2 * MOST_SKEW_MS) - MOST_SKEW_MS : 0,
                isWalShaky);
    }

    private static List<RegionInfo> halves(RegionInfo whole) {
        return List.of(
                RegionInfoBuilder.newBuilder(Flights.TABLE)
                        .setEndKey(Flights.row("r2"))
                        .setRegionId(whole.getRegionId() + 1)
                        .build(),
                RegionInfoBuilder.newBuilder(Flights.TABLE)
                        .setStartKey(Flights.row("r2"))
                        .setRegionId(whole.getRegionId() + 1)
                        .build());
    }

    Server anyServer() {
        return servers[scheduler.random().nextInt(SERVERS)];
    }

    List<Server> servers() {
        return List.of(servers);
    }

    /** Returns a builder of a client for calls with a time limit, which the simulated calls ignore. */
    private static TableBuilder withinLimit(IndexTable index) {
        TableBuilder[] itself = new TableBuilder[1];
        itself[0] = Stub.of(
                TableBuilder.class, Map.of("setOperationTimeout", limit -> itself[0], "build", none -> index.client()));
        return itself[0];
    }

    /** Returns the region that holds a row, or null while it is not open. */
    OpenRegion regionOf(byte[] row) {
        for (StoreFiles region : regions) {
            if (region.info.containsRow(row)) {
                return region.open;
            }
        }
        throw new IllegalStateException("No region holds the row");
    }

    /**
     * Returns the region that a reader asks for a row, or null while there is none. A reader may not know that the
     * session of the region's server has ended.
     */
    OpenRegion regionForReader(byte[] row) {
        for (StoreFiles region : regions) {
            boolean mayBeAsked = region.former != null && region.former.server.alive;
            if (mayBeAsked && region.info.containsRow(row) && scheduler.onceIn(2)) {
                return region.former;
            }
        }
        return regionOf(row);
    }

    OpenRegion awaitRegionOf(byte[] row) {
        scheduler.await("the region of its row", () -> regionOf(row) != null);
        return regionOf(row);
    }

    /** Opens the regions. May be called once. */
    void start() {
        regions.forEach(this::assign);
    }

    /** Opens a region on a random server, and retries until it is open. */
    void assign(StoreFiles region) {
        if (region.assigning) {
            return;
        }
        region.assigning = true;
        inFlight++;
        scheduler.spawn("master", null, () -> {
            while (region.open == null) {
                Server server = anyServer();
                Scheduler.Actor opener = scheduler.spawn(
                        "open " + region.info.getEncodedName().substring(0, 4) + " on " + server.name.getHostname(),
                        server,
                        () -> server.openers.run(() -> open(region, server)));
                scheduler.await("the region to open", () -> opener.isOver() || server.sessionEnded);
            }
            region.assigning = false;
            inFlight--;
        });
    }

    private void open(StoreFiles region, Server server) {
        OpenRegion opened = new OpenRegion(scheduler, server, region, wiring, table, conf, connection, histories);
        try {
            opened.open();
            if (server.serves()) {
                region.open = opened;
                histories.look(opened);
            }
        } catch (IOException e) {
            failed("A region does not open", e, server);
        }
    }

    /** Takes an exception for a failure, unless its server has lost its session: the server aborts then. */
    private static void failed(String what, IOException e, Server server) {
        if (server.serves()) {
            throw new SimulationFailure(Kind.ERROR, what + ": " + e, e);
        }
    }

    /** Returns whether a write may be missing from every WAL although the steps before its append were done. */
    boolean losesWrites() {
        return isWalShaky || crashed;
    }

    /** Kills a server. Another server takes its place, and its regions are opened anew. */
    void crash(int i) {
        Server dead = servers[i];
        scheduler.tell("CRASH of " + dead.name.getHostname());
        dead.alive = false;
        scheduler.kill(dead);
        replace(i);
    }

    /** Starts another server in the place of one whose session has ended, and opens its regions anew. */
    private void replace(int i) {
        Server dead = servers[i];
        crashed = true;
        servers[i] = start(i);
        for (StoreFiles region : regions) {
            if (region.open != null && region.open.server == dead) {
                region.former = region.open;
                region.open = null;
                histories.lookAhead(region);
                assign(region);
            }
        }
        for (IndexTable index : indexes.values()) {
            if (index.server == dead) {
                index.away = true;
                reopen(index);
            }
        }
    }

    /**
     * Suspends a server. If it sleeps longer than its session lasts, another takes its place; it wakes up later, works
     * on without having noticed, and dies.
     */
    void sleep(int i) {
        Server server = servers[i];
        if (server.isAsleep) {
            return;
        }
        String host = server.name.getHostname();
        scheduler.tell("SLEEP of " + host);
        server.isAsleep = true;
        scheduler.suspend(server);
        inFlight++;
        scheduler.spawn("sleep", null, () -> {
            boolean tooLong = !scheduler.onceIn(4);
            passes(tooLong ? SESSION_MS : SESSION_MS / 2, server);
            if (tooLong && server.alive) {
                scheduler.tell("END of the session of " + host);
                scheduler.happens("a session ends while its server sleeps");
                server.loseSession();
                sleptTooLong = true;
                replace(i);
                passes(scheduler.random().nextInt(LONGEST_AFTERLIFE_MS), server);
            }
            server.isAsleep = false;
            scheduler.resume(server);
            scheduler.tell("AWAKE is " + host);
            if (server.sessionEnded) {
                passes(scheduler.random().nextInt(LONGEST_AFTERLIFE_MS), server);
                scheduler.tell("DEATH of " + host);
                server.alive = false;
                scheduler.kill(server);
            }
            inFlight--;
        });
    }

    private void passes(int ms, Server server) {
        scheduler.await("time", () -> !server.alive, TimeUnit.MILLISECONDS.toNanos(ms));
    }

    private void reopen(IndexTable index) {
        inFlight++;
        scheduler.spawn("master", null, () -> {
            while (index.away) {
                Server server = anyServer();
                Scheduler.Actor opener = scheduler.spawn(
                        "open " + index.definition.name(),
                        server,
                        () -> server.openers.run(() -> {
                            scheduler.pause("opens");
                            if (server.serves()) {
                                index.server = server;
                                index.away = false;
                            }
                        }));
                scheduler.await("the index to open", () -> opener.isOver() || server.sessionEnded);
            }
            inFlight--;
        });
    }

    /** Runs a task for an open region on the region's server. */
    void on(OpenRegion region, String what, RegionTask task) {
        inFlight++;
        Scheduler.Actor actor = scheduler.spawn(
                what + " of " + region.durable.info.getEncodedName().substring(0, 4), region.server, () -> {
                    try {
                        task.run();
                    } catch (IOException e) {
                        failed(what + " failed", e, region.server);
                    }
                });
        scheduler.spawn("watch", null, () -> {
            scheduler.await("the end", actor::isOver);
            inFlight--;
        });
    }

    /** A task of a region. */
    @FunctionalInterface
    interface RegionTask {
        void run() throws IOException;
    }

    /** Closes a region and opens it again on a random server, or its two halves if it is to be split. */
    void move(OpenRegion region, boolean split) {
        StoreFiles files = region.durable;
        region.moving = true;
        inFlight++;
        boolean[] closed = new boolean[1];
        Scheduler.Actor closer =
                scheduler.spawn("close of " + files.info.getEncodedName().substring(0, 4), region.server, () -> {
                    try {
                        region.close();
                        closed[0] = true;
                    } catch (IOException e) {
                        failed("A region does not close", e, region.server);
                    }
                });
        scheduler.spawn("master", null, () -> {
            scheduler.await("the region to close", () -> closer.isOver() || region.server.sessionEnded);
            if (closed[0]) {
                if (split) {
                    regions.remove(files);
                    if (wiring.keepsSpillWithTheRegion()) {
                        removeFilesOf(files.info);
                    }
                    for (RegionInfo half : halves(files.info)) {
                        StoreFiles daughter = files.daughter(half);
                        regions.add(daughter);
                        assign(daughter);
                    }
                } else {
                    assign(files);
                }
            }
            inFlight--;
        });
    }

    private void removeFilesOf(RegionInfo region) {
        for (Path file : disk.files()) {
            if (file.getName().startsWith(region.getEncodedName())) {
                disk.remove(file);
            }
        }
    }

    boolean isWhole() {
        return inFlight == 0 && regions.stream().allMatch(region -> region.open != null);
    }
}
