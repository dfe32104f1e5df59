package org.diffindex.server;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.ScannerContext;
import org.apache.hadoop.hbase.regionserver.ScannerContext.LimitScope;
import org.apache.hadoop.hbase.regionserver.Shipper;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.diffindex.model.Aggregate;

/**
 * The scanner of an index region for a scan that asks for an {@link Aggregate}: it reads the entries of another scanner, which
 * decides what is visible to the caller, and returns what they come to.
 *
 * <p>It reads in steps of at most {@value #MOST_ENTRIES} entries and about {@value #LONGEST_MS} ms, and returns the rows of each.
 * HBase's server ends a call between two rows, so that a call takes no more than one step longer than any other scan's.
 *
 * <p>Used as HBase uses scanners: by one handler at a time, which synchronizes on the scanner.
 */
final class AggregateScanner implements RegionScanner {
    static final int MOST_ENTRIES = 100_000;

    private static final long LONGEST_MS = 250;

    /** How many entries are read between two looks at the clock. */
    private static final int LOOK_EVERY = 256;

    private final RegionScanner entries;
    private final EntrySummary summary;

    /** The user who has opened the scanner; empty outside of a call. HBase's access control knows the other scanner only. */
    private final Optional<String> owner = RpcServer.getRequestUserName();

    private final Deque<Cell> ready = new ArrayDeque<>();
    private boolean hasMore = true;

    /** The key of the last entry of the step before; null if there is none. */
    private byte[] lastKey;

    /** Reads the next row of the other scanner; returns whether there is another one. */
    @FunctionalInterface
    private interface NextRow {
        boolean read(List<Cell> row, ScannerContext limits) throws IOException;
    }

    private AggregateScanner(RegionScanner entries, EntrySummary summary) {
        this.entries = entries;
        this.summary = summary;
    }

    /**
     * Returns the scanner that answers a scan.
     *
     * @param entries the scanner that HBase has opened for it
     */
    static RegionScanner answering(Scan scan, RegionScanner entries) throws DoNotRetryIOException {
        return requireKnown(scan)
                .<RegionScanner>map(aggregate -> new AggregateScanner(entries, summaryOf(aggregate)))
                .orElse(entries);
    }

    /**
     * Returns the aggregate that a scan asks for; empty if it asks for entries.
     *
     * @throws DoNotRetryIOException if this build does not know it
     */
    static Optional<Aggregate> requireKnown(Scan scan) throws DoNotRetryIOException {
        try {
            return Aggregate.of(scan);
        } catch (RuntimeException e) { // HBase would end the region server
            throw new DoNotRetryIOException(
                    "Nothing was read: the scan asks for something in place of the entries that this region server's build"
                            + " of Diff-Index does not know; use a client of the same build, or upgrade the region servers: "
                            + e,
                    e);
        }
    }

    private static EntrySummary summaryOf(Aggregate aggregate) {
        return aggregate instanceof Aggregate.Newest newest
                ? new NewestSummary(newest.most())
                : new CountSummary(((Aggregate.Count) aggregate).groupedBy());
    }

    @Override
    public boolean nextRaw(List<Cell> row, ScannerContext limits) throws IOException {
        return next(row, entries::nextRaw);
    }

    @Override
    public boolean nextRaw(List<Cell> row) throws IOException {
        return next(row, entries::nextRaw);
    }

    @Override
    public boolean next(List<Cell> row, ScannerContext limits) throws IOException {
        return next(row, entries::next);
    }

    private boolean next(List<Cell> row, NextRow next) throws IOException {
        requireOwner();
        if (ready.isEmpty() && hasMore) {
            step(next);
        }
        if (!ready.isEmpty()) {
            row.add(ready.remove());
        }
        return hasMore || !ready.isEmpty();
    }

    private void step(NextRow next) throws IOException {
        long end = EnvironmentEdgeManager.currentTime() + LONGEST_MS;
        ScannerContext limits = ScannerContext.newBuilder()
                .setTimeLimit(LimitScope.BETWEEN_CELLS, end)
                .build();
        List<Cell> row = new ArrayList<>(1);
        Cell last = null;
        boolean isOver = false;
        for (int i = 1; hasMore && !isOver && !summary.isFull(); i++) {
            row.clear();
            hasMore = next.read(row, limits);
            if (!row.isEmpty() && (last != null || !isLastOfStepBefore(row.get(0)))) {
                last = row.get(0);
                summary.add(last);
            }
            isOver = i >= MOST_ENTRIES
                    || ((i % LOOK_EVERY == 0 || row.isEmpty()) && EnvironmentEdgeManager.currentTime() >= end);
        }
        ready.addAll(summary.take());
        lastKey = last == null ? lastKey : CellUtil.cloneRow(last);
        if (entries instanceof Shipper shipper) {
            shipper.shipped(); // no cell of the step is used any more
        }
    }

    /** Returns whether HBase has ended the step before within the row of its last entry, because the time was up. */
    private boolean isLastOfStepBefore(Cell cell) {
        return lastKey != null && CellUtil.matchingRows(cell, lastKey);
    }

    private void requireOwner() throws AccessDeniedException {
        Optional<String> caller = RpcServer.getRequestUserName();
        if (owner.isPresent() && caller.isPresent() && !owner.equals(caller)) {
            throw new AccessDeniedException("User " + caller.get() + " has not opened this scanner; nothing was read");
        }
    }

    @Override
    public RegionInfo getRegionInfo() {
        return entries.getRegionInfo();
    }

    @Override
    public boolean isFilterDone() throws IOException {
        return ready.isEmpty() && entries.isFilterDone();
    }

    @Override
    public boolean reseek(byte[] row) throws IOException {
        ready.removeIf(cell -> Bytes.compareTo(CellUtil.cloneRow(cell), row) < 0);
        return entries.reseek(row);
    }

    @Override
    public long getMaxResultSize() {
        return entries.getMaxResultSize();
    }

    @Override
    public long getMvccReadPoint() {
        return entries.getMvccReadPoint();
    }

    @Override
    public int getBatch() {
        return entries.getBatch();
    }

    @Override
    public String getOperationId() {
        return entries.getOperationId();
    }

    @Override
    public void close() throws IOException {
        entries.close();
    }
}
