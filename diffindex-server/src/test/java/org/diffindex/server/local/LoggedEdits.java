package org.diffindex.server.local;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.regionserver.wal.WALActionsListener;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WAL;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALFactory;
import org.apache.hadoop.hbase.wal.WALKey;
import org.apache.hadoop.hbase.wal.WALStreamReader;

/** Counts the edits of rows that a server logs, by the encoded names of their regions. Thread-safe. */
public final class LoggedEdits implements WALActionsListener {
    private final Set<WAL> wals = new HashSet<>();
    private final Map<String, Long> edits = new TreeMap<>();

    public synchronized void listenTo(WAL wal) {
        if (wals.add(wal)) {
            wal.registerWALActionsListener(this);
        }
    }

    @Override
    public synchronized void visitLogEntryBeforeWrite(RegionInfo region, WALKey key, WALEdit edit) {
        count(edits, key, edit);
    }

    private static void count(Map<String, Long> edits, WALKey key, WALEdit edit) {
        if (!edit.isMetaEdit()) {
            edits.merge(Bytes.toString(key.getEncodedRegionName()), 1L, Long::sum);
        }
    }

    public synchronized Map<String, Long> byRegion() {
        return Map.copyOf(edits);
    }

    /** Counts the edits in recovered files. A missing file has none, as for a region that opens. */
    public static Map<String, Long> in(List<Path> recovered, FileSystem files, WALFactory wals) throws IOException {
        Map<String, Long> edits = new TreeMap<>();
        for (Path file : recovered) {
            if (file != null && files.exists(file)) {
                try (WALStreamReader reader = wals.createStreamReader(files, file)) {
                    for (WAL.Entry entry = reader.next(); entry != null; entry = reader.next()) {
                        count(edits, entry.getKey(), entry.getEdit());
                    }
                }
            }
        }
        return edits;
    }
}
