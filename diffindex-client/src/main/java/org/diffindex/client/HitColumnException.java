package org.diffindex.client;

/**
 * The value of a hit was asked for by a column that the index does not have, or as a value of another type. Nothing is wrong
 * with the hit. {@link #reason} tells why; the message names the columns of the index with their types.
 */
public final class HitColumnException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** The reasons for which there is no value. */
    public enum Reason {
        /** No column of the index has that name. */
        UNKNOWN,
        /** Several columns of the index have that name: give the family, or the type. */
        AMBIGUOUS,
        /** The column is of another type. */
        OTHER_TYPE
    }

    private final Reason reason;

    HitColumnException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** Returns why there is no value. */
    public Reason reason() {
        return reason;
    }
}
