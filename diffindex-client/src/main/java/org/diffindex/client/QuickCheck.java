package org.diffindex.client;

import java.io.InterruptedIOException;
import java.util.BitSet;
import java.util.List;

/** Confirms entries whose rows need not be looked up. */
@FunctionalInterface
interface QuickCheck {
    /** Confirms nothing. */
    QuickCheck NONE = candidates -> new BitSet();

    /**
     * Returns, by their positions, the candidates whose entries their rows are known to yield at one moment during the call, as a
     * lookup at that moment would have shown; any number of them, perhaps none. Whatever fails confirms nothing.
     *
     * @throws InterruptedIOException if the thread was interrupted; it still is
     */
    BitSet confirmed(List<Candidate> candidates) throws InterruptedIOException;
}
