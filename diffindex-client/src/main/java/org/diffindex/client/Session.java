package org.diffindex.client;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.model.SessionChange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A client's series of writes and reads by index in which each read sees the session's earlier writes (paper, section
 * 5.2). Under async-session, whose indexes are updated after the acknowledgement, it does because the session remembers
 * its own changes; under sync-full and sync-insert every read does. Under async-simple a session promises no more than
 * a plain read.
 *
 * <pre>{@code
 * try (Session session = table.openSession()) {
 *     session.put(new Put(row).addColumn(F, ORIGIN, Bytes.toBytes("ORD")));
 *     try (IndexScanner hits = session.getByIndex(IndexQuery.index("by_origin").equalTo("ORD").build())) {
 *         // the row is among the hits, unless another client has changed it meanwhile
 *     }
 * }
 * }</pre>
 *
 * <p>For rows that the session has written, its reads are exact, unless another client has written them since. For
 * other rows it sees what any reader sees: a stale entry left by another client's write, and not yet deleted, may be
 * among the hits.
 *
 * <p>A session ends when it is closed, or when it has not been used for its idle timeout. Its memory is bounded: a
 * write that might exceed the bound is refused before it is sent. The bound on what a put may add follows from the
 * values that it sets; a column of variable length that the put omits, or sets with an explicit timestamp, counts as
 * the longest key that an index takes (almost 32,767 bytes), and so does, for every write but a delete of a whole row, each
 * index whose definition this client cannot load, unless its scheme has no sessions. Changes that are kept only for
 * open scanners count too. A call may exceed the bound, and the excess counts from then on, in these cases: several
 * puts of one row, or puts with explicit timestamps, if the table has further async-session indexes of which they set
 * no column; a put whose values are hidden by later timestamps that a client has set; a delete of a whole row of which
 * cells have such timestamps and stay; and the first write that concerns an index created meanwhile.
 *
 * <p>A write that failed with an error may or may not have been applied. If it was, the session may see it late, as any
 * other reader does.
 *
 * <p>Safe for use by many threads. Writes are serialized; reads do not wait for writes, and see every write that was
 * acknowledged before they were opened. A scanner is used by one thread at a time; it shows the session's writes up to
 * the moment when it was opened, and possibly later ones.
 */
