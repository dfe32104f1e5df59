package org.diffindex.tasks;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;

/** The regions of a table, without their replicas. */
public final class Regions {
    private Regions() {}

    /**
     * Returns where the regions of a table are, in the order of their keys. HBase's client returns, besides them, their
     * replicas, and null for a replica that has no server yet, such as one of a daughter of a split.
     */
    public static List<HRegionLocation> of(RegionLocator locator) throws IOException {
        return locator.getAllRegionLocations().stream()
                .filter(Regions::isNoReplica)
                .toList();
    }

    private static boolean isNoReplica(HRegionLocation location) {
        return location != null && location.getRegion().getReplicaId() == RegionInfo.DEFAULT_REPLICA_ID;
    }
}
