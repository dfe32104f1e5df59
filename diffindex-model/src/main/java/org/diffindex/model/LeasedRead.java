package org.diffindex.model;

import org.apache.hadoop.hbase.client.Get;

/**
 * Marks a read of a base row that belongs to a read by index: a region server answers it only if it is sure that no other
 * server has taken the region over, see {@code docs/consistency.md}. HBase's own reads carry no such mark.
 */
public final class LeasedRead {
    private static final String ATTRIBUTE = "diffindex.leased";
    private static final byte[] MARK = {1};

    private LeasedRead() {}

    /** Marks a read; the same one, for chaining. */
    public static Get mark(Get get) {
        get.setAttribute(ATTRIBUTE, MARK);
        return get;
    }

    /** Whether a read is marked. */
    public static boolean isMarked(Get get) {
        return get.getAttribute(ATTRIBUTE) != null;
    }
}
