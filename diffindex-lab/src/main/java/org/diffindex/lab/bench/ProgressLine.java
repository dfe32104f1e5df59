package org.diffindex.lab.bench;

import java.io.PrintWriter;
import java.util.Locale;

/**
 * Tells on the standard error what is being done and how long it will go on: one line that is written over on a terminal,
 * else a line for each step. For one thread.
 */
final class ProgressLine {
    private static final int WIDTH = 110;

    private final PrintWriter err;
    private final boolean terminal;

    ProgressLine(PrintWriter err, boolean terminal) {
        this.err = err;
        this.terminal = terminal;
    }

    /** Shows a step that begins. */
    void show(double secondsLeft, String step) {
        String line = "[" + leftText(secondsLeft) + " left] " + step;
        if (terminal) {
            String cut = line.length() > WIDTH ? line.substring(0, WIDTH) : line;
            err.printf("\r%-" + WIDTH + "s", cut);
        } else {
            err.println(line);
        }
        err.flush();
    }

    /** Shows a line that stays. */
    void tell(String text) {
        err.println(terminal ? String.format("\r%-" + WIDTH + "s", text) : text);
        err.flush();
    }

    /** Minutes and seconds, {@code 4:05}, or hours and minutes, {@code 2 h 07 min}. */
    static String leftText(double seconds) {
        long whole = Math.max(0, Math.round(seconds));
        return whole < 3600
                ? String.format(Locale.ROOT, "%d:%02d", whole / 60, whole % 60)
                : String.format(Locale.ROOT, "%d h %02d min", whole / 3600, whole / 60 % 60);
    }
}
