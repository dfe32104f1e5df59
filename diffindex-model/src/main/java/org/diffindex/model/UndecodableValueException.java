package org.diffindex.model;

/**
 * Signals bytes that are not a value of an indexed column's declared type, or would make the index key too long. The
 * message gives the details.
 */
public class UndecodableValueException extends Exception {
    private static final long serialVersionUID = 1L;

    public UndecodableValueException(String message) {
        super(message);
    }

    public UndecodableValueException(String message, Throwable cause) {
        super(message, cause);
    }
}
