package org.diffindex.server.local;

import java.time.Instant;
import java.time.InstantSource;
import org.apache.hadoop.hbase.util.EnvironmentEdge;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;

/** The clock of HBase and of the index, which stands still until a test moves it forwards or back. */
public final class ManualClock implements EnvironmentEdge, InstantSource, AutoCloseable {
    private volatile long now;

    private ManualClock(long now) {
        this.now = now;
    }

    /** Installs a clock that HBase uses until it is closed. */
    public static ManualClock install(long now) {
        ManualClock clock = new ManualClock(now);
        EnvironmentEdgeManager.injectEdge(clock);
        return clock;
    }

    /** Moves the clock by a number of milliseconds. For use by one thread. */
    public void move(long milliseconds) {
        long moved = now + milliseconds;
        now = moved;
    }

    /** Sets the clock. For use by one thread. */
    public void set(long milliseconds) {
        now = milliseconds;
    }

    @Override
    public long currentTime() {
        return now;
    }

    @Override
    public long millis() {
        return now;
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochMilli(now);
    }

    @Override
    public void close() {
        EnvironmentEdgeManager.reset();
    }
}
