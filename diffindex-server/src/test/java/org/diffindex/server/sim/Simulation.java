package org.diffindex.server.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.SimulatedMachine;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LoggedErrors;
import org.diffindex.server.sequences.Census;
import org.diffindex.server.sim.SimulationFailure.Kind;

/**
 * One run, determined by its seed: clients write to an indexed table while servers crash, regions are flushed,
 * compacted, moved and split, and index tables are unavailable. After each acknowledgement the synchronous indexes must
 * hold what the base shows; at the end all indexes must, and nothing may be left in flight. Nor may an internal error
 * occur, even if the code under test survives it.
 */
final class Simulation {
    private static final int MOST_CLIENTS = 3;
    private static final int MOST_READERS = 2;
    private static final int MOST_READS = 12;
    private static final int MOST_FAULTS = 8;
    private static final int MOST_WAITS = 300;
    private static final long LONGEST_JUMP_MS = 100_000;
    private static final long SECOND = 1_000_000_000L;

    private static final List<IndexDefinition> INDEXES = Stream.concat(
                    Stream.of(IndexScheme.SYNC_FULL, IndexScheme.SYNC_INSERT, IndexScheme.ASYNC_SIMPLE)
                            .map(Flights::byOrigin),
                    Stream.of(byCount(IndexScheme.ASYNC_SIMPLE)))
            .toList();

    private final Random random;
    private final Scheduler scheduler;
    private final Cluster cluster;
    private final Times times;

    private final Histories histories = new Histories(
            IntStream.range(0, Workload.MOST_ROWS).mapToObj(i -> "r" + i).toList());

    /** The frequency of each kind of fault in this run. Some are omitted, so that others coincide. */
    private final Weights faultWeights;

    private final Workload workload;
    private final Comparison comparison;

    private int writersLeft;
    private int readersLeft;
    private int written;

    private Simulation(long seed, Wiring wiring) {
        random = new Random(seed * 0x9E3779B97F4A7C15L + 1);
        scheduler = new Scheduler(random);
        times = oneOf(List.of(Times.values()));
        faultWeights = new Weights(random, Fault.values().length);
        boolean isWalShaky = times != Times.OF_CLIENTS_TOO && (wiring.failsSyncs() || scheduler.onceIn(3));
        workload = Workload.random(random, isWalShaky ? Workload.OF_ONE_COLUMN : times.kindsOfWrites());
        cluster = new Cluster(scheduler, wiring, INDEXES, scheduler.onceIn(2), isWalShaky, times, histories);
        comparison = new Comparison(cluster);
    }

