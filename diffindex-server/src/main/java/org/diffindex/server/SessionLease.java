package org.diffindex.server;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.Server;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Until when a region server is sure that its session with ZooKeeper has not ended. The master gives the regions of a
 * server away when its session ends; a server that slept through that - in a long garbage collection, or suspended - goes
 * on to answer reads from its memory when it wakes up, until it notices. What it reads then may lack what others have
 * acknowledged long since. With a lease it knows: if the lease holds after a read, the region was its own during it.
 *
 * <p>Each answer of ZooKeeper renews the lease for half of the session's time-out from the asking. The session lasts longer:
 * whoever answers had heard from the server within a third of the time-out.
 *
 * <p>Safe for use by many threads.
 */
final class SessionLease implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(SessionLease.class);
    private static final Duration UNTIL_CONNECTED = Duration.ofMillis(100);

    /** The session of a region server. */
    interface Session {
        /** After which silence it ends; zero while that is not known. */
        Duration timeout();

        /** Asks whether the session goes on, and runs what is given if the answer comes and is yes. Does not wait. */
        void ask(Runnable goesOn) throws IOException;
    }

    /** No server gives away the regions of one that has no session: a test's. */
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

    /** Guarded by this. */
    private long endNanos;

    /** A lease that does not hold before it is renewed. */
    SessionLease(Session session, LongSupplier nanoTime) {
        this.session = session;
        this.nanoTime = nanoTime;
        this.endNanos = nanoTime.getAsLong();
        this.thread = Executors.newSingleThreadScheduledExecutor(new ThreadFactoryBuilder()
                .setNameFormat("diffindex-lease")
                .setDaemon(true)
                .build());
    }

    /** The lease of a region's server, which is renewed until it is closed. */
    static SessionLease of(RegionCoprocessorEnvironment env) {
        if (env.getOnlineRegions() instanceof Server server && server.getZooKeeper() != null) {
            SessionLease lease = new SessionLease(new ZooKeeperSession(server.getZooKeeper()), System::nanoTime);
            lease.keepUp();
            return lease;
        }
        SessionLease lease = new SessionLease(ENDLESS, System::nanoTime);
        lease.renew(); // once and for all, without a thread
        return lease;
    }

    private void keepUp() {
        renew();
        Duration timeout = session.timeout();
        Duration pause = timeout.isZero() ? UNTIL_CONNECTED : timeout.dividedBy(8);
        var unused = thread.schedule(this::keepUp, pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Asks once more. */
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

    /** Whether the session has surely not ended yet. */
    synchronized boolean holds() {
        return nanoTime.getAsLong() - endNanos < 0;
    }

    /**
     * To be called after a read and before its answer.
     *
     * @throws NotServingRegionException if another server may serve the region; the client asks again, there
     */
    void require(RegionCoprocessorEnvironment env) throws NotServingRegionException {
        if (!holds()) {
            throw new NotServingRegionException("This server has not heard from ZooKeeper for half of its session's"
                    + " time-out and may have lost its regions; nothing was read by index, the client tries again [region="
                    + env.getRegionInfo().getRegionNameAsString() + ", server=" + env.getServerName() + "]");
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
