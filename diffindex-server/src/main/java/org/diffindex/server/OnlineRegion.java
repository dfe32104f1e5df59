package org.diffindex.server;

/** An open region with indexes, as the parts that all regions of a server share see it. Safe for use by many threads. */
interface OnlineRegion {
    /** The region's name; regions are relieved in the order of their names. */
    String name();

    RegionMetrics metrics();

    /** Drops from memory what was loaded from disk for indexes that do not accept it. */
    void unload();

    /** Moves to disk what waits in memory for indexes that are behind. */
    void relieve();
}
