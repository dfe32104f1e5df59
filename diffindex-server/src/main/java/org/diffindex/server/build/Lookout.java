package org.diffindex.server.build;

import java.io.Closeable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A thread of the active master that looks again and again for work, and soon after something has changed. What a look throws
 * is logged, and the next one follows: an executor does not repeat what has thrown something, such as the error of a thread
 * that could not be started. Thread-safe.
 */
public final class Lookout implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(Lookout.class);

    private final ScheduledExecutorService thread;

    /** Whether a look is waiting for its turn, which sees what has changed until then. */
    private final AtomicBoolean isWaiting = new AtomicBoolean();

    /**
     * Creates a thread, which does nothing yet.
     *
     * @param name the name of the thread
     */
    public Lookout(String name) {
        thread = Executors.newSingleThreadScheduledExecutor(
                new ThreadFactoryBuilder().setNameFormat(name).setDaemon(true).build());
    }

    /** Looks now, and then whenever this time has passed since the last look ended. */
    public void lookEvery(long periodMs, Runnable look) {
        Future<?> unused = thread.scheduleWithFixedDelay(() -> surviving(look), 0, periodMs, TimeUnit.MILLISECONDS);
    }

    /**
     * Looks soon; does nothing once the master stops, or if a look is waiting already.
     *
     * @param look the same each time
     */
    public void lookSoon(Runnable look) {
        if (!isWaiting.compareAndSet(false, true)) {
            return;
        }
        try {
            thread.execute(() -> {
                isWaiting.set(false);
                surviving(look);
            });
        } catch (RejectedExecutionException e) {
            LOG.debug("The master stops; the next one looks", e);
        }
    }

    private static void surviving(Runnable look) {
        try {
            look.run();
        } catch (RuntimeException | Error e) {
            LOG.error("A look for work failed; the next one follows", e);
        }
    }

    /** Interrupts the thread. */
    @Override
    public void close() {
        thread.shutdownNow();
    }
}
