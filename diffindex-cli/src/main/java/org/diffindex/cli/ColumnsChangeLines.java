package org.diffindex.cli;

import java.io.Closeable;
import java.io.PrintWriter;
import org.diffindex.cli.console.Progress;
import org.diffindex.client.BuildStatus;
import org.diffindex.client.ColumnsChangeListener;

/** Tells the steps of a change of an index's columns, a line each, and the progress of the build as a bar. */
final class ColumnsChangeLines implements ColumnsChangeListener, Closeable {
    private final Progress progress;
    private final PrintWriter err;
    private final BuildPace pace = new BuildPace(System::nanoTime);

    /** Null unless the index is being built. */
    private Progress.Bar bar;

    ColumnsChangeLines(Progress progress, PrintWriter err) {
        this.progress = progress;
        this.err = err;
    }

    @Override
    public void begins(Step step) {
        close();
        err.println(
                switch (step) {
                    case ENTER ->
                        "Opening the regions of the table: writes maintain the index with its new columns, too";
                    case BUILD -> "Waiting until the master has built the index with its new columns";
                    case SWITCH -> "Readers go over to the new columns";
                    case REMOVE -> "Removing what the index was before";
                });
        err.flush();
        if (step == Step.BUILD) {
            bar = progress.open("build", " regions", 1, err);
        }
    }

    @Override
    public void progress(BuildStatus status) {
        if (bar != null) {
            bar.at(status.rangesDone(), status.ranges(), BuildText.inWords(status, pace.of(status)));
        }
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
            bar = null;
        }
    }
}
