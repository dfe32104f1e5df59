package org.diffindex.model;

/** A definition of an index whose parts contradict each other. It is refused when it is built, before any call. */
public final class InvalidDefinitionException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** What is wrong with a definition. */
    public enum Reason {
        /** A column is included that the key has already. */
        INCLUDED_IN_KEY,

        /** A column is included twice. */
        INCLUDED_TWICE,

        /** A column is included in descending order; the entries are sorted by their keys alone. */
        INCLUDED_IN_ORDER,

        /** More columns are included than {@link IncludedColumns#MOST_COLUMNS}. */
        TOO_MANY_INCLUDED,

        /** A condition has too few or too many values for its operator. */
        CONDITION_VALUES,

        /** A condition is on a column in descending order; it compares values. */
        CONDITION_IN_ORDER,

        /** No row satisfies all conditions. */
        CONTRADICTION,

        /** The {@link IndexFormat} that was asked for lacks something that the definition uses. */
        FORMAT_TOO_EARLY
    }

    private final Reason reason;

    InvalidDefinitionException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** Returns what is wrong. */
    public Reason reason() {
        return reason;
    }
}