public final class Session implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Session.class);
    private static final byte[] ASK = new byte[0];

    /** Waits for the AUQ. */
    @FunctionalInterface
    interface Drain {
        /**
         * Returns whether every write that was acknowledged before the call is in the indexes.
         *
         * @param remembered the names of the indexes of which the session remembers changes
         */
        boolean drained(Set<String> remembered) throws IOException;
    }

    private final IndexedTable table;
    private final Table base;
    private final SessionOptions options;
    private final Drain drain;
    private final SessionOverlay overlay = new SessionOverlay();
    private final SessionLife life;

    /**
     * Held by the one write in flight: no other write may use the memory that it has reserved, or add a change between
     * a drain and {@link SessionOverlay#clear}.
     */
    private final Object writing = new Object();

    /** Creates a session that writes to a base table, which it closes. */
    Session(IndexedTable table, Table base, SessionOptions options, Drain drain) {
        this.table = table;
        this.base = base;
        this.options = options;
        this.drain = drain;
        this.life = new SessionLife(table.getName(), options, overlay::end);
    }

    /**
     * Writes a row like {@link Table#put(Put)}. When it returns, reads of this session see the row.
     *
     * @throws org.diffindex.model.IndexUpdateDelayedException if the row is durable and its index updates will follow
     * @throws SessionExpiredException if the session was idle for longer than its timeout; the row was not written
     * @throws SessionFullException if the session might not be able to remember the change; the row was not written
     * @throws IllegalArgumentException if the put sets no column; nothing was written
     * @throws IllegalStateException if the session is closed; nothing was written
     */
    public void put(Put put) throws IOException {
        writeOne(put);
    }

    /**
     * Writes rows in one batch, or in several if the session's memory is nearly used up. If it throws, some of the rows
     * may have been written; the session sees all those that were acknowledged. A batch of which writes failed fails like
     * {@link Table#put(List)}, with an exception that lists them.
     *
     * @throws SessionExpiredException if the session was idle for longer than its timeout; nothing was written
     * @throws SessionFullException if the session might not be able to remember the changes; {@link
     *     SessionFullException#written} tells how many were written before
     * @throws IllegalArgumentException if a put sets no column; nothing was written
     * @throws IllegalStateException if the session is closed; nothing was written
     */
    public void put(List<Put> puts) throws IOException {
        write(puts);
    }

    /**
     * Deletes like {@link Table#delete(Delete)}. When it returns, reads of this session see the deletion.
     *
     * @throws org.diffindex.model.IndexUpdateDelayedException if the deletion is durable and its index updates will
     *     follow
     * @throws SessionExpiredException if the session was idle for longer than its timeout; nothing was deleted
     * @throws SessionFullException if the session might not be able to remember the change; nothing was deleted
     * @throws IllegalStateException if the session is closed; nothing was deleted
     */
    public void delete(Delete delete) throws IOException {
        writeOne(delete);
    }

    /**
     * Reads by an index, including the session's own writes.
     *
     * @throws SessionExpiredException if the session was idle for longer than its timeout; the scanner throws it too
     * @throws NoSuchIndexException if the table has no index of that name
     * @throws org.diffindex.model.IndexNotLoadedException if this client cannot load the index's definition
     * @throws InvalidQueryException if the query's conditions do not fit the index's columns, or its range is empty
     * @throws PageTokenException if the query continues after a token of another query or index
     * @throws IllegalStateException if the session is closed; the scanner throws it too
     */
    public IndexScanner getByIndex(IndexQuery query) throws IOException {
        life.use();
        return table.getByIndex(query, Optional.of(overlay), life::use);
    }

    /** Returns the memory, in bytes, that the session's changes occupy, including those kept only for open scanners. */
    public long bytes() {
        return overlay.bytes();
    }

    /** Ends the session, after the write in flight, and forgets its changes. What it wrote stays written. */
    @Override
    public void close() throws IOException {
        synchronized (writing) {
            if (life.close()) {
                base.close();
            }
        }
    }

    private void writeOne(Mutation mutation) throws IOException {
        try {
            write(List.of(mutation));
        } catch (RetriesExhaustedWithDetailsException e) {
            throw SingleWriteFailure.of(e);
        }
    }

    private void write(List<? extends Mutation> mutations) throws IOException {
        synchronized (writing) {
            life.beginWrite();
            try {
                requireColumns(mutations);
                writeWithinBound(mutations);
            } finally {
                life.endWrite();
            }
        }
    }

    private static void requireColumns(List<? extends Mutation> mutations) {
        for (Mutation mutation : mutations) {
            if (mutation instanceof Put && mutation.isEmpty()) {
                throw new IllegalArgumentException(
                        "A put sets no column; nothing was sent; add a column to it: " + mutation);
            }
        }
    }

    private void writeWithinBound(List<? extends Mutation> mutations) throws IOException {
        ChangeBound bound = new ChangeBound(table.catalog().definitions());
        int from = 0;
        while (from < mutations.size()) {
            int to = fitting(mutations, from, bound);
            if (to == from) {
                long more = bound.of(mutations.get(from));
                if (more > options.maxBytes()) {
                    throw tooSmall(mutations, from, more);
                }
                forgetDrained();
                to = fitting(mutations, from, bound);
                if (to == from) {
                    throw full(mutations, from, more);
                }
            }
            send(mutations.subList(from, to));
            from = to;
        }
    }

    /**
     * Forgets all changes if the indexes have caught up. The caller holds the lock that keeps out other writes.
     *
     * @throws IOException if the caller was interrupted
     */
    private void forgetDrained() throws IOException {
        try {
            if (drain.drained(overlay.indexes())) {
                overlay.clear();
            }
        } catch (IOException e) {
            if (Thread.currentThread().isInterrupted()) {
                throw e;
            }
            LOG.warn(
                    "Draining {} to free memory of a session failed; the session keeps its changes",
                    table.getName(),
                    e);
        }
    }

    /** Returns the end of the longest run of mutations whose changes are certain to fit. */
    private int fitting(List<? extends Mutation> mutations, int from, ChangeBound bound) throws IOException {
        long bytes = overlay.bytes();
        int to = from;
        while (to < mutations.size()) {
            long more = bound.of(mutations.get(to));
            if (more > 0 && bytes + more > options.maxBytes()) {
                break;
            }
            bytes += more;
            to++;
        }
        return to;
    }

    private SessionFullException tooSmall(List<? extends Mutation> mutations, int written, long bound) {
        return new SessionFullException(
                "The session on " + table.getName() + " is limited to " + options.maxBytes()
                        + " bytes, too few for this write, which may add " + bound
                        + "; the write was refused and not sent " + written(mutations, written)
                        + "; set the session's maxBytes to at least " + bound
                        + ", or write outside the session. A put needs fewer bytes if it sets all columns of"
                        + " an index and leaves their timestamps to the server",
                written);
    }

    private SessionFullException full(List<? extends Mutation> mutations, int written, long bound) {
        long past = overlay.pastBytes();
        String scanners = past == 0 ? "" : " (" + past + " of them only for open scanners)";
        String wayOut = past == 0 ? "" : "close scanners that are still open, or ";
        return new SessionFullException(
                "The session on " + table.getName() + " remembers " + overlay.bytes()
                        + " bytes of changes" + scanners + " and is limited to " + options.maxBytes()
                        + "; this write may add " + bound
                        + ", and no change can be forgotten until the indexes catch up or scanners close; the write was"
                        + " refused and not sent " + written(mutations, written)
                        + "; " + wayOut + "try again later, raise the session's maxBytes, or write outside the session",
                written);
    }

    private static String written(List<? extends Mutation> mutations, int written) {
        return "[written=" + written + " of " + mutations.size() + "]";
    }

    /** Sends mutations in one batch and remembers the changes of those that succeeded, also if others failed. */
    private void send(List<? extends Mutation> mutations) throws IOException {
        List<Mutation> batch = new ArrayList<>(mutations.size());
        for (Mutation mutation : mutations) {
            batch.add(asking(mutation));
        }
        Object[] answers = new Object[batch.size()];
        try {
            base.batch(batch, answers);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException interrupted = new InterruptedIOException(
                    "Interrupted while writing to " + table.getName() + "; the rows may or may not have been written");
            interrupted.initCause(e);
            throw interrupted;
        } finally {
            for (Object answer : answers) {
                if (answer instanceof Result result) {
                    List<SessionChange> changes = SessionChange.of(result);
                    overlay.absorb(changes);
                    table.catalog().forgetUnless(changes);
                }
            }
        }
    }

    /** Returns a copy that asks the server to report what it changes. */
    private static Mutation asking(Mutation mutation) {
        return mutation instanceof Put put
                ? new Put(put).setAttribute(SessionChange.ATTRIBUTE, ASK)
                : new Delete((Delete) mutation).setAttribute(SessionChange.ATTRIBUTE, ASK);
    }
}
