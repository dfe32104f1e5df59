package org.diffindex.lab.bench.report;

/** Escapes text for HTML and SVG. */
final class Markup {
    private Markup() {}

    /** Replaces the characters with a special meaning in elements and quoted attributes. */
    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}
