package org.diffindex.server.deliver;

import org.apache.hadoop.hbase.HRegionLocation;

/** An update, and the region that contains its entry. */
record LocatedUpdate(IndexUpdate update, HRegionLocation location) {
    String region() {
        return location.getRegion().getEncodedName();
    }
}
