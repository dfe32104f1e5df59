package org.diffindex.verify;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.tasks.KeyRange;

/**
 * The latest stamps of a base table's regions, each read once, at the first request for one of its rows. An entry with a
 * later stamp was written since then, or has a future stamp. Safe for use by many threads.
 */
final class StampHorizon {
    private final ScrubTables tables;

    /** The regions that were asked, by their first rows. Guarded by this. */
    private final NavigableMap<byte[], Asked> regions = new TreeMap<>(Bytes.BYTES_COMPARATOR);

    /** The rows and the latest stamp of a region when it was asked. */
    private record Asked(KeyRange rows, long latest) {}

    StampHorizon(ScrubTables tables) {
        this.tables = tables;
    }

    /** Returns the latest stamp of a base row's region; {@link Long#MAX_VALUE} if it is unknown. */
    synchronized long of(byte[] row) throws IOException {
        Map.Entry<byte[], Asked> asked = regions.floorEntry(row);
        if (asked != null && !asked.getValue().rows().endsBefore(row)) {
            return asked.getValue().latest();
        }
        KeyRange region = tables.baseRegionOf(row);
        long latest = tables.latestStamps(List.of(row))[0];
        regions.put(region.start(), new Asked(region, latest));
        return latest;
    }
}
