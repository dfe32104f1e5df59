package org.diffindex.cli;

import java.io.Closeable;
import java.io.PrintWriter;
import org.diffindex.verify.SchemeChangeListener;
import org.diffindex.verify.ScrubProgress;

/** Tells the steps of a change of an index's scheme, a line each, and the progress of the comparison as bars. */
final class SchemeChangeLines implements SchemeChangeListener, Closeable {
    private final ScrubBars bars;
    private final PrintWriter err;

    SchemeChangeLines(ScrubBars bars, PrintWriter err) {
        this.bars = bars;
        this.err = err;
    }

    @Override
    public void begins(Step step) {
        bars.close();
        err.println(
                switch (step) {
                    case DRAIN_BEFORE, DRAIN -> "Waiting for the index updates that are in flight";
                    case BEGIN -> "Opening the regions of the index table: readers read carefully";
                    case DEFINE -> "Opening the regions of the table: writes maintain the index by the new scheme";
                    case FENCE -> "Opening the regions of the index table: late writes are refused";
                    case CLEAN_UP -> "Removing the entries of old values";
                    case COMPLETE -> "Opening the regions of the index table: readers rely on the new scheme";
                });
        err.flush();
    }

    @Override
    public void at(ScrubProgress progress) {
        bars.at(progress);
    }

    @Override
    public void close() {
        bars.close();
    }
}
