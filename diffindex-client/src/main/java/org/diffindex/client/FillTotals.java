package org.diffindex.client;

import org.diffindex.protocol.DiffIndexProtos.FillResponse;

/** Sums up the pages of a backfill and notifies the listener after each. Safe for use by many threads. */
final class FillTotals {
    private final FillListener listener;
    private FillProgress progress = new FillProgress(0, 0, 0, 0, 0, 0);

    FillTotals(FillListener listener) {
        this.listener = listener;
    }

    synchronized void add(FillResponse page) {
        progress = new FillProgress(
                progress.rows() + page.getRows(),
                progress.entries() + page.getEntries(),
                progress.leftOut() + page.getLeftOut(),
                progress.rowsRead() + page.getRowsRead(),
                progress.regionsDone(),
                progress.regions());
        listener.filled(progress);
    }

    synchronized void regionDone(int done, int all) {
        progress = new FillProgress(
                progress.rows(), progress.entries(), progress.leftOut(), progress.rowsRead(), done, all);
        listener.filled(progress);
    }
}
