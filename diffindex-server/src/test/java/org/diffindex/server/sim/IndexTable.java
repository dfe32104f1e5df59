package org.diffindex.server.sim;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.ReadPoint;
import org.diffindex.server.deliver.IndexTableModel;
import org.diffindex.server.sim.SimulationFailure.Kind;

/**
 * An index table of one region, or of two regions on one server. It moves between servers, is unavailable at times, and
 * its calls fail before, after, or between the regions they write. A region applies its part of a call atomically.
 */
final class IndexTable {
    private static final int FAILS_ONCE_IN = 12;
    private static final int SLOW_MS = 10;

    final IndexDefinition definition;
    private final Scheduler scheduler;
    private final Wiring wiring;
    final IndexRegions regions;

    /** The server of its regions. */
    Server server;

    /** Whether its regions are being opened. */
    boolean away;

    /** Whether all calls fail. */
    boolean outage;

    /** Whether calls fail at random. */
    boolean shaky;

    /** How many repairs, which delete stale entries at once, have begun. */
    private int repairs;

    /** How many repairs have ended. One whose server dies has not: the server of this table may still delete for it. */
    private int endedRepairs;

    /** Creates a table whose regions meet at the given keys. */
    IndexTable(Scheduler scheduler, Wiring wiring, IndexDefinition definition, List<byte[]> splits) {
        this.scheduler = scheduler;
        this.wiring = wiring;
        this.definition = definition;
        this.regions = new IndexRegions(definition.indexTable(), splits);
    }

    /** Makes a repair, which deletes stale entries at once. */
    void repair(Runnable repair) {
        repairs++;
        repair.run();
        endedRepairs++;
    }

    /** Returns a condition that holds until a repair is in progress, one that has begun before included. */
    BooleanSupplier isUnrepairedFromNow() {
        int ended = endedRepairs;
        return () -> repairs == ended;
    }

    IndexTableModel content() {
        return regions.content;
    }

    /** Returns the table as HBase's client sees it. */
    Table client() {
        return Stub.of(
                Table.class,
                Map.of(
                        "batch",
                        arguments -> {
                            @SuppressWarnings("unchecked") // as Table declares it
                            List<Mutation> mutations = (List<Mutation>) arguments[0];
                            wiring.deliver(this, mutations, scheduler);
                            return null;
                        },
                        "get",
                        arguments -> arguments[0] instanceof Get get ? get(List.of(get))[0] : get(gets(arguments[0])),
                        "getScanner",
                        arguments -> new IndexScan(this, (Scan) arguments[0]),
                        "getRegionLocator",
                        none -> locator(),
                        "close",
                        none -> null));
    }

    @SuppressWarnings("unchecked") // as Table declares it
    private static List<Get> gets(Object argument) {
        return (List<Get>) argument;
    }

    RegionLocator locator() {
        return Stub.of(
                RegionLocator.class,
                Map.of(
                        "getRegionLocation",
                        row -> new HRegionLocation(regions.of((byte[]) row[0]), server.name),
                        "close",
                        none -> null));
    }

    boolean tellsReadPoints() {
        return wiring.tellsReadPoints();
    }

    void pause(String point) {
        scheduler.pause(point);
    }

    /** Makes a reader slow now and then, so that writes overtake it. */
    void takesItsTime(String what) {
        if (scheduler.onceIn(2)) {
            long nanos = scheduler.random().nextInt(SLOW_MS) * 1_000_000L;
            scheduler.await(what + " " + definition.name(), () -> false, nanos);
        }
    }

    /** Waits until the table can be read, as HBase's client does by retrying. */
    void awaitRead(String what) {
        requireNothingHeld();
        scheduler.await(what + " " + definition.name(), () -> !outage && !away && server.alive);
    }

    private Result[] get(List<Get> gets) {
        awaitRead("looks up entries of");
        Result[] results = new Result[gets.size()];
        for (int i = 0; i < results.length; i++) {
            OptionalLong point = ReadPoint.of(gets.get(i));
            long readPoint = point.isPresent() ? point.getAsLong() : regions.now();
            Cell cell = regions.at(readPoint).get(gets.get(i).getRow());
            results[i] = cell == null ? Result.EMPTY_RESULT : Result.create(List.of(cell));
        }
        pause("has the entries of " + definition.name());
        return results;
    }

