package org.diffindex.client;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.KeyOrder;
import org.diffindex.model.ReadPoint;

/**
 * Returns the entries of a scan. If the index has every acknowledged write, they are followed by those that were put meanwhile
 * into ranges that the scan had already read. Without the latter, a row that moves from a region ahead of the scan to one
 * behind it would be missed if its old entry is deleted in time: the one region is read after the move, the other was read
 * before it. The same applies to the ranges before and after the position at which a scanner was lost and reopened, and to
 * the ranges of an IN, which are read one after the other.
 *
 * <p>An entry at a key that the scan has met is not returned again, even if the row has been written since. A range
 * within one region is read at one read point, unless its scanner is lost, and costs nothing more. The second look reads
 * forwards, whatever the direction of the scan.
 */
final class SecondLook implements EntrySource {
    private final FirstLook first;
    private final QueryView view;
    private final IndexDefinition definition;
    private final Table index;
    private final int caching;
    private final ReadMode mode;
    private final FailedReads failed;
    private final Deque<FoundEntry> late = new ArrayDeque<>();

    /** The ranges still to be read again; null until the first scan is over. */
    private Deque<ScanView.Read> reads;

    private ResultScanner scanner;

    /** The range that the scanner reads. */
    private ScanView.Read range;

    /** The last key that it has read; null if there is none. */
    private byte[] last;

    private final List<Result> read = new ArrayList<>();

    /**
     * Creates a source that closes the reader, but not the table.
     *
     * @param mode tells, when the first scan is over, whether to look again
     * @param failed decides whether a failed read means that the index was dropped
     */
    SecondLook(
            FirstLook first,
            QueryView view,
            IndexDefinition definition,
            Table index,
            int caching,
            ReadMode mode,
            FailedReads failed) {
        this.first = first;
        this.view = view;
        this.definition = definition;
        this.index = index;
        this.caching = caching;
        this.mode = mode;
        this.failed = failed;
    }

    @Override
    public FoundEntry next() throws IOException {
        if (reads == null) {
            FoundEntry found = first.next();
            if (found != null) {
                return found;
            }
            reads = new ArrayDeque<>(mode.looksTwice() ? first.readBefore() : List.of());
        }
        while (late.isEmpty() && (!read.isEmpty() || scanner != null || !reads.isEmpty())) {
            try {
                if (read.isEmpty() && scanner == null) {
                    scanner = index.getScanner(scan(reads.peek()));
                    range = reads.remove();
                    last = null;
                }
                fetch();
            } catch (IOException e) {
                if (!mode.isChangedBy(e, true)) {
                    throw failed.exceptionFor(e);
                }
                readOn();
            }
        }
        return late.poll();
    }

    /** Reads the rest of the range with another scanner. */
    private void readOn() {
        if (scanner != null) {
            scanner.close();
            scanner = null;
            byte[] start = last == null ? range.start() : KeyOrder.firstAfter(last);
            if (last == null || start.length > 0) {
                reads.addFirst(new ScanView.Read(start, range.stop(), range.point()));
            }
        }
    }

    private Scan scan(ScanView.Read read) {
        KeyRange keys = new KeyRange(read.start(), read.stop());
        Scan scan = mode.mark(ScanDirection.FORWARD.over(IndexReader.newScan(definition, caching), keys));
        read.point().ifPresent(point -> ReadPoint.since(scan, point));
        return scan;
    }

    /** Fetches a page of the entries put since, except those that the scan has met under the same key. */
    private void fetch() throws IOException {
        while (scanner != null && read.size() < caching) {
            Result row = scanner.next();
            if (row == null) {
                scanner.close();
                scanner = null;
            } else {
                read.add(row);
                last = row.getRow();
            }
        }
        List<byte[]> keys = new ArrayList<>(read.size());
        for (Result row : read) {
            keys.add(row.getRow());
        }
        Map<ByteBuffer, FoundEntry> met = view.at(keys, index);
        for (Result row : read) {
            if (!met.containsKey(ByteBuffer.wrap(row.getRow()))) {
                late.add(IndexReader.foundIn(row, definition).asLate());
            }
        }
        read.clear();
    }

    @Override
    public void close() throws IOException {
        if (scanner != null) {
            scanner.close();
        }
        first.close();
    }
}
