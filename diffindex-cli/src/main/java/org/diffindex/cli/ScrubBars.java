package org.diffindex.cli;

import java.io.Closeable;
import java.io.PrintWriter;
import java.util.Locale;
import org.diffindex.cli.console.Progress;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexRole;
import org.diffindex.verify.ScrubListener;
import org.diffindex.verify.ScrubProgress;

/** Shows the progress of a scrub: a bar for each of its stages, one after the other. Called by one thread at a time. */
final class ScrubBars implements ScrubListener, Closeable {
    private static final int WHOLE = 1_000;

    private final Progress progress;
    private final IndexDefinition index;
    private final PrintWriter err;
    private final long start = System.nanoTime();

    /** The stage of the open bar; null before the first. */
    private ScrubProgress.Stage stage;

    private Progress.Bar bar;

    ScrubBars(Progress progress, IndexDefinition index, PrintWriter err) {
        this.progress = progress;
        this.index = index;
        this.err = err;
    }

    @Override
    public void at(ScrubProgress now) {
        if (now.stage() != stage) {
            close();
            stage = now.stage();
            bar = progress.open(stage.name().toLowerCase(Locale.ROOT) + " " + name(), " %", WHOLE / 100, err);
        }
        double seconds = Math.max(1e-3, (System.nanoTime() - start) / 1e9);
        String words = "%,d rows, %,.0f rows/s".formatted(now.rows(), now.rows() / seconds);
        bar.at(Math.round(now.done() * WHOLE), WHOLE, words);
    }

    private String name() {
        return index.role() == IndexRole.IN_SERVICE ? index.logicalName() : index.name();
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
            bar = null;
            stage = null;
        }
    }
}
