package org.diffindex.server.maintain;

/**
 * Tells when an empty collection is to be replaced by a new one: the table of a hash map, and the array of a deque, stay as
 * large as they ever were. Guarded by what guards the collection.
 */
public final class PeakSize {
    /** The memory for so many elements is not worth the replacement. */
    private static final int FEW = 64;

    private int peak;

    /** The collection has that size now. */
    public void reached(int size) {
        peak = Math.max(peak, size);
    }

    /** Whether the collection, which has that size now, is empty and was large; the caller replaces it then. */
    public boolean isOutgrown(int size) {
        boolean outgrown = size == 0 && peak > FEW;
        if (outgrown) {
            peak = 0;
        }
        return outgrown;
    }
}
