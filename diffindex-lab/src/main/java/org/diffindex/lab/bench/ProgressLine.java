package org.diffindex.lab.bench;

import java.io.PrintWriter;
import org.diffindex.lab.output.ReadableText;

/**
 * Shows on standard error the current step and the estimated time left: on a terminal as one line that is overwritten,
 * otherwise as one line per step. For one thread.
 */
final class ProgressLine {
    private static final int WIDTH = 110;

    private final PrintWriter err;
    private final boolean terminal;

    ProgressLine(PrintWriter err, boolean terminal) {
        this.err = err;
        this.terminal = terminal;
    }

    /** Shows the step that starts. */
    void show(double secondsLeft, String step) {
        String line = "[" + ReadableText.duration(secondsLeft) + " left] " + step;
        if (terminal) {
            String cut = line.length() > WIDTH ? line.substring(0, WIDTH) : line;
            err.printf("\r%-" + WIDTH + "s", cut);
        } else {
            err.println(line);
        }
        err.flush();
    }

    /** Prints a line that is not overwritten. */
    void tell(String text) {
        err.println(terminal ? String.format("\r%-" + WIDTH + "s", text) : text);
        err.flush();
    }
}
