package org.diffindex.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.model.IndexDefinition;

/**
 * Reads the ranges of a query one after the other, each with a scan of its own, and returns what the index table holds,
 * including stale entries.
 */
final class RangesReader implements FirstLook {
    private final IndexDefinition definition;
    private final Table indexTable;
    private final IndexQuery query;
    private final List<KeyRange> ranges;
    private final QueryView view;
    private final ReadMode mode;
    private final FailedReads failed;

    /** How often the scans of the ranges before the present one have opened a region. */
    private final List<Long> opened = new ArrayList<>();

    /** The reader of the present range, that at the position of the size of {@link #opened}. */
    private IndexReader reader;

    /** How many entries were returned. */
    private long returned;

    /**
     * Creates a reader of an index table, which it does not close. Makes no call.
     *
     * @param bounds not empty
     * @param view is told what the scans meet
     * @param mode how the query reads
     * @param failed decides whether a failed read means that the index was dropped
     */
    RangesReader(
            IndexDefinition definition,
            Table indexTable,
            IndexQuery query,
            QueryBounds bounds,
            QueryView view,
            ReadMode mode,
            FailedReads failed) {
        this.definition = definition;
        this.indexTable = indexTable;
        this.query = query;
        this.ranges = bounds.ranges();
        this.view = view;
        this.mode = mode;
        this.failed = failed;
        this.reader = readerOf(0);
    }

    private IndexReader readerOf(int position) {
        long left = query.limit() > returned ? query.limit() - returned : Long.MAX_VALUE; // some entries were stale
        return new IndexReader(
                definition, indexTable, query, ranges.get(position), left, view.of(position), mode, failed);
    }

    @Override
    public FoundEntry next() throws IOException {
        FoundEntry found = reader.next();
        while (found == null && opened.size() + 1 < ranges.size()) {
            opened.add(reader.openedRegions());
            reader.close();
            reader = readerOf(opened.size());
            found = reader.next();
        }
        if (found != null) {
            returned++;
        }
        return found;
    }

    @Override
    public List<ScanView.Read> readBefore() {
        List<ScanView.Read> reads = new ArrayList<>();
        for (int i = 0; i < opened.size(); i++) {
            reads.addAll(view.of(i).readBefore(ranges.get(i), opened.get(i), false));
        }
        int last = opened.size();
        reads.addAll(view.of(last).readBefore(ranges.get(last), reader.openedRegions(), true));
        return reads;
    }

    @Override
    public void close() {
        reader.close();
    }
}
