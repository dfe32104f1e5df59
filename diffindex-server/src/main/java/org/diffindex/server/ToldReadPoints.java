package org.diffindex.server;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;

/**
 * Keeps an index region readable at the read points that its scans were told, for at least a minute: a scan that has
 * continued with the next region then checks the entries that it found here. Otherwise the next flush would keep only
 * the newer cell of an entry that was put again, and the entry would look as if it were new.
 *
 * <p>An expired read point is released before the next flush, or when another scan is told one. Thread-safe.
 */
final class ToldReadPoints implements Closeable {
    private static final long NEEDED_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Region region;
    private final LongSupplier nanoTime;

    /** The held read points, oldest first. Guarded by this. */
    private final Deque<Held> held = new ArrayDeque<>();

    /** A scanner that holds a read point, and thereby all later ones, since a time in nanoseconds. */
    private record Held(RegionScanner scanner, long since) {}

    /**
     * Creates an instance that holds no read point.
     *
     * @param nanoTime as {@link System#nanoTime}
     */
    ToldReadPoints(Region region, LongSupplier nanoTime) {
        this.region = region;
        this.nanoTime = nanoTime;
    }

    /**
     * Holds a read point that a scan is told. The scan's own scanner must be open. Has no effect if the region is
     * closing.
     */
    synchronized void hold(long readPoint) throws IOException {
        letGo();
        long now = nanoTime.getAsLong();
        boolean isHeldLongEnough = held.stream()
                .anyMatch(each -> now - each.since < NEEDED_NANOS && each.scanner.getMvccReadPoint() <= readPoint);
        if (!isHeldLongEnough) {
            try {
                held.addLast(new Held(EmptyScan.open(region, readPoint), now));
            } catch (NotServingRegionException closing) {
                // Nothing can be held: the region's next server does not know this one's read points.
            }
        }
    }

    /**
     * Releases the expired read points. Each is held for two minutes: during the first it also serves scans that are
     * told a later point, and the last of these needs it for another minute.
     */
    synchronized void letGo() throws IOException {
        while (!held.isEmpty() && nanoTime.getAsLong() - held.peekFirst().since > 2 * NEEDED_NANOS) {
            held.removeFirst().scanner.close();
        }
    }

    @Override
    public synchronized void close() throws IOException {
        while (!held.isEmpty()) {
            held.removeFirst().scanner.close();
        }
    }
}
