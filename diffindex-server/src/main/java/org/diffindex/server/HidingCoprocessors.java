package org.diffindex.server;

import java.util.Arrays;
import java.util.Set;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.RegionCoprocessorHost;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The coprocessors of an open region, other than Diff-Index's, that may hide cells from some reads, or drop cells from
 * the region's files: those that override a hook by which they could. Thread-safe.
 */
final class HidingCoprocessors {
    private static final Logger LOG = LoggerFactory.getLogger(HidingCoprocessors.class);

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
    private final Set<String> harmless;

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
        this.harmless = harmless;
    }

    /**
     * Returns whether the region certainly has had none since it was opened; false for good once HBase has replaced its
     * coprocessors, since they may have dropped cells meanwhile. Never throws an exception.
     */
    boolean areAbsent() {
        RegionCoprocessorHost host = region.getCoprocessorHost();
        Found first = found;
        if (first == null) {
            first = new Found(host, areAbsent(host));
            found = first;
        }
        return first.areAbsent && first.host == host;
    }

    private boolean areAbsent(RegionCoprocessorHost host) {
        try {
            return host.findCoprocessors(RegionCoprocessor.class).stream()
                    .filter(coprocessor -> coprocessor.getClass() != IndexObserver.class
                            && !harmless.contains(coprocessor.getClass().getName()))
                    .flatMap(coprocessor -> coprocessor.getRegionObserver().stream())
                    .noneMatch(HidingCoprocessors::mayHideCells);
        } catch (RuntimeException | LinkageError e) { // the methods of a class may name classes that are absent
            LOG.warn("It is unknown what the coprocessors of {} do; its rows are not remembered", region, e);
            return false;
        }
    }

    private static boolean mayHideCells(RegionObserver observer) {
        return Arrays.stream(observer.getClass().getMethods())
                .filter(method -> HOOKS.contains(method.getName()))
                .anyMatch(method -> method.getDeclaringClass() != RegionObserver.class);
    }
}
