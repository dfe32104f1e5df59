package org.diffindex.cli.console;

import java.io.Closeable;
import java.io.PrintWriter;
import java.util.Optional;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarConsumer;
import me.tongfei.progressbar.ProgressBarStyle;
import picocli.CommandLine.Option;

/**
 * Shows the progress of a command as a bar on standard error, if that is a terminal or {@code --progress} is given.
 * {@code bin/diffindex} passes whether it is a terminal in the system property {@value #TERMINAL}, because Java cannot
 * tell.
 */
public final class Progress {
    private static final String TERMINAL = "diffindex.terminal";
    private static final int WIDTH = 110;
    private static final int INTERVAL_MILLIS = 250;

    @Option(
            names = "--progress",
            negatable = true,
            description = "Show a progress bar, or none with --no-progress; default: only on a terminal.")
    private Boolean wanted;

    /** A progress bar, which may be invisible. Safe for use by many threads. */
    public static final class Bar implements Closeable {
        private final Optional<ProgressBar> bar;

        private Bar(Optional<ProgressBar> bar) {
            this.bar = bar;
        }

        /** Updates the bar: how much of the whole is done, and a text. */
        public void at(long done, long whole, String words) {
            bar.ifPresent(shown -> {
                shown.maxHint(Math.max(whole, 1));
                shown.stepTo(done);
                shown.setExtraMessage(" " + words);
            });
        }

        @Override
        public void close() {
            bar.ifPresent(ProgressBar::close);
        }
    }

    /**
     * Opens a bar, which the caller closes when the work is complete or has failed.
     *
     * @param unit the unit of the work, such as {@code " MB"}
     * @param size the amount of work in one unit
     */
    public Bar open(String title, String unit, long size, PrintWriter err) {
        boolean shown = wanted == null ? Boolean.getBoolean(TERMINAL) : wanted;
        return new Bar(shown ? Optional.of(bar(title, unit, size, err)) : Optional.empty());
    }

    private static ProgressBar bar(String title, String unit, long size, PrintWriter err) {
        return new ProgressBarBuilder()
                .setTaskName(title)
                .setUnit(unit, size)
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(INTERVAL_MILLIS)
                .setConsumer(new Line(err))
                .build();
    }

    /** Overwrites the bar in place, and ends its line when it is closed. */
    private static final class Line implements ProgressBarConsumer {
        private final PrintWriter err;

        private Line(PrintWriter err) {
            this.err = err;
        }

        @Override
        public int getMaxRenderedLength() {
            return WIDTH;
        }

        @Override
        public void accept(String rendered) {
            err.print("\r" + rendered);
            err.flush();
        }

        @Override
        public void close() {
            err.println();
            err.flush();
        }
    }
}
