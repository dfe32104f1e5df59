package org.diffindex.client;

import java.io.IOException;

/** A count by groups was given up, because the hits of its query have more groups than it may return. */
public final class TooManyGroupsException extends IOException {
    private static final long serialVersionUID = 1L;

    TooManyGroupsException(String message) {
        super(message);
    }
}
