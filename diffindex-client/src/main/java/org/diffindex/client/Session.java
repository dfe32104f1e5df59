package org.diffindex.client;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.model.SessionChange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes and reads by index of one client that sees its own writes at once (paper, section 5.2): under async-session,
 * whose indexes follow later, because the session remembers what its writes change; under sync-full and sync-insert
 * because these promise it anyway. Under async-simple a session promises nothing more than a plain read.
 *
 * <pre>{@code
 * try (Session session = table.openSession()) {
 *     session.put(new Put(row).addColumn(F, ORIGIN, Bytes.toBytes("ORD")));
 *     try (IndexScanner hits = session.getByIndex(IndexQuery.index("by_origin").equalTo("ORD").build())) {
 *         // the row is among the hits, unless someone else has changed it meanwhile
 *     }
 * }
 * }</pre>
 *
 * <p>What a session sees of the rows that it has written is exact, unless someone else has written them since; what it sees
 * of other rows is what any reader sees: an entry that a write of someone else has left behind, and whose deletion is still
 * on its way, may be among the hits.
 *
 * <p>A session ends when it is closed or when nothing was called for its idle timeout. Its memory is bounded: a write
 * that might go past the bound is refused before it is sent. What a put might add follows from the values that it sets; a
 * column of variable length that it leaves out, or to which it gives a timestamp, counts with the longest key that HBase takes.
 * A scanner keeps what the session remembered when it was opened, until it has come to its end or is closed; that counts too.
 * A call may exceed the bound, and what it adds counts from then on: several puts of one row, or puts with timestamps, if the
 * table has further async-session indexes of which they set no column; one whose values are hidden by later timestamps that a
 * client has given; and the first one that concerns an index created meanwhile.
 *
 * <p>A write that failed with an error may have happened or not; the session may then see it late, as any other reader does.
 *
 * <p>Safe for use by many threads. Their writes take turns; reads wait for no write, and see every write that was acknowledged
 * before they were opened. A scanner is used by one thread at a time and shows the session's writes up to the moment when it was
 * opened, and possibly later ones.
 */
public final class Session implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Session.class);
    private static final byte[] ASK = new byte[0];

    /** Waits for the AUQ; true if by then every write that was acknowledged before the call is in the indexes. */
    @FunctionalInterface
    interface Drain {
        boolean drained() throws IOException;
    }

    private final IndexedTable table;
    private final Table base;
    private final SessionOptions options;
    private final Drain drain;
    private final SessionOverlay overlay = new SessionOverlay();
    private final SessionLife life;

    /** Held by the one write that is in flight: so no other adds to what it has made room for, or has found delivered. */
    private final Object writing = new Object();

    /** A session that writes to a base table, which it closes. */
    Session(IndexedTable table, Table base, SessionOptions options, Drain drain) {
        this.table = table;
        this.base = base;
        this.options = options;
        this.drain = drain;
        this.life = new SessionLife(table.getName(), options, overlay::end);
    }

    /**
     * Writes a row, as {@link Table#put(Put)} does; when it returns, reads of this session see it.
     *
     * @throws SessionExpiredException if the session was idle for too long; the row was not written
     * @throws SessionFullException if the session might not remember the change; the row was not written
     */
    public void put(Put put) throws IOException {
        write(List.of(put));
    }

    /**
     * Writes rows, batched: in one call to each server, or in several if the session's memory is nearly used up. If it
     * throws, some of the rows may have been written, and of these the session sees all that were acknowledged.
     *
     * @throws SessionExpiredException if the session was idle for too long; nothing was written
     * @throws SessionFullException if the session might not remember the changes; it says how many were written before
     */
    public void put(List<Put> puts) throws IOException {
        write(puts);
    }

    /**
     * Deletes, as {@link Table#delete(Delete)} does; when it returns, reads of this session see it.
     *
     * @throws SessionExpiredException if the session was idle for too long; nothing was deleted
     * @throws SessionFullException if the session might not remember the change; nothing was deleted
     */
    public void delete(Delete delete) throws IOException {
        write(List.of(delete));
    }

    /**
     * Reads by an index, own writes included.
     *
     * @throws SessionExpiredException if the session was idle for too long, here or from the scanner
     * @throws NoSuchIndexException if the table has no index of that name
     * @throws IndexNotReadableException if the index is still being filled
     * @throws IllegalArgumentException if the query's values do not fit the index's columns
     */
    public IndexScanner getByIndex(IndexQuery query) throws IOException {
        life.use();
        return table.getByIndex(query, Optional.of(overlay), life::use);
    }

    /** The memory, in bytes, that the session's own changes take now, those too that only open scanners show. */
    public long bytes() {
        return overlay.bytes();
    }

    /** Ends the session, after a write that is in flight, and forgets its changes; what it wrote stays written. */
    @Override
    public void close() throws IOException {
        synchronized (writing) {
            if (life.close()) {
                base.close();
            }
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
                        "A put without a column writes nothing; nothing was sent: " + mutation);
            }
        }
    }

    private void writeWithinBound(List<? extends Mutation> mutations) throws IOException {
        ChangeBound bound = new ChangeBound(table.catalog().definitions().values());
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

    /** Forgets everything if the indexes have caught up. The lock that the caller holds keeps new writes away. */
    private void forgetDrained() {
        try {
            if (drain.drained()) {
                overlay.clear();
            }
        } catch (IOException e) {
            LOG.warn("The AUQ of {} could not be drained to make room in a session", table.getName(), e);
        }
    }

    /** The end of the longest run of mutations whose changes surely fit. */
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
                "The session on " + table.getName() + " may hold " + options.maxBytes()
                        + " bytes, which is too small for this write: it might add " + bound
                        + "; the write was refused before it was sent " + written(mutations, written)
                        + "; set the session's maxBytes to " + bound
                        + " or more, or write outside the session. A put counts with fewer bytes if it sets all columns of"
                        + " an index and leaves their timestamps to the server",
                written);
    }

    private SessionFullException full(List<? extends Mutation> mutations, int written, long bound) {
        long past = overlay.pastBytes();
        String scanners = past == 0 ? "" : " (" + past + " of them only for open scanners)";
        String wayOut = past == 0 ? "" : "close scanners that are still open, ";
        return new SessionFullException(
                "The session on " + table.getName() + " remembers changes of " + overlay.bytes()
                        + " bytes" + scanners + " and may hold " + options.maxBytes() + "; the next write might add "
                        + bound
                        + ", and the indexes have not caught up enough to forget some; the write was refused before it"
                        + " was sent " + written(mutations, written)
                        + "; " + wayOut + "try again later, raise the session's maxBytes, or write outside the session",
                written);
    }

    private static String written(List<? extends Mutation> mutations, int written) {
        return "[written=" + written + " of " + mutations.size() + "]";
    }

    /** Sends mutations in one batch and remembers what those that succeeded have changed, whatever the others did. */
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
                    "Interrupted while writing to " + table.getName() + "; the rows may have been written or not");
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

    /** A copy that asks the server for what it changes. */
    private static Mutation asking(Mutation mutation) {
        return mutation instanceof Put put
                ? new Put(put).setAttribute(SessionChange.ATTRIBUTE, ASK)
                : new Delete((Delete) mutation).setAttribute(SessionChange.ATTRIBUTE, ASK);
    }
}
