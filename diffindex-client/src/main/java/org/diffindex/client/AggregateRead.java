package org.diffindex.client;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.diffindex.model.Aggregate;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.ReadPoint;

/**
 * Reads an {@link Aggregate} of the entries of a query: what the regions make of them, range by range, and then, as a scan of the
 * entries does, the entries that were put meanwhile into what was read first ({@link SecondLook}). HBase's client follows regions
 * that split, merge or move behind the last row that it was given, and each row stands for what lies before it.
 *
 * <p>Used by one thread.
 */
final class AggregateRead implements Closeable {
    /** Rows of a response, each of up to 100,000 entries, or a group of them. */
    private static final int CACHING = 1_000;

    /** Receives the rows of the responses. */
    interface Sink {
        /**
         * Receives a row, in which a region answers for the entries behind the row before it.
         *
         * @return whether more are wanted
         */
        boolean row(Result row) throws IOException;

        /** Receives an entry for which no row answers, because it was put behind the read. */
        void late(FoundEntry entry) throws IOException;
    }

    private final IndexDefinition definition;
    private final QueryBounds bounds;
    private final Aggregate aggregate;
    private final ReadMode mode;
    private final FailedReads failed;
    private final Table indexTable;
    private final QueryView view;
    private final List<ScanView.Read> readBefore = new ArrayList<>();

    /**
     * Creates a read, which makes no call yet.
     *
     * @param bounds what to read, in any direction
     * @param mode how it is read; not changed unless a read fails
     */
    AggregateRead(
            Connection connection,
            IndexDefinition definition,
            QueryBounds bounds,
            Aggregate aggregate,
            ReadMode mode,
            FailedReads failed)
            throws IOException {
        this.definition = definition;
        this.bounds = bounds.forward();
        this.aggregate = aggregate;
        this.mode = mode;
        this.failed = failed;
        this.indexTable = connection.getTable(definition.indexTable());
        this.view = new QueryView(this.bounds, definition.entryFormat(), failed, 0); // rows are no entries to remember
    }

    /**
     * Reads.
     *
     * @return false if the scheme of the index changed meanwhile: the mode is careful now, and what the sink received of no use
     */
    boolean into(Sink sink) throws IOException {
        try {
            return !readRanges(sink) || !mode.looksTwice() || lookAgain(sink);
        } catch (IOException e) {
            if (mode.isChangedBy(e, false)) {
                return false;
            }
            throw failed.exceptionFor(e);
        }
    }

    /** Returns whether all of the ranges were read. */
    private boolean readRanges(Sink sink) throws IOException {
        List<KeyRange> ranges = bounds.ranges();
        for (int i = 0; i < ranges.size(); i++) {
            if (!readRange(ranges.get(i), view.of(i), i + 1 == ranges.size(), sink)) {
                return false;
            }
        }
        return true;
    }

    private boolean readRange(KeyRange range, ScanView met, boolean isLast, Sink sink) throws IOException {
        Scan scan = ReadPoint.askFor(
                mode.mark(ScanDirection.FORWARD.over(IndexReader.newScan(definition, CACHING), range)));
        scan.setScanMetricsEnabled(mode.looksTwice());
        try (ResultScanner scanner = indexTable.getScanner(Aggregate.askFor(scan, aggregate))) {
            for (Result row = scanner.next(); row != null; row = scanner.next()) {
                met.met(row, IndexReader.foundIn(row, definition));
                if (!sink.row(row)) {
                    return false;
                }
            }
            met.ends();
            ScanMetrics metrics = scanner.getScanMetrics();
            long opened = metrics == null ? 0 : metrics.countOfRegions.get();
            readBefore.addAll(met.readBefore(range, opened, isLast));
            return true;
        }
    }

    /** Returns whether the scheme stayed the same; the second look reads on if it does not. */
    private boolean lookAgain(Sink sink) throws IOException {
        boolean isCareful = mode.checksAll();
        try (SecondLook second = new SecondLook(new Read(), view, definition, indexTable, CACHING, mode, failed)) {
            for (FoundEntry entry = second.next(); entry != null; entry = second.next()) {
                sink.late(entry);
            }
        }
        return mode.checksAll() == isCareful;
    }

    /** What this read has read, of which nothing is left. */
    private final class Read implements FirstLook {
        @Override
        public FoundEntry next() {
            return null;
        }

        @Override
        public List<ScanView.Read> readBefore() {
            return readBefore;
        }

        @Override
        public void close() {}
    }

    @Override
    public void close() throws IOException {
        indexTable.close();
    }
}
