package org.diffindex.server;

import java.util.Set;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;

/**
 * The coprocessors of an open region, other than Diff-Index's, that may hide cells from some reads, or drop cells from
 * the region's files: those that override a hook by which they could. Thread-safe.
 */
final class HidingCoprocessors {
    /** The hooks of a {@link RegionObserver} by which it can change what a row shows without a write of the row. */
    private static final Set<String> HOOKS = Set.of(
            "preGetOp",
            "postGetOp",
            "preStoreScannerOpen",
            "postInstantiateDeleteTracker",
            "preStoreFileReaderOpen",
            "postStoreFileReaderOpen",
            "preFlush",
            "preFlushScannerOpen",
            "preMemStoreCompactionCompact",
            "preMemStoreCompactionCompactScannerOpen",
            "preCompact",
            "preCompactScannerOpen");

    private final HRegion region;
    private final OverriddenHooks hooks;

    /** The first answer; null before it. */
    private volatile Found found;

    /** Whether a host has none. */
    private record Found(RegionCoprocessorHost host, boolean areAbsent) {}

    /**
     * Creates the view of a region's coprocessors; looks at none yet.
     *
     * @param harmless the names of classes that certainly do neither, whatever hooks they override
     */
    HidingCoprocessors(HRegion region, Set<String> harmless) {
        this.region = region;
        this.hooks = new OverriddenHooks(HOOKS, harmless);
    }

    /**
     * Returns whether the region certainly has had none since it was opened; false for good once HBase has replaced its
     * coprocessors, since they may have dropped cells meanwhile. Never throws an exception.
     */
    boolean areAbsent() {
        RegionCoprocessorHost host = region.getCoprocessorHost();
        Found first = found;
        if (first == null) {
            first = new Found(host, hooks.areAbsent(host));
            found = first;
        }
        return first.areAbsent && first.host == host;
    }
}
