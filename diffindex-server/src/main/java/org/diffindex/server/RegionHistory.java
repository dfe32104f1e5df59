package org.diffindex.server;

import java.io.Closeable;
import java.io.IOException;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicLong;
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
 * Keeps the past of a region's rows readable, by what HBase does for a scanner that takes long: a scanner that is never
 * read holds a read point, and as long as it does, flushes and compactions write all that can be seen at that point or a
 * later one. They keep versions, tombstones and what these hide, puts that a client has overwritten at their own
 * timestamp, and the sequence numbers, by which the past is told from the present.
 *
 * <p>But for a scanner's sake they leave a tombstone alone that is newer than the scanner, and still count what it hides
 * among the versions to be kept: what it lets be seen may go (MajorCompactionScanQueryMatcher of HBase 2.6.1). So while
 * there is such a tombstone no version is to be trimmed.
 *
 * <p>And in a family with NEW_VERSION_BEHAVIOR a compaction that may drop tombstones also drops, whatever scanners there are,
 * each put with the column and the timestamp of a later one, and counts later ones among the versions to be kept
 * (NewVersionBehaviorTracker). One that must keep the tombstones keeps all there is.
 *
 * <p>Safe for use by many threads.
 */
final class RegionHistory implements Closeable {
    private final Region region;
    private final LongSupplier neededFrom;
    private final LongSupplier smallestReadPoint;

    /** The sequence number of the newest tombstone that lets older cells be seen. */
    private final AtomicLong newestRevealing = new AtomicLong();

    /** A flush or compaction that begins now applies all tombstones up to this sequence number. Guarded by this. */
    private long applicable;

    /** Null while no past is kept. Guarded by this. */
    private RegionScanner holder;

    /** Whether the scanner held now is held until the region is closed. Guarded by this. */
    private boolean isClosing;

    /**
     * Keeps nothing yet.
     *
     * @param neededFrom tells the oldest read point at which a row is still to be read, {@link Long#MAX_VALUE} if none is
     * @param smallestReadPoint tells the oldest read point that a scanner of the region has
     */
    RegionHistory(Region region, LongSupplier neededFrom, LongSupplier smallestReadPoint) {
        this.region = region;
        this.neededFrom = neededFrom;
        this.smallestReadPoint = smallestReadPoint;
    }

    /** A cell is in the memstore. To be told before a flush can take its snapshot. */
    void applied(Cell cell, long sequence) {
        if (reveals(cell)) {
            revealed(sequence);
        }
    }

    /** There may be a tombstone that lets older cells be seen, with that sequence number or an earlier one. */
    void revealed(long sequence) {
        newestRevealing.accumulateAndGet(sequence, Math::max);
    }

    /** A tombstone of one version does; in a family with NEW_VERSION_BEHAVIOR any does, for what is put after it. */
    private boolean reveals(Cell cell) {
        return switch (cell.getType()) {
            case Delete, DeleteFamilyVersion -> true;
            case DeleteColumn, DeleteFamily ->
                region.getTableDescriptor()
                        .getColumnFamily(CellUtil.cloneFamily(cell))
                        .isNewVersionBehavior();
            default -> false;
        };
    }

    /** Whether a flush or compaction that is about to begin might drop what a tombstone lets be seen, if it trims versions. */
    synchronized boolean needsAllVersions() {
        return newestRevealing.get() > applicable;
    }

    /** Makes a flush or compaction that is about to begin keep all versions, if {@link #needsAllVersions}. */
    void keepVersions(ScanOptions options) {
        if (needsAllVersions()) {
            options.readAllVersions();
        }
    }

    /**
     * Whether a compaction of some files of a family must keep all there is in them, tombstones too. What needs the past later needs
     * none that is in a file now.
     */
    boolean needsAllOf(ColumnFamilyDescriptor family, Collection<? extends StoreFile> files) {
        long newest =
                files.stream().mapToLong(StoreFile::getMaxSequenceId).max().orElse(0);
        return family.isNewVersionBehavior() && neededFrom.getAsLong() < newest;
    }

    /**
     * Before the region closes, when no write is let in any more: keeps what is needed now, and what those will need that are
     * inside and have not been applied, until the region is closed. The last flush comes when no scanner can be opened.
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
     * Keeps the past of the rows whose changes are undelivered, from now on, and releases that of all others. Before a flush writes its
     * files: every change that these may hold has been admitted by then. A compaction needs no call, since its files hold no past that
     * was not kept when they were written. Has no effect once the region is closing.
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
     * Releases the past if none of it is needed. After a flush or a compaction: a reader of the past reads from now on no older past than
     * what is read or needed now.
     */
    synchronized void forget() throws IOException {
        long needed = neededFrom.getAsLong();
        if (needed == Long.MAX_VALUE && !isClosing) {
            close();
        }
        applicable = Math.min(needed, smallestReadPoint.getAsLong());
    }

    @Override
    public synchronized void close() throws IOException {
        if (holder != null) {
            holder.close();
            holder = null;
        }
    }
}
