package org.diffindex.server;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.Server;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Determines until when a region server is certain that its ZooKeeper session has not ended. When a session ends, the
 * master assigns the server's regions to other servers. If the server was paused meanwhile, in a long garbage
 * collection or suspended, it continues to answer reads from its memory when it wakes up, until it notices; such reads
 * may lack writes that other servers acknowledged long before. If the lease holds after a read, the region belonged to
 * the server during the read.
 *
 * <p>Each answer of ZooKeeper renews the lease for half of the session timeout, counted from the request. The session
 * lasts longer: the ZooKeeper server that answered had heard from this server within a third of the timeout.
 *
 * <p>Thread-safe.
 */
class SessionLease implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(SessionLease.class);
    private static final Duration UNTIL_CONNECTED = Duration.ofMillis(100);
    private static final Duration LONG_OVER = Duration.ofHours(1);

    /** The session of a region server. */
    interface Session {
        /** Returns the session timeout; zero while it is unknown. */
        Duration timeout();

        /**
         * Asks whether the session is alive, without waiting; runs the callback if the answer arrives and is positive.
         */
        void ask(Runnable goesOn) throws IOException;
    }

    /** The session of a server without ZooKeeper, as in a test: never ends. */
    private static final Session ENDLESS = new Session() {
        @Override
        public Duration timeout() {
            return Duration.ofDays(10_000);
        }

        @Override
        public void ask(Runnable goesOn) {
            goesOn.run();
        }
    };

    private final Session session;
    private final LongSupplier nanoTime;
    private final ScheduledExecutorService thread;

    /** When the lease ends, on the clock of {@code nanoTime}. Guarded by this. */
    private long endNanos;

    /** Creates a lease that does not hold before it is renewed. */
    SessionLease(Session session, LongSupplier nanoTime) {
        this.session = session;
        this.nanoTime = nanoTime;
        this.endNanos = nanoTime.getAsLong();
        this.thread = new LoggedThreads(
                1,
                new ThreadFactoryBuilder()
                        .setNameFormat("diffindex-lease")
                        .setDaemon(true)
                        .build());
    }

    /** Returns the lease of a region's server, which is renewed until it is closed. */
    static SessionLease of(RegionCoprocessorEnvironment env) {
        if (env.getOnlineRegions() instanceof Server server && server.getZooKeeper() != null) {
            SessionLease lease = new SessionLease(new ZooKeeperSession(server.getZooKeeper()), System::nanoTime);
            lease.keepUp();
            return lease;
        }
        SessionLease lease = new SessionLease(ENDLESS, System::nanoTime);
        lease.renew(); // renewed only once, so it needs no task
        return lease;
    }

    /** Renews the lease now, and again and again until it is closed. */
    void keepUp() {
        renew();
        Duration timeout = session.timeout();
        Duration pause = timeout.isZero() ? UNTIL_CONNECTED : timeout.dividedBy(8);
        try {
            var unused = thread.schedule(this::keepUp, pause.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("The lease was closed during its renewal", e);
        }
    }

    /** Asks for a renewal; does not wait for the answer. */
    void renew() {
        long asked = nanoTime.getAsLong();
        try {
            session.ask(() -> extendTo(asked + session.timeout().toNanos() / 2));
        } catch (IOException | RuntimeException e) {
            LOG.debug("ZooKeeper could not be asked; the lease runs out unless it can be later", e);
        }
    }

    private synchronized void extendTo(long nanos) {
        if (nanos - endNanos > 0) {
            endNanos = nanos;
        }
    }

    /** Returns whether the session certainly has not ended. */
    synchronized boolean holds() {
        return nanoTime.getAsLong() - endNanos < 0;
    }

    /** Returns whether the lease ended more than an hour ago. */
    synchronized boolean isLongOver() {
        return nanoTime.getAsLong() - endNanos > LONG_OVER.toNanos();
    }

    /**
     * Requires that the lease holds. Must be called after a read and before its answer.
     *
     * @throws NotServingRegionException if another server may serve the region; the client retries there
     */
    void require(RegionCoprocessorEnvironment env) throws NotServingRegionException {
        require(env.getRegionInfo(), "nothing was read by index");
    }

    /**
     * Requires that the lease holds. Must be called after everything is read from the region that an answer, or a write
     * to an index table, depends on, and before either.
     *
     * @param outcome what is true if the lease does not hold, for the message
     * @throws NotServingRegionException if another server may serve the region; the client retries there
     */
    void require(RegionInfo region, String outcome) throws NotServingRegionException {
        if (!holds()) {
            throw new NotServingRegionException("This server has not heard from ZooKeeper for half of its session's"
                    + " time-out and may have lost its regions; " + outcome + ", the client tries again [region="
                    + region.getRegionNameAsString() + "]");
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
