package org.diffindex.tasks;

import org.apache.hadoop.hbase.DoNotRetryIOException;

/**
 * Signals that a change of the scheme of an index has ended before it was complete: the index was disabled, rebuilt or
 * dropped meanwhile, or another change has taken its place.
 */
public final class SchemeChangeEndedException extends DoNotRetryIOException {
    private static final long serialVersionUID = 1L;

    SchemeChangeEndedException(String message) {
        super(message);
    }
}
