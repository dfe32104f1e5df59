package org.diffindex.lab.output;

import java.util.Locale;

/** Formats figures for people: rounded numbers, and durations in the units of a clock. */
public final class ReadableText {
    private ReadableText() {}

    /**
     * Returns a number without decimal places from 100 on, with at most one from 10 on, two from 0.095 on, and four
     * below that; without trailing zeros.
     */
    public static String number(double value) {
        double size = Math.abs(value);
        if (size >= 100 || value == Math.rint(value)) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        String format = size >= 10 ? "%.1f" : size >= 0.095 ? "%.2f" : "%.4f";
        String text = String.format(Locale.ROOT, format, value);
        return text.replaceFirst("0+$", "").replaceFirst("\\.$", "");
    }

    /**
     * Returns minutes and seconds, {@code 4:05}, or, from an hour on, hours and minutes, {@code 2 h 07 min}; 0:00 if
     * negative.
     */
    public static String duration(double seconds) {
        long whole = Math.max(0, Math.round(seconds));
        return whole < 3600
                ? String.format(Locale.ROOT, "%d:%02d", whole / 60, whole % 60)
                : String.format(Locale.ROOT, "%d h %02d min", whole / 3600, whole / 60 % 60);
    }
}
