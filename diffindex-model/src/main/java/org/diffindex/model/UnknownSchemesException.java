package org.diffindex.model;

/**
 * Signals that the table of an index says of its schemes what only a later build knows. Nothing is wrong with the index: a
 * process of that build can use it.
 */
public final class UnknownSchemesException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    UnknownSchemesException(String what, String text) {
        super("The value diffindex.scheme of the index table was written by a later build: " + what
                + ", which this build of Diff-Index does not know [" + text + "]");
    }

    /** Returns, for a message, what to do so that this process can use the index. */
    public static String remedy() {
        return "use the build of Diff-Index by which the scheme of that index was changed, or a later one";
    }
}
