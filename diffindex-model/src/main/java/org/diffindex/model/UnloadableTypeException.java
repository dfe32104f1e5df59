package org.diffindex.model;

/** Signals that the user's class behind a column type cannot be loaded by this process; another process may have it. */
final class UnloadableTypeException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    UnloadableTypeException(String message, Throwable cause) {
        super(message, cause);
    }
}
