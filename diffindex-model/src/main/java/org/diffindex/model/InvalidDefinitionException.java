package org.diffindex.model;

/** A definition of an index whose parts contradict each other. It is refused when it is built, before any call. */
public final class InvalidDefinitionException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    /** What is wrong with a definition. */
    public enum Reason {
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
