package org.diffindex.server.maintain;

/**
 * Decides when an emptied collection should be replaced by a new one: the table of a hash map and the array of a deque
 * never shrink. Guarded by the lock that guards the collection.
 */
public final class PeakSize {
    /** At or below this many elements, replacing the collection does not save enough memory. */
    private static final int FEW = 64;

    private int peak;

    /** Records the current size of the collection. */
    public void reached(int size) {
        peak = Math.max(peak, size);
    }

    /**
     * Returns whether the collection, of the given current size, is empty and was large; the caller then replaces it.
     */
    public boolean isOutgrown(int size) {
        boolean outgrown = size == 0 && peak > FEW;
        if (outgrown) {
            peak = 0;
        }
        return outgrown;
    }
}
