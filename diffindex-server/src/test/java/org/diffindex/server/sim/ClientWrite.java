package org.diffindex.server.sim;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.server.local.Flights;
import org.diffindex.server.sim.SimulationFailure.Kind;

/**
 * A write of a client to one or more rows. Its mutations are created anew for each attempt, because a server modifies
 * those it receives.
 */
record ClientWrite(List<String> rows, String text, List<Supplier<Mutation>> mutations) {
    static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final byte[] COUNT = Bytes.toBytes("count");
    static final String[] ORIGINS = {"A", "B", "C"};
    private static final long FUTURE = 9_000_000_000_000L;
    private static final int SOON_MS = 8;
    private static final long RETRY_NANOS = 10_000_000;

    /** The outcome of a write, as its client knows it. */
    enum Outcome {
        ACKNOWLEDGED,
        DELAYED,
        UNKNOWN
    }

    static ClientWrite random(Random random, Workload workload, long nowMs, int number) {
        int size = random.nextInt(4) == 0 ? 2 : 1;
        List<String> rowsOfAll = new ArrayList<>();
        List<String> texts = new ArrayList<>();
        List<Supplier<Mutation>> mutations = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            String row = "r" + random.nextInt(workload.rows());
            Supplier<Mutation> mutation = random(random, workload, nowMs, row);
            rowsOfAll.add(row);
            mutations.add(mutation);
            Mutation example = mutation.get();
            texts.add(example.getClass().getSimpleName() + " "
                    + example.getFamilyCellMap().values()
                    + (example.getDurability() == Durability.USE_DEFAULT ? "" : " " + example.getDurability()));
        }
        return new ClientWrite(
                rowsOfAll.stream().distinct().toList(), "#" + number + " " + String.join(", ", texts), mutations);
    }

    private static Supplier<Mutation> random(Random random, Workload workload, long nowMs, String row) {
        int kind = workload.kinds().next(random);
        byte[] key = Flights.row(row);
        byte[] origin = Bytes.toBytes(ORIGINS[random.nextInt(workload.origins())]);
        long time = anyTime(random, nowMs);
        Durability weak = time >= FUTURE ? Durability.SKIP_WAL : Durability.ASYNC_WAL;
        return switch (kind) {
            case 0 -> () -> new Put(key).addColumn(Flights.F, ORIGIN, origin);
            case 1 -> () -> new Delete(key).addFamily(Flights.F);
            case 2 -> () -> new Delete(key).addColumns(Flights.F, ORIGIN);
            case 4 -> () -> new Increment(key).addColumn(Flights.F, COUNT, 1);
            case 3 -> () -> new Put(key).addColumn(Flights.F, ORIGIN, origin).setDurability(weak);
            case 5 -> () -> new Put(key).addColumn(Flights.F, ORIGIN, time, origin);
            default -> () -> new Delete(key).addColumns(Flights.F, ORIGIN, time);
        };
    }

    static String anyOrigin(Random random) {
        return ORIGINS[random.nextInt(ORIGINS.length)];
    }

    /** Returns a random timestamp of a client: of the past, of the far future, or one that the clock soon reaches. */
    static long anyTime(Random random, long nowMs) {
        return switch (random.nextInt(3)) {
            case 0 -> FUTURE + random.nextInt(3);
            case 1 -> 1 + random.nextInt(3);
            default -> nowMs + random.nextInt(SOON_MS);
        };
    }

    /**
     * Returns the origins that the row can have after this write, "" standing for none; empty if the write leaves the
     * row as it was. If the changes were applied in order, only the last one of the row counts; otherwise any of them
     * can be the last, because those that were refused were sent again on their own.
     */
    Set<String> originsAfter(String row, boolean inOrder) {
        Set<String> origins = new HashSet<>();
        for (Supplier<Mutation> each : mutations) {
            Mutation mutation = each.get();
            boolean changes = mutation instanceof Put || mutation instanceof Delete;
            if (changes && rowOf(each).equals(row)) {
                if (inOrder) {
                    origins.clear();
                }
                origins.add(
                        mutation instanceof Put
                                ? Bytes.toString(CellUtil.cloneValue(
                                        mutation.get(Flights.F, ORIGIN).get(0)))
                                : "");
            }
        }
        return origins;
    }

    private static String rowOf(Supplier<Mutation> mutation) {
        return Bytes.toString(mutation.get().getRow());
    }

    /** Returns the kind of each mutation, without rows and values. */
    List<String> kinds() {
        return mutations.stream().map(Supplier::get).map(ClientWrite::kind).toList();
    }

    private static String kind(Mutation mutation) {
        Cell cell = mutation.getFamilyCellMap().values().iterator().next().get(0);
        String column = Bytes.toString(CellUtil.cloneQualifier(cell));
        Durability durability = mutation.getDurability();
        return Stream.of(
                        mutation.getClass().getSimpleName(),
                        column.isEmpty() ? "of all" : "of " + column,
                        cell.getTimestamp() == HConstants.LATEST_TIMESTAMP ? "" : "at a client's time",
                        durability == Durability.USE_DEFAULT ? "" : durability.name())
                .filter(part -> !part.isEmpty())
                .collect(Collectors.joining(" "));
    }

    @Override
    public String toString() {
        return text;
    }

    /**
     * Performs the write as HBase's client does: retries when the server asks for it and, unless its time is up, also
     * when the outcome is unknown. What a server did before it crashed is then done twice.
     */
    Answer run(Cluster cluster) {
        List<Supplier<Mutation>> left = new ArrayList<>(mutations);
        Map<String, Outcome> outcomes = new TreeMap<>();
        boolean inOrder = true;
        while (!left.isEmpty()) {
            OpenRegion region = cluster.awaitRegionOf(left.get(0).get().getRow());
            List<Supplier<Mutation>> batch = left.stream()
                    .filter(each -> region.durable.info.containsRow(each.get().getRow()))
                    .toList();
            Try result = tryOnce(cluster, region, batch);
            left.removeAll(batch);
            left.addAll(0, result.again);
            result.outcomes.forEach((row, outcome) -> outcomes.merge(row, outcome, ClientWrite::worse));
            inOrder &= result.again.isEmpty() || result.again.equals(batch);
            if (!result.again.isEmpty()) {
                cluster.scheduler.await("a new try", () -> false, RETRY_NANOS);
            }
        }
        return new Answer(outcomes, inOrder);
    }

    private static Outcome worse(Outcome one, Outcome other) {
        return one.compareTo(other) > 0 ? one : other;
    }

    /**
     * The outcome of a write, as its client knows it.
     *
     * @param outcomes the outcome for each row; of several writes to a row, the worst
     * @param inOrder whether the last write of each row is also the last that was applied
     */
    record Answer(Map<String, Outcome> outcomes, boolean inOrder) {
        Outcome of(String row) {
            return outcomes.get(row);
        }
    }

    /** The result of one attempt; unknown until the server answers. */
    private static final class Try {
        private final List<Supplier<Mutation>> batch;
        private final Map<String, Outcome> outcomes = new TreeMap<>();
        private List<Supplier<Mutation>> again = List.of();

        Try(List<Supplier<Mutation>> batch) {
            this.batch = batch;
            all(Outcome.UNKNOWN);
        }

        void all(Outcome outcome) {
            batch.forEach(each -> outcomes.put(rowOf(each), outcome));
        }

        boolean isUnknown() {
            return outcomes.containsValue(Outcome.UNKNOWN);
        }

        /** Records the server's answer, which has an outcome for each write of the batch. */
        void answered(OperationStatus[] statuses) {
            all(Outcome.ACKNOWLEDGED);
            List<Supplier<Mutation>> refused = new ArrayList<>();
            for (int i = 0; i < statuses.length; i++) {
                String message = String.valueOf(statuses[i].getExceptionMsg());
                OperationStatusCode code = statuses[i].getOperationStatusCode();
                if (code == OperationStatusCode.STORE_TOO_BUSY) {
                    refused.add(batch.get(i));
                } else if (code == OperationStatusCode.FAILURE
                        && message.contains(IndexUpdateDelayedException.DESCRIPTION)) {
                    outcomes.put(rowOf(batch.get(i)), Outcome.DELAYED);
                } else if (code != OperationStatusCode.SUCCESS) {
                    throw new SimulationFailure(Kind.REFUSAL, "A valid write was refused: " + code + " " + message);
                }
            }
            again = refused;
        }

        /** Records that the call failed: HBase's client sends the whole batch again. */
        void failed() {
            all(Outcome.ACKNOWLEDGED);
            again = batch;
        }
    }

    private Try tryOnce(Cluster cluster, OpenRegion region, List<Supplier<Mutation>> batch) {
        Try result = new Try(batch);
        Server server = region.server;
        Scheduler.Actor handler = cluster.scheduler.spawn(
                "write " + text.substring(0, text.indexOf(' ')),
                server,
                () -> server.handlers.run(() -> handle(region, batch, result)));
        cluster.scheduler.await("the answer", () -> handler.isOver() || !server.alive);
        if (result.isUnknown() && cluster.scheduler.onceIn(2)) {
            result.failed();
        }
        return result;
    }

    private static void handle(OpenRegion region, List<Supplier<Mutation>> batch, Try result) {
        try {
            result.answered(
                    RegionWrite.call(region, batch.stream().map(Supplier::get).toList()));
        } catch (NotServingRegionException | RegionTooBusyException e) {
            result.failed();
        } catch (RegionWrite.LateFailure e) {
            result.all(Outcome.UNKNOWN); // the write may be durable, or visible, nevertheless
        } catch (IndexUpdateDelayedException e) {
            result.all(Outcome.DELAYED);
        } catch (IOException e) {
            throw new SimulationFailure(Kind.REFUSAL, "A write failed: " + e, e);
        }
    }
}
