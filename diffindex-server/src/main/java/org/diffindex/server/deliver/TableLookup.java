package org.diffindex.server.deliver;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.util.ExceptionUtil;

/** The lookups of the regions of a write's updates of one index table. For use by one thread at a time. */
final class TableLookup {
    private static final long FIRST_PAUSE_MS = 50;
    private static final long LONGEST_PAUSE_MS = 1_000;

    private final TableName table;
    private final List<IndexUpdate> updates = new ArrayList<>();
    private final List<LocatedUpdate> located = new ArrayList<>();

    /** Why updates have keys that cannot be looked up. */
    private final List<RuntimeException> refused = new ArrayList<>(0);

    /** The number of updates that are looked up. */
    private int done;

    /** Why the last attempt failed; null if there was none, or it did not. */
    private IOException failure;

    /** Whether the last attempt was ended though hbase:meta answers. */
    private boolean isTooSlow;

    TableLookup(TableName table) {
        this.table = table;
    }

    void add(IndexUpdate update) {
        updates.add(update);
    }

    TableName table() {
        return table;
    }

    List<LocatedUpdate> located() {
        return located;
    }

    List<RuntimeException> refused() {
        return refused;
    }

    /**
     * Looks up the updates that are not looked up yet, up to the first for which that fails; returns whether it did for
     * none.
     *
     * @param mayGoOn whether there is time for each but the first
     * @throws InterruptedIOException if this thread is interrupted
     */
    boolean attempt(EntryLocations locations, BooleanSupplier mayGoOn) throws InterruptedIOException {
        try {
            if (failure != null && !isTooSlow) {
                locations.refreshAfter(failure);
            }
            failure = null;
            isTooSlow = false;
            int first = done;
            for (; done < updates.size(); done++) {
                if (done > first && !mayGoOn.getAsBoolean()) {
                    isTooSlow = true;
                    throw new IOException("The lookups of regions of " + table + " in hbase:meta are too slow");
                }
                locate(updates.get(done), locations);
            }
            return true;
        } catch (IOException e) {
            ExceptionUtil.rethrowIfInterrupt(e);
            failure = e;
            return false;
        }
    }

    private void locate(IndexUpdate update, EntryLocations locations) throws IOException {
        try {
            located.add(new LocatedUpdate(
                    update, locations.of(table, update.mutation().getRow())));
        } catch (RuntimeException e) {
            refused.add(e);
        }
    }

    /**
     * Looks up the updates that are not looked up yet; makes at least one attempt in all.
     *
     * @param mayRepeat whether there is time to repeat an attempt that failed
     * @param mayGoOn whether there is time for each lookup of an attempt but the first
     * @throws IOException if the last attempt failed, or this thread is interrupted
     */
    void finish(Connection connection, BooleanSupplier mayRepeat, BooleanSupplier mayGoOn) throws IOException {
        try (EntryLocations locations = new EntryLocations(connection)) {
            boolean isDone = failure == null && attempt(locations, mayGoOn);
            long pauseMs = FIRST_PAUSE_MS;
            while (!isDone && !isFinal(failure, connection) && mayRepeat.getAsBoolean()) {
                pause(pauseMs);
                pauseMs = Math.min(LONGEST_PAUSE_MS, 2 * pauseMs);
                isDone = attempt(locations, mayGoOn);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Returns whether another attempt would fail too. */
    private static boolean isFinal(IOException failure, Connection connection) {
        return failure instanceof TableNotFoundException || connection.isClosed();
    }

    private void pause(long ms) throws InterruptedIOException {
        try {
            TimeUnit.MILLISECONDS.sleep(ms);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (InterruptedIOException)
                    new InterruptedIOException("Interrupted while looking up " + table).initCause(e);
        }
    }
}
