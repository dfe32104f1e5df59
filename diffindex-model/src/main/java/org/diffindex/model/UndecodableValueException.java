package org.diffindex.model;

/** Signals bytes that the declared type of an indexed column cannot read. The message names the type and the bytes. */
public class UndecodableValueException extends Exception {
    private static final long serialVersionUID = 1L;

    public UndecodableValueException(String message) {
        super(message);
    }

    public UndecodableValueException(String message, Throwable cause) {
        super(message, cause);
    }
}
