package org.diffindex.server.maintain;

import java.io.IOException;
import org.diffindex.model.IndexDelta;
import org.diffindex.model.IndexEntryFunction;

/**
 * Puts the new entry and leaves the old one to the readers: SU2 of the paper's algorithm 1. No base read for a plain put
 * of all the columns of the index. A delete may let an older value reappear, whose entry a reader may have cleared
 * away, so after anything else the entry of the row as it is now is put again.
 */
final class SyncInsertMaintainer extends IndexMaintainer {
    SyncInsertMaintainer(IndexEntryFunction function) {
        super(function);
    }

    @Override
    IndexDelta delta(RowChange change, RowImages images) throws IOException {
        return IndexDelta.insertOnly(entryAfter(change, images));
    }
}
