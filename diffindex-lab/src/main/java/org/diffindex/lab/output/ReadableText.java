package org.diffindex.lab.output;

import java.util.Locale;

/** Formats figures for people: numbers of three significant digits, durations in the units a clock shows. */
public final class ReadableText {
    private ReadableText() {}

    /** A number with three significant digits, or all digits of its integer part, without trailing zeros. */
    public static String number(double value) {
        double size = Math.abs(value);
        if (size >= 100 || value == Math.rint(value)) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        String format = size >= 10 ? "%.1f" : size >= 0.095 ? "%.2f" : "%.4f";
        String text = String.format(Locale.ROOT, format, value);
        return text.replaceFirst("0+$", "").replaceFirst("\\.$", "");
    }

    /** Seconds as minutes and seconds, {@code 4:05}, or as hours and minutes, {@code 2 h 07 min}; 0:00 if negative. */
    public static String duration(double seconds) {
        long whole = Math.max(0, Math.round(seconds));
        return whole < 3600
                ? String.format(Locale.ROOT, "%d:%02d", whole / 60, whole % 60)
                : String.format(Locale.ROOT, "%d h %02d min", whole / 3600, whole / 60 % 60);
    }
}
