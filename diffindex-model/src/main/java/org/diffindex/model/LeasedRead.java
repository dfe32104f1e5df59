package org.diffindex.model;

import org.apache.hadoop.hbase.client.Get;

/**
 * Marks a get of a base row that belongs to a read by index: a region server answers it only while it is certain that
 * no other server has taken over the region; see {@code docs/consistency.md}. HBase's own reads are not marked.
 */
public final class LeasedRead {
    static final String ATTRIBUTE = "diffindex.leased";
    private static final byte[] MARK = {1};

    private LeasedRead() {}

    /** Marks a get; returns the same get. */
    public static Get mark(Get get) {
        get.setAttribute(ATTRIBUTE, MARK);
        return get;
    }

    /** Returns whether a get is marked. */
    public static boolean isMarked(Get get) {
        return get.getAttribute(ATTRIBUTE) != null;
    }
}
