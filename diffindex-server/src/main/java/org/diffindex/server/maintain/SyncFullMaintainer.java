package org.diffindex.server.maintain;

import java.io.IOException;
import org.diffindex.model.IndexDelta;
import org.diffindex.model.IndexEntryFunction;

/**
 * Puts the new entry and deletes the old one: SU2 to SU4 of the paper's algorithm 1, and, run by the APS, BA2 to BA4 of
 * its algorithm 4. One base read for a plain put.
 */
final class SyncFullMaintainer extends IndexMaintainer {
    SyncFullMaintainer(IndexEntryFunction function) {
        super(function);
    }

    @Override
    IndexDelta delta(RowChange change, RowImages images) throws IOException {
        return IndexDelta.between(
                function().entryOf(change.row(), images.before()), function().entryOf(change.row(), images.after()));
    }
}
