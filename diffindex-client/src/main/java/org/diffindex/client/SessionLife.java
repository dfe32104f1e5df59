package org.diffindex.client;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.TableName;

/**
 * The state of a session: open, expired after its idle timeout, or closed. A write counts as use until it has returned.
 * Safe for use by many threads; no call blocks.
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
     * Starts the life of a session.
     *
     * @param atEnd receives, once, the message for later uses of the session
     */
    SessionLife(TableName table, SessionOptions options, Consumer<String> atEnd) {
        this.table = table;
        this.idleTimeout = options.idleTimeout();
        this.clock = options.clock();
        this.atEnd = atEnd;
        this.lastUse = clock.instant();
    }

    /**
     * Records a use of the session.
     *
     * @throws SessionExpiredException if the session was idle for longer than its timeout
     * @throws IllegalStateException if the session is closed
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
            atEnd.accept("The session on " + table + " was idle for too long and has expired; open a new one");
        }
        if (state == State.EXPIRED) {
            throw new SessionExpiredException(table, idleTimeout);
        }
        lastUse = now;
    }

    /** Records a use that lasts until {@link #endWrite}. */
    synchronized void beginWrite() throws SessionExpiredException {
        use();
        writesInFlight++;
    }

    synchronized void endWrite() {
        writesInFlight--;
        lastUse = clock.instant();
    }

    /** Closes the session; returns false if it was closed before. */
    synchronized boolean close() {
        if (state == State.CLOSED) {
            return false;
        }
        state = State.CLOSED;
        atEnd.accept("The session on " + table + " is closed; open a new one");
        return true;
    }
}
