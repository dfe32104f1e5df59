package org.diffindex.server;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.diffindex.protocol.DiffIndexProtos.ReportStaleRequest;
import org.diffindex.server.maintain.IndexMaintainer;
import org.diffindex.server.maintain.RegionMaintainers;
import org.diffindex.server.metrics.IndexCounters;
import org.diffindex.server.queue.DeliveryStats;

/**
 * The stale entries of the rows of one region, from the moment when somebody knows of them until {@link StaleReports}
 * hands them to {@link StaleCleanup}: those that readers have found, and those that the region's own writes leave.
 *
 * <p>A write tells of an entry if the row memory knows what the row showed before. Others are left to readers: the
 * schemes that leave stale entries do so to save the read of the row. Whoever tells of an entry, and whatever becomes of
 * it, no promise depends on it; it may be dropped at any time.
 *
 * <p>Thread-safe.
 */
final class StaleEntries {
    /** The maximum number of stale entries that one call reports. */
    private static final int MOST_REPORTED = 10_000;

    private final RegionInfo region;
    private final RegionMaintainers maintainers;
    private final StaleReports reports;
    private final DeliveryStats stats;

    /** One cleanup for each index that leaves stale entries; the server merges reports for the same cleanup. */
    private final Map<IndexMaintainer, StaleCleanup> cleanups;

    /**
     * Creates an object that knows of no entries.
     *
     * @param parts what the cleanups read and write
     * @param reports the server's reports
     * @param stats counts the entries
     */
    StaleEntries(DirectWrites parts, StaleReports reports, DeliveryStats stats) {
        this.region = parts.region().getRegionInfo();
        this.maintainers = parts.maintainers();
        this.reports = reports;
        this.stats = stats;
        this.cleanups = maintainers.all().stream()
                .filter(StaleEntries::areLeftBy)
                .collect(Collectors.toUnmodifiableMap(
                        maintainer -> maintainer,
                        maintainer -> new StaleCleanup(parts, maintainer, countersOf(maintainer))));
    }

    private IndexCounters countersOf(IndexMaintainer maintainer) {
        return stats.of(maintainer.definition().indexTable());
    }

    private static boolean areLeftBy(IndexMaintainer maintainer) {
        return maintainer.definition().scheme().leavesStaleEntries();
    }

    /**
     * Accepts the reports of a reader; returns how many of them are waiting for the cleanup.
     *
     * @throws DoNotRetryIOException if there are too many, or the region has no such index
     */
    int reported(ReportStaleRequest request) throws IOException {
        if (request.getEntriesCount() > MOST_REPORTED) {
            throw new DoNotRetryIOException("One call reports up to " + MOST_REPORTED + " stale entries, not "
                    + request.getEntriesCount() + "; none was looked at");
        }
        IndexMaintainer maintainer = NamedIndex.toCleanUp(region, maintainers, request);
        if (!areLeftBy(maintainer)) {
            throw new DoNotRetryIOException("Index " + request.getIndex() + " is "
                    + maintainer.definition().scheme() + ": none of its entries is left to readers to be found stale");
        }
        List<StaleEntry> entries = request.getEntriesList().stream()
                .map(entry -> new StaleEntry(
                        entry.getRow().toByteArray(), entry.getKey().toByteArray(), entry.getStamp(), false))
                .toList();
        countersOf(maintainer).staleReported.add(entries.size());
        return reports.add(cleanups.get(maintainer), entries);
    }

    /** Reports entries that writes have left which are in all indexes. */
    void replaced(List<RegionMaintainers.Replaced> entries) {
        for (RegionMaintainers.Replaced entry : entries) {
            reports.add(
                    cleanups.get(entry.index()),
                    List.of(new StaleEntry(entry.row(), entry.key(), entry.stamp(), true)));
        }
    }
}
