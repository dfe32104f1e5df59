package org.diffindex.server;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.protocol.DiffIndexProtos.CheckRequest;
import org.diffindex.protocol.DiffIndexProtos.FillRequest;
import org.diffindex.protocol.DiffIndexProtos.RepairRequest;
import org.diffindex.protocol.DiffIndexProtos.ReportStaleRequest;
import org.diffindex.server.maintain.IndexMaintainer;
import org.diffindex.server.maintain.RegionMaintainers;

/**
 * Finds the index of a region that a request names by name and id, so that a late request for a dropped index never
 * reaches another one of the same name.
 */
final class NamedIndex {
    private NamedIndex() {}

    /**
     * Returns the index to be backfilled.
     *
     * @throws DoNotRetryIOException if the region's index of that name has another id
     * @throws IOException if the region does not know the index yet, or does not contain the first row; the caller may
     *     retry
     */
    static IndexMaintainer toBackfill(RegionInfo region, RegionMaintainers maintainers, FillRequest request)
            throws IOException {
        if (request.hasStartRow() && !region.containsRow(request.getStartRow().toByteArray())) {
            throw new IOException("Row '"
                    + Bytes.toStringBinary(request.getStartRow().toByteArray())
                    + "' is not in region " + region.getRegionNameAsString() + "; nothing was backfilled");
        }
        return find(region, maintainers, request.getIndex(), request.hasIndexId(), request.getIndexId())
                .orElseThrow(() -> new IOException("Index " + request.getIndex() + " is not defined on "
                        + region.getTable() + " as this region was opened with; nothing was backfilled"));
    }

    /**
     * Returns the index to be repaired.
     *
     * @throws DoNotRetryIOException if the region has no such index
     */
    static IndexMaintainer toRepair(RegionInfo region, RegionMaintainers maintainers, RepairRequest request)
            throws DoNotRetryIOException {
        return find(region, maintainers, request.getIndex(), request.hasIndexId(), request.getIndexId())
                .orElseThrow(() -> new DoNotRetryIOException("Index " + request.getIndex() + " is not defined on "
                        + region.getTable() + "; nothing was repaired"));
    }

    /**
     * Returns the index whose stale entries are reported.
     *
     * @throws DoNotRetryIOException if the region has no such index
     */
    static IndexMaintainer toCleanUp(RegionInfo region, RegionMaintainers maintainers, ReportStaleRequest request)
            throws DoNotRetryIOException {
        return find(region, maintainers, request.getIndex(), request.hasIndexId(), request.getIndexId())
                .orElseThrow(() -> new DoNotRetryIOException("Index " + request.getIndex() + " is not defined on "
                        + region.getTable() + "; nothing is cleaned up"));
    }

    /**
     * Returns the index whose entries are to be checked.
     *
     * @throws DoNotRetryIOException if the region has no such index
     */
    static IndexMaintainer toCheck(RegionInfo region, RegionMaintainers maintainers, CheckRequest request)
            throws DoNotRetryIOException {
        return find(region, maintainers, request.getIndex(), request.hasIndexId(), request.getIndexId())
                .orElseThrow(() -> new DoNotRetryIOException("Index " + request.getIndex() + " is not defined on "
                        + region.getTable() + "; none of its entries was checked"));
    }

    private static Optional<IndexMaintainer> find(
            RegionInfo region, RegionMaintainers maintainers, String name, boolean hasId, String id)
            throws DoNotRetryIOException {
        if (!hasId) {
            throw new DoNotRetryIOException("The request for index " + name
                    + " does not say which index of that name it means; its client has an older version of Diff-Index,"
                    + " use the servers' version. Nothing was changed");
        }
        Optional<IndexMaintainer> found = maintainers.all().stream()
                .filter(each -> each.definition().name().equals(name))
                .findFirst();
        if (found.isPresent() && !found.get().definition().id().equals(id)) {
            throw new DoNotRetryIOException("Index " + name + " on "
                    + region.getTable()
                    + " was dropped and created again since it was looked up; nothing was changed");
        }
        return found;
    }
}
