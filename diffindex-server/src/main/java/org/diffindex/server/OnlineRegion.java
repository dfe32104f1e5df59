package org.diffindex.server;

/** An open region with indexes, as seen by the components that all regions of a server share. Thread-safe. */
interface OnlineRegion {
    /** Returns the region's name; regions are relieved in the order of their names. */
    String name();

    RegionMetrics metrics();

    /** Parks again what was loaded from disk for stalled indexes, to free memory. */
    void unload();

    /** Moves to disk the updates in memory for indexes that are behind. */
    void relieve();
}
