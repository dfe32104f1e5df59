package org.diffindex.cluster;

import java.io.IOException;
import java.util.Optional;

/**
 * Signals that an operation on a local cluster failed. The message says what happened, what is true now, and what to
 * do; for a process that failed, the end of its log follows on further lines.
 */
public final class ClusterException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Null if the failure is not that of one process. */
    private final String failedProcess;

    ClusterException(String message) {
        this(message, null, null);
    }

    ClusterException(String message, Throwable cause) {
        this(message, cause, null);
    }

    private ClusterException(String message, Throwable cause, String failedProcess) {
        super(message, cause);
        this.failedProcess = failedProcess;
    }

    /** Returns the exception for a process that ended or did not serve in time after it was started. */
    static ClusterException ofStart(String process, String message, Throwable cause) {
        return new ClusterException(message, cause, process);
    }

    /**
     * Returns the name of the process that ended, or did not serve in time, after it was started; empty if the operation
     * failed for another reason.
     */
    public Optional<String> failedProcess() {
        return Optional.ofNullable(failedProcess);
    }
}
