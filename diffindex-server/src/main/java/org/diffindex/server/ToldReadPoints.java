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
 * Keeps an index region readable as of the read points that its scans were told, for a minute at least: a scan that has gone on to
 * the next region asks what it has met here. Without that the next flush keeps of an entry that was put again the newer cell alone,
 * and the entry looks as if it were new.
 *
 * <p>A read point that no scan needs any more is released before the next flush, or when another scan is told one. Safe for use by
 * many threads.
 */
final class ToldReadPoints implements Closeable {
    private static final long NEEDED_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final Region region;
    private final LongSupplier nanoTime;

    /** The oldest first. Guarded by this. */
    private final Deque<Held> held = new ArrayDeque<>();

    /** A read point that is held since some time, and with it all later ones. */
    private record Held(RegionScanner scanner, long since) {}

    /**
     * None yet.
     *
     * @param nanoTime as {@link System#nanoTime}
     */
    ToldReadPoints(Region region, LongSupplier nanoTime) {
        this.region = region;
        this.nanoTime = nanoTime;
    }

    /** Holds a read point that a scan is told; to be called while the scan's own scanner is open. */
    synchronized void hold(long readPoint) throws IOException {
        letGo();
        long now = nanoTime.getAsLong();
        boolean isHeldLongEnough = held.stream()
                .anyMatch(each -> now - each.since < NEEDED_NANOS && each.scanner.getMvccReadPoint() <= readPoint);
        if (!isHeldLongEnough) {
            try {
                held.addLast(new Held(EmptyScan.open(region, readPoint), now));
            } catch (NotServingRegionException closing) {
                // There is nothing to hold: the region's next server knows nothing of this one's read points.
            }
        }
    }

    /**
     * Releases the read points that no scan needs any more. Each is held for two minutes: for one it serves the scans that are told a
     * later point, and the last of these needs it for another.
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
