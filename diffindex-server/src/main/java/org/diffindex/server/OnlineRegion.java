package org.diffindex.server;

import java.util.stream.LongStream;

/** An open region with indexes, as seen by the components that all regions of a server share. Thread-safe. */
interface OnlineRegion {
    /** Returns the region's name; regions are relieved in the order of their names. */
    String name();

    RegionMetrics metrics();

    /** Parks again what was loaded from disk for stalled indexes, to free memory. */
    void unload();

    /** Returns the memory, in bytes, of each queue of updates for an index that is behind, except empty ones. */
    LongStream parkableBytes();

    /** Moves to disk those of these queues that take at least the given memory, in bytes. */
    void relieve(long least);
}
