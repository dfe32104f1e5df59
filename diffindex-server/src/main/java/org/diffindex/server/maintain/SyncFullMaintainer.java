package org.diffindex.server.maintain;

import java.io.IOException;
import java.util.Optional;
import org.diffindex.model.IndexDelta;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;

/**
 * Puts the new entry and deletes the old one: SU2 to SU4 of the paper's algorithm 1, and, run by the APS, BA2 to BA4 of
 * its algorithm 4. One base read for a plain put.
 *
 * <p>Several writes that together bring the row back to its entry put it again: {@link RegionMaintainers#updatesOfThePast} may
 * have left it out while the row had another. Not so where entries expire: at a later stamp the entry would outlive its cell, and
 * there no writes bring an entry back with the timestamp that it had.
 */
final class SyncFullMaintainer extends IndexMaintainer {
    private final boolean expires;

    SyncFullMaintainer(IndexEntryFunction function, boolean expires) {
        super(function);
        this.expires = expires;
    }

    @Override
    IndexDelta delta(RowChange change, RowImages images) throws IOException {
        Optional<IndexEntry> before = function().entryOf(change.row(), images.before());
        Optional<IndexEntry> after = function().entryOf(change.row(), images.after());
        return !expires && change.isOfSeveralWrites() && before.equals(after)
                ? IndexDelta.insertOnly(after)
                : IndexDelta.between(before, after);
    }
}
