package org.diffindex.lab.bench;

/** Text as a part of HTML and SVG. */
final class Markup {
    private Markup() {}

    /** The text with the characters that mean something there replaced, for elements and for quoted attributes. */
    static String escape(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;")
                .replace("'", "&#39;");
    }
}
