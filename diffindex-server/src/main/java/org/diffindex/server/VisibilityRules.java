package org.diffindex.server;

import java.util.Set;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;

/**
 * The rules by which an open region decides which of a row's cells are visible, and which of them a flush or compaction
 * keeps: HBase's own, unless a coprocessor may have replaced them. HBase's VisibilityController does: a tombstone hides
 * only cells that have its visibility labels. Thread-safe.
 */
final class VisibilityRules {
    /** The hooks of a {@link RegionObserver} by which it can replace the rules of a scan. */
    private static final Set<String> HOOKS = Set.of("postInstantiateDeleteTracker", "preStoreScannerOpen");

    private final HRegion region;
    private final OverriddenHooks hooks;

    /** The last answer; null before the first. */
    private volatile Found found;

    /** Whether the rules are HBase's own beside the coprocessors of a host. */
    private record Found(RegionCoprocessorHost host, boolean areHBases) {}

    /**
     * Creates the view of a region's rules; looks at no coprocessor yet.
     *
     * @param harmless the names of classes that certainly replace no rule, whatever hooks they override
     */
    VisibilityRules(HRegion region, Set<String> harmless) {
        this.region = region;
        this.hooks = new OverriddenHooks(HOOKS, harmless);
    }

    /**
     * Returns whether HBase's own rules certainly apply, beside the coprocessors that the region has now. Never throws
     * an exception.
     */
    boolean areHBases() {
        RegionCoprocessorHost host = region.getCoprocessorHost();
        Found last = found;
        if (last == null || last.host != host) {
            last = new Found(host, hooks.areAbsent(host));
            found = last;
        }
        return last.areHBases;
    }
}
