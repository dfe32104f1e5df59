package org.diffindex.lab.bench;

import java.util.Locale;

/** How numbers are written for readers: three digits that count, thousands apart. */
final class Numbers {
    private Numbers() {}

    /** A number in as few characters as three digits take. */
    static String plain(double value) {
        double size = Math.abs(value);
        if (size >= 100 || value == Math.rint(value)) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        String format = size >= 10 ? "%.1f" : size >= 0.095 ? "%.2f" : "%.4f";
        String text = String.format(Locale.ROOT, format, value);
        return text.replaceFirst("0+$", "").replaceFirst("\\.$", "");
    }
}
