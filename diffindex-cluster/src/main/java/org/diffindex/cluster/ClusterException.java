package org.diffindex.cluster;

import java.io.IOException;

/**
 * Signals that an operation on a local cluster failed. The message says what happened, what is true now, and what to
 * do; for a process that failed, the end of its log follows on further lines.
 */
public final class ClusterException extends IOException {
    private static final long serialVersionUID = 1L;

    ClusterException(String message) {
        super(message);
    }

    ClusterException(String message, Throwable cause) {
        super(message, cause);
    }
}
