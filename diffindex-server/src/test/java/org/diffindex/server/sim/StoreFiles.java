package org.diffindex.server.sim;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKeyImpl;

/** What is durable of one region: its files, and the WAL entries that are not archived. */
final class StoreFiles {
    /** A file of the region. */
    record File(List<KeyValue> cells, long newestTimestamp) {
        static File of(List<KeyValue> cells) {
            return new File(
                    cells,
                    cells.stream().mapToLong(KeyValue::getTimestamp).max().orElse(0));
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

    /** All with this sequence number or a smaller one is in the files. */
    long flushedTo;

    /** The region in memory, while it is open. */
    OpenRegion open;

    /** The master is about to have it opened. */
    boolean assigning;

    StoreFiles(RegionInfo info) {
        this.info = info;
    }

    List<KeyValue> cells() {
        List<KeyValue> cells = new ArrayList<>();
        files.forEach(file -> cells.addAll(file.cells()));
        return cells;
    }

    /** The half of this region's files that a daughter sees. */
    StoreFiles daughter(RegionInfo half) {
        StoreFiles daughter = new StoreFiles(half);
        daughter.flushedTo = flushedTo;
        for (File file : files) {
            daughter.files.add(File.of(file.cells().stream()
                    .filter(cell -> half.containsRow(CellUtil.cloneRow(cell)))
                    .toList()));
        }
        return daughter;
    }
}
