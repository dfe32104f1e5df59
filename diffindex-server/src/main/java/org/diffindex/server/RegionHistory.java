package org.diffindex.server;

import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScanOptions;
import org.apache.hadoop.hbase.regionserver.StoreFile;

/**
 * Keeps the past of a region's rows readable, in the same way in which HBase supports long-running scanners: a scanner
 * that is never read holds a read point, and while it is open, flushes and compactions keep everything that is visible
 * at that point or a later one. They keep versions, tombstones and the cells that these hide, puts that a client has
 * overwritten at their own timestamp, and the sequence numbers that distinguish the past from the present.
 *
 * <p>There are two gaps. A flush or compaction does not apply a tombstone that is newer than the scanner, but still
 * counts the cells that it hides among the versions to be kept, and so may drop an older cell that the tombstone
 * reveals (MajorCompactionScanQueryMatcher of HBase 2.6.1). Therefore no versions are trimmed while there is such a
 * tombstone.
 *
 * <p>In a family with NEW_VERSION_BEHAVIOR, a compaction that may drop tombstones also drops, regardless of scanners,
 * each put with the column and timestamp of a later one, and counts later puts among the versions to be kept
 * (NewVersionBehaviorTracker). A compaction that must keep tombstones keeps everything.
 *
 * <p>Thread-safe.
 */
final class RegionHistory implements Closeable {
    private final Region region;
    private final LongSupplier neededFrom;
    private final LongSupplier smallestReadPoint;
    private final BooleanSupplier hasHBasesRules;

    /** The log sequence number of the newest tombstone that reveals older cells. */
    private final AtomicLong newestRevealing = new AtomicLong();

    /** A flush or compaction that begins now applies all tombstones up to this log sequence number. Guarded by this. */
    private long applicable;

    /** The scanner that holds the read point; null while no past is kept. Guarded by this. */
    private RegionScanner holder;

    /** Whether the region is closing, so that the scanner is kept until the close. Guarded by this. */
    private boolean isClosing;

    /**
     * Creates a history that keeps nothing yet.
     *
     * @param neededFrom returns the oldest read point at which a row must still be readable, {@link Long#MAX_VALUE} if
     *     there is none
     * @param smallestReadPoint returns the oldest read point of any scanner of the region
     * @param hasHBasesRules returns whether HBase's own rules decide which cells of the region are visible
     */
    RegionHistory(
            Region region, LongSupplier neededFrom, LongSupplier smallestReadPoint, BooleanSupplier hasHBasesRules) {
        this.region = region;
        this.neededFrom = neededFrom;
        this.smallestReadPoint = smallestReadPoint;
        this.hasHBasesRules = hasHBasesRules;
    }

    /** Records a cell that is in the memstore. Must be called before a flush can take its snapshot. */
    void applied(Cell cell, long sequence) {
        if (reveals(cell)) {
            revealed(sequence);
        }
    }

    /**
     * Records that there may be a tombstone that reveals older cells, at the given log sequence number or an earlier
     * one.
     */
    void revealed(long sequence) {
        newestRevealing.accumulateAndGet(sequence, Math::max);
    }

    /**
     * Returns whether a cell is a tombstone that reveals older cells: a tombstone of one version does; in a family with
     * NEW_VERSION_BEHAVIOR any does, for later puts; beside a coprocessor with other rules any may, since it may spare
     * an older cell.
     */
    private boolean reveals(Cell cell) {
        return switch (cell.getType()) {
            case Delete, DeleteFamilyVersion -> true;
            case DeleteColumn, DeleteFamily ->
                !hasHBasesRules.getAsBoolean()
                        || region.getTableDescriptor()
                                .getColumnFamily(CellUtil.cloneFamily(cell))
                                .isNewVersionBehavior();
            default -> false;
        };
    }

    /**
     * Returns whether a flush or compaction that begins now might drop a cell that a tombstone reveals, if it trims
     * versions.
     */
    synchronized boolean needsAllVersions() {
        return newestRevealing.get() > applicable;
    }

    /** Makes a flush or compaction that is about to begin keep all versions if {@link #needsAllVersions}. */
    void keepVersions(ScanOptions options) {
        if (needsAllVersions()) {
            options.readAllVersions();
        }
    }

    /**
     * Returns whether a compaction of some files of a family must keep all their cells, including tombstones. Readers
     * of the past that start later need none that is in a file now.
     */
    boolean needsAllOf(ColumnFamilyDescriptor family, Collection<? extends StoreFile> files) {
        long newest =
                files.stream().mapToLong(StoreFile::getMaxSequenceId).max().orElse(0);
        return family.isNewVersionBehavior() && neededFrom.getAsLong() < newest;
    }

    /**
     * Keeps the past until the region is closed: what is needed now, and what admitted writes will need that are not
     * applied yet. Must be called after admission is closed, and before the last flush, during which no scanner can be
     * opened.
     */
    synchronized void keepToTheEnd() throws IOException {
        isClosing = true;
        RegionScanner now = EmptyScan.open(region);
        if (neededFrom.getAsLong() < now.getMvccReadPoint()) {
            now.close();
            now = EmptyScan.open(region, neededFrom.getAsLong());
        }
        if (holder != null) {
            holder.close();
        }
        holder = now;
    }

    /**
     * Keeps the past of the rows whose changes are undelivered, and releases that of all others. Must be called before
     * a flush writes its files: every change in them has been admitted by then. Compactions need no call, since their
     * input files contain no past that was not kept when they were written. Has no effect once the region is closing.
     */
    synchronized void keep() throws IOException {
        if (isClosing) {
            return;
        }
        long readPoint = neededFrom.getAsLong();
        if (readPoint == Long.MAX_VALUE) {
            close();
            return;
        }
        RegionScanner before = holder;
        try {
            holder = EmptyScan.open(region, readPoint);
        } catch (NotServingRegionException closing) {
            return;
        }
        if (before != null) {
            before.close();
        }
    }

    /**
     * Releases the past if none of it is needed, unless the region is closing. Must be called after a flush or a
     * compaction: from then on, readers read no older past than what is read or needed now.
     */
    synchronized void forget() throws IOException {
        if (neededFrom.getAsLong() == Long.MAX_VALUE && !isClosing) {
            close();
        }
        // in this order: a write that becomes visible in between is later than the first, or in the second
        applicable = Math.min(smallestReadPoint.getAsLong(), neededFrom.getAsLong());
    }

    @Override
    public synchronized void close() throws IOException {
        if (holder != null) {
            holder.close();
            holder = null;
        }
    }
}
