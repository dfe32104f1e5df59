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
 * Keeps an index region readable at each read point that its scans were told, for at least a minute or until the region
 * is closed: during that time a scan that has continued with the next region can check what it found here. Otherwise a
 * flush would keep only the newer cell of an entry that was put again, and the entry would look as if it were new.
 *
 * <p>An expired read point is released before the next flush, or when another scan is told one. Thread-safe.
 */
final class ToldReadPoints implements Closeable {
    private static final long NEEDED_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Region region;
    private final LongSupplier nanoTime;

    /** The held read points, oldest first. Guarded by this. */
    private final Deque<Held> held = new ArrayDeque<>(0);

    /**
     * A scanner that holds its read point, and thereby all later ones, since a time on the clock of {@code nanoTime}.
     */
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
     * Holds a read point that a scan is told, unless a scanner held for less than a minute covers it. The scan's own
     * scanner must be open, so that nothing visible at the read point has been dropped. Has no effect if the region is
     * closing.
     *
     * @throws IOException if a scanner cannot be opened or closed
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
     * Releases the expired read points, those held for more than two minutes: during the first, a read point also
     * covers scans that are told a later one, and the last of these needs it for another minute.
     */
    synchronized void letGo() throws IOException {
        while (!held.isEmpty() && nanoTime.getAsLong() - held.peekFirst().since > 2 * NEEDED_NANOS) {
            held.removeFirst().scanner.close();
        }
    }

    /** Releases all read points. Later calls of {@link #hold} may hold further ones. */
    @Override
    public synchronized void close() throws IOException {
        while (!held.isEmpty()) {
            held.removeFirst().scanner.close();
        }
    }
}
