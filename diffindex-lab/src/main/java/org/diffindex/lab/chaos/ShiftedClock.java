package org.diffindex.lab.chaos;

import java.io.IOException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.util.EnvironmentEdge;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The system clock, shifted as a {@link ClockShift} requests; polls the request every 20 ms. Thread-safe. */
final class ShiftedClock implements EnvironmentEdge, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ShiftedClock.class);
    private static final long PERIOD_MILLIS = 20;

    private final ClockShift shift;
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(new ThreadFactoryBuilder()
                    .setNameFormat("diffindex-clock")
                    .setDaemon(true)
                    .build());
    private volatile long millis;

    private ShiftedClock(ClockShift shift) {
        this.shift = shift;
    }

    /** Returns a clock that follows requests, starting with the current one, until it is closed. */
    static ShiftedClock follow(ClockShift shift) throws IOException {
        ShiftedClock clock = new ShiftedClock(shift);
        clock.set(shift.requested());
        var unused =
                clock.thread.scheduleWithFixedDelay(clock::look, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
        return clock;
    }

    @Override
    public long currentTime() {
        return System.currentTimeMillis() + millis;
    }

    private void look() {
        try {
            long requested = shift.requested();
            if (requested != millis) {
                set(requested);
                LOG.info("The clock is shifted by {} ms", requested);
            }
        } catch (IOException | RuntimeException e) {
            LOG.error("The clock is shifted by {} ms; the request could not be read or confirmed", millis, e);
        }
    }

    private void set(long to) throws IOException {
        millis = to;
        shift.confirm(to);
    }

    /** Stops following requests; the shift remains as it is. */
    @Override
    public void close() {
        thread.shutdownNow();
    }
}
