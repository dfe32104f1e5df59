package org.diffindex.ycsb;

import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.IndexQuery;
import org.diffindex.model.IndexScheme;
import site.ycsb.ByteIterator;
import site.ycsb.Status;
import site.ycsb.measurements.Measurements;

/**
 * The state of one YCSB thread: performs and measures the operations that YCSB's DB does not offer, reads by index and
 * writes in a session. Used by one thread.
 */
final class ItemThread implements Closeable {
    private final ItemIndexes indexes;
    private final byte[] family;
    private final ItemStates states;
    private final Measurements measurements = Measurements.getMeasurements();

    /** Whether the scheme promises that a read finds the acknowledged writes of all threads of this process. */
    private final boolean findsWhatWasWritten;

    /** Whether the scheme promises that a read in the session finds the acknowledged writes of the session. */
    private final boolean findsItsOwnWrites;

    /** By item, {@link ItemStates.State#writes} when this thread last wrote it in its session. */
    private final Map<Long, Long> ownWrites = new HashMap<>();

    /** Whether the scheme promises that the hits of a range are in order even if rows move during the read. */
    private final boolean findsInOrder;

    ItemThread(ItemIndexes indexes, ItemProperties properties, ItemStates states) {
        this.indexes = indexes;
        this.family = Bytes.toBytes(properties.family());
        this.states = states;
        this.findsWhatWasWritten = properties.verify()
                && properties.scheme().map(IndexScheme::readsAcknowledgedWrites).orElse(false);
        this.findsItsOwnWrites = properties.verify()
                && indexes.inSession()
                && properties.scheme().map(IndexScheme::hasSessions).orElse(false);
        this.findsInOrder = !indexes.inSession()
                && properties.scheme().map(IndexScheme::returnsHitsInOrder).orElse(false);
    }

    /** One call to the cluster, and its outcome. */
    @FunctionalInterface
    private interface Call {
        Status run() throws IOException;
    }

    boolean isInSession() {
        return indexes.inSession();
    }

    Status put(ItemOperation operation, long item, Map<String, ByteIterator> values) {
        Put put = new Put(Bytes.toBytes(Items.key(item)));
        values.forEach((column, value) -> put.addColumn(family, Bytes.toBytes(column), value.toArray()));
        return measured(operation, () -> {
            indexes.put(put);
            ownWrites.put(item, writesOf(states.of(item)));
            return Status.OK;
        });
    }

    private static long writesOf(ItemStates.State state) {
        return state == null ? 0 : state.writes();
    }

    Status delete(long item) {
        Delete delete = new Delete(Bytes.toBytes(Items.key(item)));
        return measured(ItemOperation.DELETE, () -> {
            indexes.delete(delete);
            return Status.OK;
        });
    }

    /** Reads an item by its title. */
    Status readByIndex(long item) {
        ItemStates.State state = states.of(item);
        Status status = measured(ItemOperation.READ_BY_INDEX, () -> readTitle(item, state));
        if (state == null && status.equals(Status.NOT_FOUND)) {
            learn(item);
        }
        return status;
    }

    private Status readTitle(long item, ItemStates.State state) throws IOException {
        byte[] title = Items.titleBytes(item, state == null ? 0 : state.version());
        byte[] row = Bytes.toBytes(Items.key(item));
        Hits hits = new Hits();
        indexes.read(
                IndexQuery.index(ItemIndexes.BY_TITLE).equalTo(title).build(),
                (hitRow, value) -> hits.add(Arrays.equals(hitRow, row) && Arrays.equals(value, title)));
        if (hits.count == 0) {
            return isPromised(item, state) ? Status.UNEXPECTED_STATE : Status.NOT_FOUND;
        }
        return hits.wrong || hits.count > 1 ? Status.UNEXPECTED_STATE : Status.OK;
    }

    /** Returns whether the item is certain to have been in the given state from before the read until now. */
    private boolean isPromised(long item, ItemStates.State state) {
        return state != null
                && (findsWhatWasWritten || isOwn(item, state))
                && state.isKnownToExist()
                && state.equals(states.of(item));
    }

    /** Returns whether this thread has put the item into the given state, in its session. */
    private boolean isOwn(long item, ItemStates.State state) {
        Long written = ownWrites.get(item);
        return findsItsOwnWrites && written != null && written == state.writes();
    }

    /** Reads the version at which an earlier run left an item, so that the next read can find it. */
    private void learn(long item) {
        try {
            Optional<byte[]> title = indexes.titleOf(Bytes.toBytes(Items.key(item)));
            OptionalInt version =
                    title.isPresent() ? Items.versionOf(item, Bytes.toString(title.get())) : OptionalInt.empty();
            if (version.isPresent()) {
                states.learn(item, version.getAsInt());
            }
        } catch (IOException e) {
            report("The version of an item could not be read and stays unknown", e);
        }
    }

    /**
     * Reads the items of a range of prices, whose upper bound is exclusive. Checks their order only where a row that moves
     * during the read cannot be found out of order.
     */
    Status rangeByIndex(IndexQuery query, long from, long to) {
        return measured(ItemOperation.RANGE_BY_INDEX, () -> {
            Hits hits = new Hits();
            indexes.read(query, (row, value) -> {
                long price = Bytes.toLong(value);
                hits.add(from <= price && price < to && (!findsInOrder || hits.lastPrice <= price));
                hits.lastPrice = price;
            });
            return hits.wrong ? Status.UNEXPECTED_STATE : Status.OK;
        });
    }

    private Status measured(ItemOperation operation, Call call) {
        long intended = measurements.getIntendedtartTimeNs();
        long start = System.nanoTime();
        Status status = statusOf(operation, call);
        long end = System.nanoTime();
        String name = operation.label() + (status.isOk() ? "" : "-FAILED");
        measurements.measure(name, micros(end - start));
        measurements.measureIntended(name, micros(end - intended));
        measurements.reportStatus(operation.label(), status);
        return status;
    }

    private static Status statusOf(ItemOperation operation, Call call) {
        try {
            return call.run();
        } catch (IOException | RuntimeException e) {
            report(operation.label() + " failed", e);
            return Status.ERROR;
        }
    }

    private static int micros(long nanos) {
        return (int) Math.min(Integer.MAX_VALUE, nanos / 1000);
    }

    private static void report(String what, Exception why) {
        System.err.println(what + ": " + why);
    }

    @Override
    public void close() throws IOException {
        indexes.close();
    }

    /** The hits of a read so far. */
    private static final class Hits {
        private long count;
        private boolean wrong;
        private long lastPrice;

        private void add(boolean right) {
            count++;
            wrong |= !right;
        }
    }
}
