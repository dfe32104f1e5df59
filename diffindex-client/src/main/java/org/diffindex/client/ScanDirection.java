package org.diffindex.client;

import java.util.Comparator;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.EntryFormat;

/** The order in which a query reads keys. */
enum ScanDirection {
    /** From the least key to the greatest. */
    FORWARD {
        @Override
        Comparator<byte[]> order() {
            return Bytes.BYTES_COMPARATOR;
        }

        @Override
        Scan over(Scan scan, KeyRange range) {
            return scan.withStartRow(range.start()).withStopRow(range.stop());
        }

        @Override
        ScanView newView(EntryFormat format, UntoldEntries untold) {
            return new ForwardView(format, untold);
        }
    },

    /** From the greatest key to the least. */
    REVERSE {
        @Override
        Comparator<byte[]> order() {
            return DESCENDING;
        }

        @Override
        Scan over(Scan scan, KeyRange range) {
            boolean isOpen = range.stop().length == 0; // HBase then begins at the table's end
            return scan.setReversed(true).withStartRow(range.stop(), isOpen).withStopRow(range.start(), true);
        }

        @Override
        ScanView newView(EntryFormat format, UntoldEntries untold) {
            return new ReverseView(format, untold);
        }
    };

    private static final Comparator<byte[]> DESCENDING = Bytes.BYTES_COMPARATOR.reversed();

    /** Returns the order of keys: one that is read before another is less. */
    abstract Comparator<byte[]> order();

    /** Returns whether a key is read after another one. */
    boolean isBehind(byte[] key, byte[] other) {
        return order().compare(key, other) > 0;
    }

    /** Makes a scan read exactly a range, which is not empty, in this direction; returns the same scan. */
    abstract Scan over(Scan scan, KeyRange range);

    /** Returns a view, as {@link ScanView} describes it, of a scan in this direction that has met nothing yet. */
    abstract ScanView newView(EntryFormat format, UntoldEntries untold);
}