    private void requireNothingHeld() {
        if (!scheduler.held().isEmpty()) {
            throw new SimulationFailure(Kind.CALL, "A remote call is made while the caller holds " + scheduler.held());
        }
    }

    /** Makes the remote call of HBase's client, which runs on the table's server even if the caller dies meanwhile. */
    void batch(List<? extends Mutation> mutations) throws IOException {
        requireNothingHeld();
        if (!regions.areSeveral()
                && !scheduler.isFirst("call to " + definition.name())
                && scheduler.runningName().startsWith("write")) {
            throw new SimulationFailure(
                    Kind.CALL, "One batch of writes makes more than one call to " + definition.name());
        }
        List<? extends Mutation> ordered = mutations.stream()
                .sorted(Comparator.comparing(Mutation::getRow, Bytes.BYTES_COMPARATOR))
                .toList();
        Server callee = server;
        if (outage || away || !callee.alive) {
            scheduler.happens("fault: a call to an index finds it away");
            scheduler.pause("finds " + definition.name() + " away");
            throw new IOException("The index table is not available");
        }
        IOException[] failure = new IOException[1];
        boolean urgent = ordered.stream().allMatch(mutation -> mutation.getPriority() >= HConstants.HIGH_QOS);
        Server.Slots slots = wiring.sharesHandlers() || !urgent ? callee.handlers : callee.priorityHandlers;
        Scheduler.Actor call = scheduler.spawn(
                "call of " + scheduler.runningName(),
                callee,
                () -> slots.run(() -> {
                    try {
                        apply(ordered, callee);
                    } catch (IOException e) {
                        failure[0] = e;
                    }
                }));
        scheduler.await("the answer of " + definition.name(), () -> call.isOver() || !callee.alive);
        if (!callee.alive) {
            throw new IOException("The server of the index table is gone");
        }
        if (failure[0] != null) {
            throw failure[0];
        }
    }

    private void apply(List<? extends Mutation> mutations, Server callee) throws IOException {
        Map<RegionInfo, List<Mutation>> parts = new LinkedHashMap<>();
        mutations.forEach(mutation -> parts.computeIfAbsent(regions.of(mutation.getRow()), region -> new ArrayList<>())
                .add(mutation));
        int failAt =
                shaky && scheduler.onceIn(FAILS_ONCE_IN) ? scheduler.random().nextInt(parts.size() + 1) : -1;
        int done = 0;
        for (List<Mutation> part : parts.values()) {
            if (done == failAt || outage) {
                scheduler.happens("fault: a call to an index fails");
                throw new IOException("The index table failed after " + done + " regions");
            }
            scheduler.pause("writes " + definition.name() + " "
                    + part.stream().map(IndexTable::text).toList());
            if (!callee.serves()) {
                throw new IOException("The WAL is closed: the session of the index table's server has ended");
            }
            applyTogether(part);
            if (wiring.purgesIndexTombstones() && scheduler.onceIn(3)) {
                regions.content.majorCompact();
            }
            done++;
        }
        if (failAt == parts.size()) {
            scheduler.happens("fault: the answer of an index is lost");
            throw new IOException("The answer of the index table was lost");
        }
    }

    private void applyTogether(List<Mutation> part) {
        List<Mutation> deletes = part.stream().filter(Delete.class::isInstance).toList();
        List<Mutation> puts = part.stream().filter(Put.class::isInstance).toList();
        deletes.forEach(regions.content::apply);
        if (wiring.cutsIndexBatches() && !deletes.isEmpty()) {
            scheduler.pause("writes the rest");
        }
        puts.forEach(regions.content::apply);
    }

    private static String text(Mutation mutation) {
        long time =
                mutation.getFamilyCellMap().values().iterator().next().get(0).getTimestamp();
        return mutation.getClass().getSimpleName() + " " + Bytes.toStringBinary(mutation.getRow()) + "@"
                + time % 1_000_000;
    }
}
