package org.diffindex.server.sim;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.CellComparatorImpl;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKeyImpl;

/** The durable state of one region: its files, and the WAL entries that are not archived. */
final class StoreFiles {
    /**
     * A file of the region.
     *
     * @param parent the region that a reference refers to; null if the file is not a reference
     */
    record File(List<KeyValue> cells, long newestTimestamp, RegionInfo parent) {
        static File of(List<KeyValue> cells) {
            return of(cells, null);
        }

        private static File of(List<KeyValue> cells, RegionInfo parent) {
            return new File(
                    cells,
                    cells.stream().mapToLong(KeyValue::getTimestamp).max().orElse(0),
                    parent);
        }

        /** Returns the path as HBase names it: a reference is named after its file and the region that it refers to. */
        Path path() {
            String folder = "sim:///hbase/data/default/flights/region/f/";
            return new Path(folder + "0123456789abcdef" + (parent == null ? "" : "." + parent.getEncodedName()));
        }
    }

    /** An entry of the WAL. */
    record Logged(WALKeyImpl key, WALEdit edit) {
        long sequence() {
            return key.getSequenceId();
        }
    }

    final RegionInfo info;
    final List<File> files = new ArrayList<>();
    final List<Logged> wal = new ArrayList<>();

    /** All writes up to this sequence number are in the files. */
    long flushedTo;

    /** The region in memory; null while it is closed. */
    OpenRegion open;

    /** The region in memory on the server whose session ended last while it was open there; null if there is none. */
    OpenRegion former;

    /** Whether the master is about to open it. */
    boolean assigning;

    /** The bound on timestamps of its rows, whatever region they are in. */
    final TimeBound times;

    StoreFiles(RegionInfo info) {
        this(info, new TimeBound());
    }

    private StoreFiles(RegionInfo info, TimeBound times) {
        this.info = info;
        this.times = times;
    }

    /** Logs a put with a client's timestamp before the table has an index, as if the server crashed then. */
    void logWithoutIndex(String row, byte[] qualifier, long time, byte[] value) {
        long sequence = wal.size() + 1L;
        WALKeyImpl key = new WALKeyImpl(
                info.getEncodedNameAsBytes(), info.getTable(), sequence, 0, HConstants.DEFAULT_CLUSTER_ID);
        KeyValue cell = new KeyValue(Bytes.toBytes(row), Versions.FAMILY, qualifier, time, value);
        cell.setSequenceId(sequence);
        wal.add(new Logged(key, new WALEdit().add(cell)));
    }

    /** Returns the cells in some files. */
    static List<KeyValue> cells(List<File> files) {
        List<KeyValue> cells = new ArrayList<>();
        files.forEach(file -> cells.addAll(file.cells()));
        return cells;
    }

    /** Returns the cells that a replay of the WAL leads to. */
    List<KeyValue> recovered() {
        List<KeyValue> cells = cells(files);
        wal.stream()
                .filter(entry -> entry.sequence() > flushedTo)
                .flatMap(entry -> entry.edit().getCells().stream())
                .forEach(cell -> remember((KeyValue) cell, cells));
        return cells;
    }

    /**
     * Adds a cell to others. Of cells that a batch writes at the same coordinates and timestamp the last remains, as in
     * HBase.
     */
    static void remember(KeyValue cell, List<KeyValue> cells) {
        cells.removeIf(other -> CellComparatorImpl.COMPARATOR.compare(other, cell) == 0);
        cells.add(cell);
    }

    /** Returns the half of this region's files that a daughter sees. */
    StoreFiles daughter(RegionInfo half) {
        StoreFiles daughter = new StoreFiles(half, times);
        daughter.flushedTo = flushedTo;
        for (File file : files) {
            daughter.files.add(File.of(
                    file.cells().stream()
                            .filter(cell -> half.containsRow(CellUtil.cloneRow(cell)))
                            .toList(),
                    info));
        }
        return daughter;
    }
}
