package org.diffindex.client;

/**
 * A query contradicts itself, or does not fit the columns of its index. It is thrown when the query is built, or when it
 * is bound to the definition of the index, before anything is read. The message says which condition is wrong, and what to
 * write instead; the same query fails again.
 */
public final class InvalidQueryException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    InvalidQueryException(String message) {
        super(message);
    }

    InvalidQueryException(String message, Throwable cause) {
        super(message, cause);
    }
}
