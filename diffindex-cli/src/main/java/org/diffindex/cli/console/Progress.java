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
 * Whether and how a command shows how far it is: a bar on the standard error, if that is a terminal or {@code --progress}
 * asks for it. {@code bin/diffindex} says in the system property {@value #TERMINAL} whether it is one, for Java cannot.
 */
public final class Progress {
    private static final String TERMINAL = "diffindex.terminal";
    private static final int WIDTH = 110;
    private static final int INTERVAL_MILLIS = 250;

    @Option(
            names = "--progress",
            negatable = true,
            description = "Show a progress bar, or none with --no-progress; else only on a terminal.")
    private Boolean wanted;

    /** A bar, or nothing, that is told how far the work is. Safe for use by many threads. */
    public static final class Bar implements Closeable {
        private final Optional<ProgressBar> bar;

        private Bar(Optional<ProgressBar> bar) {
            this.bar = bar;
        }

        /** Says how much of the whole is done, and in words what that is. */
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
     * Opens a bar; to be closed when the work is done or has failed.
     *
     * @param unit what the work is counted in, such as {@code " MB"}
     * @param size how much of the work is one of that unit
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

    /** Writes the bar over itself, and ends its line when it is closed. */
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
