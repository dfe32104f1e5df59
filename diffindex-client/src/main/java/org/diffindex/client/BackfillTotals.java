package org.diffindex.client;

import org.diffindex.protocol.DiffIndexProtos.FillResponse;

/** Sums up the pages of a backfill and notifies the listener after each. Safe for use by many threads. */
final class BackfillTotals {
    private final BackfillListener listener;
    private BackfillProgress progress = new BackfillProgress(0, 0, 0, 0, 0, 0);

    BackfillTotals(BackfillListener listener) {
        this.listener = listener;
    }

    synchronized void add(FillResponse page) {
        progress = new BackfillProgress(
                progress.rows() + page.getRows(),
                progress.entries() + page.getEntries(),
                progress.leftOut() + page.getLeftOut(),
                progress.rowsRead() + page.getRowsRead(),
                progress.regionsDone(),
                progress.regions());
        listener.backfilled(progress);
    }

    synchronized void regionDone(int done, int all) {
        progress = new BackfillProgress(
                progress.rows(), progress.entries(), progress.leftOut(), progress.rowsRead(), done, all);
        listener.backfilled(progress);
    }
}
