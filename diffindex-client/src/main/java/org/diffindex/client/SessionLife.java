package org.diffindex.client;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.TableName;

/**
 * Whether a session goes on: it ends when it is closed, or when it was not used for its idle timeout. A write uses it until it
 * has returned. Safe for use by many threads; no call waits for anything.
 */
final class SessionLife {
    private enum State {
        OPEN,
        EXPIRED,
        CLOSED
    }

    private final TableName table;
    private final Duration idleTimeout;
    private final InstantSource clock;
    private final Consumer<String> atEnd;
    private State state = State.OPEN;
    private Instant lastUse;
    private int writesInFlight;

    /**
     * The life of a session that begins now.
     *
     * @param atEnd takes, once, what to tell those who use the session still
     */
    SessionLife(TableName table, SessionOptions options, Consumer<String> atEnd) {
        this.table = table;
        this.idleTimeout = options.idleTimeout();
        this.clock = options.clock();
        this.atEnd = atEnd;
        this.lastUse = clock.instant();
    }

    /**
     * The session is used, for a moment.
     *
     * @throws SessionExpiredException if it was idle for too long
     * @throws IllegalStateException if it is closed
     */
    synchronized void use() throws SessionExpiredException {
        if (state == State.CLOSED) {
            throw new IllegalStateException("The session on " + table + " is closed; open a new one");
        }
        Instant now = clock.instant();
        if (state == State.OPEN
                && writesInFlight == 0
                && Duration.between(lastUse, now).compareTo(idleTimeout) > 0) {
            state = State.EXPIRED;
            atEnd.accept("The session on " + table + " was idle for too long and has ended; open a new one");
        }
        if (state == State.EXPIRED) {
            throw new SessionExpiredException(table, idleTimeout);
        }
        lastUse = now;
    }

    /** As {@link #use}, until {@link #endWrite}. */
    synchronized void beginWrite() throws SessionExpiredException {
        use();
        writesInFlight++;
    }

    synchronized void endWrite() {
        writesInFlight--;
        lastUse = clock.instant();
    }

    /** Closes the session; false if it was closed before. */
    synchronized boolean close() {
        if (state == State.CLOSED) {
            return false;
        }
        state = State.CLOSED;
        atEnd.accept("The session on " + table + " is closed; open a new one");
        return true;
    }
}
