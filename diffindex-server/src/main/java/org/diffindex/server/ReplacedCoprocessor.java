package org.diffindex.server;

import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;

/**
 * Finds the coprocessor that one which starts replaces. If a change of the configuration names other coprocessors
 * ({@code update_config}), HBase makes new objects of all those of an open region, and neither stops the old ones nor
 * calls them again. So the new one must take over what the old one holds.
 */
final class ReplacedCoprocessor {
    private ReplacedCoprocessor() {}

    /** Returns the coprocessor of a class that is being replaced; null if the region is being opened. */
    static <C extends RegionCoprocessor> C of(Region region, Class<C> type) {
        RegionCoprocessorHost before = region instanceof HRegion opened ? opened.getCoprocessorHost() : null;
        return before == null ? null : before.findCoprocessor(type);
    }
}
