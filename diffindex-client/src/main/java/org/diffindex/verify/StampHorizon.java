package org.diffindex.verify;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The latest stamps of a base table's regions, read once, at the first request. An entry with a later stamp was written
 * since then, or has a future stamp. Safe for use by many threads.
 */
final class StampHorizon {
    private final ScrubTables tables;

    /** By the first row of each region at that time; empty until the first request. Guarded by this. */
    private final NavigableMap<byte[], Long> latest = new TreeMap<>(Bytes.BYTES_COMPARATOR);

    StampHorizon(ScrubTables tables) {
        this.tables = tables;
    }

    /** Returns the latest stamp of a base row's region; {@link Long#MAX_VALUE} if it is unknown. */
    synchronized long of(byte[] row) throws IOException {
        if (latest.isEmpty()) {
            List<byte[]> starts =
                    tables.baseRanges().stream().map(ScrubRange::start).toList();
            long[] stamps = tables.latestStamps(starts);
            for (int i = 0; i < stamps.length; i++) {
                latest.put(starts.get(i), stamps[i]);
            }
        }
        Map.Entry<byte[], Long> region = latest.floorEntry(row);
        return region == null ? Long.MAX_VALUE : region.getValue();
    }
}