    private <T> T oneOf(List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    /** The outcome of a run, with its trace and the events that occurred. */
    record Outcome(long seed, SimulationFailure failure, List<String> trace, Census census) {
        boolean isClean() {
            return failure == null;
        }

        @Override
        public String toString() {
            return "seed " + seed + ": " + (isClean() ? "nothing found" : failure.getMessage()) + "\n  "
                    + String.join("\n  ", trace);
        }
    }

    static Outcome run(long seed, Wiring wiring) {
        Simulation simulation = new Simulation(seed, wiring);
        Scheduler scheduler = simulation.scheduler;
        LoggedErrors errors = LoggedErrors.sentTo(scheduler::logged);
        try {
            SimulationFailure failure = scheduler.run("script", simulation::script);
            return new Outcome(seed, failure, scheduler.trace(), scheduler.census());
        } finally {
            errors.close();
        }
    }

    private static IndexDefinition byCount(IndexScheme scheme) {
        return IndexDefinition.builder(Flights.TABLE, "by_count")
                .column("f", "count", ColumnTypes.LONG)
                .scheme(scheme)
                .build();
    }

    private void script() {
        if (times == Times.OF_CLIENTS_TOO) {
            logBeforeTheIndex();
        }
        cluster.start();
        scheduler.await("the regions to open", cluster::isWhole);
        int clients = 1 + random.nextInt(MOST_CLIENTS);
        writersLeft = clients;
        readersLeft = Math.max(0, random.nextInt(MOST_READERS + 2) - 1);
        for (int i = readersLeft; i > 0; i--) {
            scheduler.spawn("reader " + i, null, this::reader);
        }
        for (int i = 0; i < clients; i++) {
            scheduler.spawn("client " + i, null, this::client);
        }
        Scheduler.Actor faults = scheduler.spawn("faults", null, this::faults);
        scheduler.await(
                "the clients and the faults to end", () -> writersLeft == 0 && readersLeft == 0 && faults.isOver());
        cluster.indexes.values().forEach(index -> {
            index.outage = false;
            index.shaky = false;
        });
        scheduler.await("the cluster to be whole", cluster::isWhole);
        if (cluster.isWalShaky && scheduler.onceIn(2)) {
            replayAll();
        }
        for (int i = 0; !leftOver().isEmpty(); i++) {
            if (i == MOST_WAITS) {
                throw new SimulationFailure(Kind.STUCK, "Never delivered: " + leftOver());
            }
            scheduler.await("deliveries in flight", () -> false, SECOND);
        }
        comparison.end();
    }

    /**
     * Crashes all servers after the pending clean-ups, so that replays restore writes whose sync had an unknown
     * outcome.
     */
    private void replayAll() {
        scheduler.await("clean-ups", () -> false, TimeUnit.MILLISECONDS.toNanos(2 * Cluster.STALE_DELAY_MS));
        for (int i = 0; i < cluster.servers().size(); i++) {
            cluster.crash(i);
        }
        scheduler.await("the cluster to be whole again", cluster::isWhole);
    }

    /** Logs writes from the time before the table had an index. */
    private void logBeforeTheIndex() {
        int puts = random.nextInt(3);
        for (int i = 0; i < puts; i++) {
            String row = "r" + random.nextInt(Workload.MOST_ROWS);
            StoreFiles region = cluster.regions.stream()
                    .filter(each -> each.info.containsRow(Flights.row(row)))
                    .findFirst()
                    .orElseThrow();
            region.logWithoutIndex(row, ClientWrite.ORIGIN, ClientWrite.anyTime(random, nowMs()), Flights.row("A"));
        }
    }

    /** Returns the time of servers whose clocks are right, in milliseconds. */
    private long nowMs() {
        return TimeUnit.NANOSECONDS.toMillis(scheduler.nowNanos());
    }

    /** Returns what is still held although nothing delays it. */
    private List<String> leftOver() {
        List<String> left = new ArrayList<>();
        for (StoreFiles region : cluster.regions) {
            long inside = region.open.hooks.inside();
            if (inside > 0) {
                left.add(inside + " inside " + region.info.getEncodedName());
            }
        }
        for (Server server : cluster.servers()) {
            long bytes = SimulatedMachine.memoryUsed(server.sharedData);
            if (bytes != 0) {
                left.add(bytes + " bytes on " + server.name.getHostname());
            }
        }
        cluster.disk.files().stream()
                .filter(file -> !file.toString().contains("diffindex/stamps/")) // stamp files are kept
                .filter(file -> !file.getName().matches("\\.looked|\\.from-.*")) // as are these
                .filter(file -> !cluster.sleptTooLong || !file.getName().startsWith(".unfinished-"))
                .forEach(file -> left.add("file " + file.getName()));
        return left;
    }

    private void client() {
        int writes = 1 + random.nextInt(workload.mostWrites());
        for (int i = 0; i < writes; i++) {
            ClientWrite write = workload.next(random, nowMs(), ++written);
            List<String> alone = new ArrayList<>(write.rows());
            alone.removeIf(row -> histories.of(row).isWritten());
            List<String> certain = new ArrayList<>(write.rows());
            certain.removeIf(row -> !histories.of(row).isCertain());
            long begin = histories.now();
            write.rows().forEach(row -> histories.of(row).begins(begin));
            TreeMap<String, Integer> begunBefore = new TreeMap<>();
            write.rows().forEach(row -> begunBefore.put(row, histories.of(row).begun()));
            scheduler.tell("begins " + write);
            ClientWrite.Answer answer = write.run(cluster);
            scheduler.tell(answer.outcomes() + " " + write);
            write.kinds().forEach(kind -> scheduler.happens("write: " + kind));
            answer.outcomes().values().forEach(outcome -> scheduler.happens("outcome for a row: " + outcome));
            long end = histories.now();
            write.rows()
                    .forEach(row ->
                            histories.of(row).ends(begin, end, answer.of(row) == ClientWrite.Outcome.ACKNOWLEDGED));
            alone.removeIf(row -> histories.of(row).begun() != begunBefore.get(row));
            certain.retainAll(alone);
            for (String row : write.rows()) {
                if (answer.of(row) == ClientWrite.Outcome.ACKNOWLEDGED) {
                    compareAcknowledged(row, write, answer.inOrder(), alone.contains(row));
                } else if (answer.of(row) == ClientWrite.Outcome.DELAYED
                        && !cluster.isWalShaky
                        && certain.contains(row)) {
                    compareDelayed(row, write, answer.inOrder());
                }
            }
        }
        writersLeft--;
    }

    private void reader() {
        List<IndexTable> readable = cluster.indexes.values().stream()
                .filter(index -> !index.definition.isAsynchronous())
                .toList();
        for (int i = 0; i < MOST_READS && writersLeft > 0; i++) {
            new IndexRead(random, cluster, oneOf(readable)).run();
        }
        if (cluster.isWalShaky) {
            readable.forEach(index -> new IndexRead(random, cluster, index).run());
        }
        readersLeft--;
    }

    private void faults() {
        int faults = random.nextInt(MOST_FAULTS + 1);
        int longestPauseMs = 2 + random.nextInt(20);
        cluster.indexes.values().forEach(index -> index.shaky = random.nextInt(3) == 0);
        for (int i = 0; i < faults; i++) {
            scheduler.await("the next fault", () -> false, random.nextInt(longestPauseMs) * 1_000_000L);
            fault();
        }
    }

    private void fault() {
        Fault fault = List.of(Fault.values()).get(faultWeights.next(random));
        OpenRegion region = oneOf(cluster.regions).open;
        if (fault == Fault.CRASH) {
            happens(fault);
            cluster.crash(random.nextInt(2));
        } else if (fault == Fault.SLEEP) {
            happens(fault);
            cluster.sleep(random.nextInt(2));
        } else if (fault == Fault.CLOCK) {
            setAClock();
        } else if (fault == Fault.OUTAGE) {
            outage();
        } else if (fault == Fault.BACKFILL) {
            backfill(region);
        } else if (region != null && !region.moving) {
            happens(fault);
            switch (fault) {
                case FLUSH -> cluster.on(region, "flush", () -> region.server.flushers.run(region::flush));
                case COMPACTION ->
                    cluster.on(region, "compaction", () -> {
                        if (random.nextBoolean()) {
                            region.server.flushers.run(region::flush);
                        }
                        region.compact(times != Times.OF_CLIENTS_TOO);
                    });
                case MOVE -> cluster.move(region, false);
                default -> cluster.move(region, cluster.regions.size() == 1);
            }
        }
    }

    private void happens(Fault fault) {
        scheduler.happens("fault: " + fault);
    }

    /** Sets the clock of a server forwards or back. */
    private void setAClock() {
        if (times == Times.OF_SERVERS_THAT_DIFFER) {
            happens(Fault.CLOCK);
            Server server = cluster.anyServer();
            long most = scheduler.onceIn(2) ? 10 : LONGEST_JUMP_MS;
            long fromOthers = random.nextLong(2 * most) - most;
            scheduler.tell("CLOCK of " + server.name.getHostname() + " set to " + fromOthers + " ms from the others");
            server.setClock(fromOthers);
        }
    }

    /**
     * Backfills an index that is maintained already, which changes nothing. If the server dies, the next one does not know
     * the stamps that the page gave to entries, so its clock must not be behind.
     */
    private void backfill(OpenRegion region) {
        if (times != Times.OF_SERVERS_THAT_DIFFER && region != null) {
            happens(Fault.BACKFILL);
            IndexDefinition index = oneOf(INDEXES);
            cluster.on(region, "backfill", () -> region.server.handlers.run(() -> region.backfill(index)));
        }
    }

    private enum Fault {
        CRASH,
        CLOCK,
        OUTAGE,
        FLUSH,
        COMPACTION,
        MOVE,
        SPLIT,
        BACKFILL,
        SLEEP
    }

    /** Makes an index table unavailable until its server has flushed it. */
    private void outage() {
        IndexTable index = oneOf(List.copyOf(cluster.indexes.values()));
        if (index.outage) {
            return;
        }
        happens(Fault.OUTAGE);
        index.outage = true;
        scheduler.tell("OUTAGE of " + index.definition.name());
        long nanos = random.nextInt(60) * 1_000_000L;
        scheduler.spawn("outage", null, () -> {
            scheduler.await("the end of the outage", () -> false, nanos);
            Server server = index.server;
            Scheduler.Actor flush = scheduler.spawn(
                    "flush of " + index.definition.name(),
                    server,
                    () -> server.flushers.run(() -> scheduler.pause("flushed")));
            scheduler.await("the flush of the index", () -> flush.isOver() || !server.alive);
            index.outage = false;
            scheduler.tell("end of the outage of " + index.definition.name());
        });
    }

    /** Checks a row whose client was told that it is durable. */
    private void compareDelayed(String row, ClientWrite write, boolean inOrder) {
        OpenRegion region = cluster.regionOf(Flights.row(row));
        if (region != null && times != Times.OF_CLIENTS_TOO) {
            Comparison.base(row, write, inOrder, region);
        }
    }

    private void compareAcknowledged(String row, ClientWrite write, boolean inOrder, boolean wasAlone) {
        OpenRegion region = cluster.regionOf(Flights.row(row));
        if (!histories.of(row).isCertain() || region == null) {
            return;
        }
        if (wasAlone && times != Times.OF_CLIENTS_TOO) {
            Comparison.base(row, write, inOrder, region);
        }
        comparison.acknowledged(row, region);
    }
}
