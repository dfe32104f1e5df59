package org.diffindex.server.build;

import org.diffindex.model.BuildFamily.Totals;
import org.diffindex.protocol.DiffIndexProtos.FillResponse;

/**
 * How far a build is. Immutable.
 *
 * @param totals the totals of the recorded pages
 * @param rangesDone the number of ranges that are complete
 * @param ranges the number of ranges of rows that the present master has found to be backfilled; 0 until it has looked
 */
record BuildProgress(Totals totals, int rangesDone, int ranges) {
    /** Returns the progress with a page added. */
    BuildProgress plus(FillResponse page) {
        Totals sum = new Totals(
                totals.rows() + page.getRowsRead(),
                totals.entries() + page.getEntries(),
                totals.leftOut() + page.getLeftOut());
        return new BuildProgress(sum, rangesDone, ranges);
    }

    /** Returns the progress with other numbers of ranges. */
    BuildProgress withRanges(int done, int all) {
        return new BuildProgress(totals, done, all);
    }
}
