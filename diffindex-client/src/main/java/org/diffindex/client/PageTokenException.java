package org.diffindex.client;

/**
 * A token of a page cannot be used for a query. Nothing was read. {@link #reason} tells why; the message says what to do,
 * in most cases to read the first page again, without a token.
 */
public final class PageTokenException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** The reasons for which a token is refused. */
    public enum Reason {
        /** The text is not a token, or was cut or changed. */
        DAMAGED,
        /** The token was made by a later build, in a form that this one does not know. */
        LATER_VERSION,
        /** The token was made by a read by an index of another name, or of another table. */
        OTHER_INDEX,
        /** The index was dropped and created, rebuilt, or disabled and enabled since the token was made. */
        REPLACED_INDEX,
        /** The token was made by a query with other conditions, or in the other direction. */
        OTHER_QUERY
    }

    private final Reason reason;

    PageTokenException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    PageTokenException(Reason reason, String message, Throwable cause) {
        super(message, cause);
        this.reason = reason;
    }

    /** Returns why the token is refused. */
    public Reason reason() {
        return reason;
    }
}
