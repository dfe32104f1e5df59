package org.diffindex.server.sim;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.SimulatedReads;
import org.diffindex.model.IndexEntry;
import org.diffindex.protocol.DiffIndexProtos.StaleEntry;
import org.diffindex.server.local.Flights;
import org.diffindex.server.sim.SimulationFailure.Kind;

/** One read by an index on the origin, with the client's own code, and its check. */
final class IndexRead {
    private static final long RETRY_NANOS = 10_000_000;
    private static final int REPAIR_ONCE_IN = 3;

    private final Cluster cluster;
    private final Scheduler scheduler;
    private final IndexTable index;
    private final String from;
    private final String to;
    private final boolean withRows;
    private final int caching;

    /** Creates a read of a random range. */
    IndexRead(Random random, Cluster cluster, IndexTable index) {
        this.cluster = cluster;
        this.scheduler = cluster.scheduler;
        this.index = index;
        String one = ClientWrite.anyOrigin(random);
        String other = ClientWrite.anyOrigin(random);
        boolean all = random.nextBoolean();
        this.from = all ? "A" : one.compareTo(other) < 0 ? one : other;
        this.to = all ? "C" : one.compareTo(other) < 0 ? other : one;
        this.withRows = random.nextInt(4) == 0;
        this.caching = 1 + random.nextInt(2);
    }

    /** Reads the range to its end, and checks the result. */
    void run() {
        IndexQuery.Builder query = IndexQuery.index(index.definition.name())
                .from(from)
                .toInclusive(to)
                .caching(caching);
        boolean looksRowsUp = withRows || index.definition.scheme().leavesStaleEntries();
        long begin = scheduler.nowNanos();
        BooleanSupplier isUnrepaired = index.isUnrepairedFromNow();
        ReadCheck check = new ReadCheck(cluster.histories, index, from, to, looksRowsUp);
        scheduler.tell("reads " + index.definition.name() + " from " + from + " to " + to);
        List<ReadCheck.Hit> hits = new ArrayList<>();
        try (IndexScanner scanner = SimulatedReads.open(
                index.definition,
                (withRows ? query.withRows() : query).build(),
                baseTable(),
                index.client(),
                cluster.wiring.looksTwice(),
                cluster.wiring.remembersWhatScansMeet(),
                this::isYielded,
                this::report)) {
            for (IndexHit hit = scanner.next(); hit != null; hit = scanner.next()) {
                hits.add(new ReadCheck.Hit(Bytes.toString(hit.row()), originOf(hit)));
            }
        } catch (IOException e) {
            throw new SimulationFailure(Kind.ERROR, "A read failed: " + e, e);
        }
        scheduler.tell("has read " + hits);
        scheduler.happens("read: " + index.definition.scheme() + (withRows ? " with rows" : ""));
        boolean wasQuick = scheduler.nowNanos() - begin < TimeUnit.MILLISECONDS.toNanos(Cluster.STALE_DELAY_MS);
        check.end(hits, wasQuick && isUnrepaired.getAsBoolean());
    }

    /** Returns the origin of a hit, which that of its row is, if rows are read. */
    private String originOf(IndexHit hit) {
        String origin = hit.text().get(0);
        if (withRows && !origin.equals(Bytes.toString(hit.result().getValue(Flights.F, ClientWrite.ORIGIN)))) {
            throw new SimulationFailure(Kind.READ, "The hit " + hit + " has the row " + hit.result());
        }
        return origin;
    }

    private Table baseTable() {
        return Stub.of(
                Table.class,
                Map.of(
                        "get",
                        arguments -> arguments[0] instanceof Get get
                                ? lookUp(List.of(get))[0]
                                : lookUp(gets(arguments[0]))));
    }

    @SuppressWarnings("unchecked") // as Table declares it
    private static List<Get> gets(Object argument) {
        return (List<Get>) argument;
    }

    private Result[] lookUp(List<Get> gets) {
        return gets.stream().map(this::lookUp).toArray(Result[]::new);
    }

    private Result lookUp(Get get) {
        Result[] result = new Result[1];
        while (result[0] == null) {
            scheduler.await("the region of its row", () -> cluster.regionOf(get.getRow()) != null);
            OpenRegion region = cluster.regionForReader(get.getRow());
            Scheduler.Actor handler = scheduler.spawn(
                    "lookup of " + Bytes.toString(get.getRow()),
                    region.server,
                    () -> region.server.handlers.run(() -> result[0] = answer(region, get)));
            scheduler.await("the row", () -> handler.isOver() || !region.server.alive);
            if (result[0] == null) {
                scheduler.await("a new try", () -> false, RETRY_NANOS);
            }
        }
        return result[0];
    }

    /** Asks the region of a row, in half of the cases, whether the row yields an entry; a call may be lost. */
    private boolean isYielded(byte[] row, IndexEntry entry) {
        OpenRegion region = scheduler.onceIn(2) ? cluster.regionForReader(row) : null;
        if (region == null) {
            return false;
        }
        boolean[] confirmed = new boolean[1];
        Scheduler.Actor handler = scheduler.spawn(
                "check of " + Bytes.toString(row),
                region.server,
                () -> region.server.handlers.run(() -> confirmed[0] = region.isYielded(index.definition, entry)));
        scheduler.await("the check", () -> handler.isOver() || !region.server.alive);
        if (confirmed[0]) {
            scheduler.happens("read: confirmed from the row memory");
        }
        return confirmed[0];
    }

    private static Result answer(OpenRegion region, Get get) {
        try {
            return region.get(get);
        } catch (NotServingRegionException e) {
            return null;
        } catch (IOException e) {
            throw new SimulationFailure(Kind.ERROR, "A lookup failed: " + e, e);
        }
    }

    /**
     * Reports stale entries in the background, as the client does, or repairs them, as a scrub that meets the same
     * entries; the report may be lost.
     */
    private void report(List<StaleEntry> entries) {
        Map<OpenRegion, List<StaleEntry>> byRegion =
                new TreeMap<>(java.util.Comparator.comparing(region -> region.durable.info.getEncodedName()));
        for (StaleEntry entry : entries) {
            OpenRegion region = cluster.regionOf(entry.getRow().toByteArray());
            if (region != null) {
                byRegion.computeIfAbsent(region, key -> new ArrayList<>()).add(entry);
            }
        }
        byRegion.forEach((region, reported) -> scheduler.spawn("report", region.server, () -> {
            if (scheduler.onceIn(REPAIR_ONCE_IN)) {
                scheduler.happens("repair of stale entries");
                index.repair(() -> region.server.handlers.run(() -> region.repair(index.definition, reported)));
                return;
            }
            scheduler.tell("reports stale entries");
            region.takeReport(index.definition, reported);
        }));
    }
}
