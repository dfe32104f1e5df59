package org.diffindex.lab.chaos;

import java.util.function.Predicate;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.diffindex.client.SessionFullException;
import org.diffindex.model.IndexUpdateDelayedException;

/** The outcome of a write, as its client knows it. */
enum Outcome {
    /** Acknowledged. */
    OK(true),

    /**
     * Durable, but the attempt that took effect is unknown: the call took longer than the RPC timeout, so that the
     * client may have abandoned an attempt that a server still processed; or a check failed, which only an earlier
     * attempt of the same call can have caused.
     */
    LATE(true),

    /** {@link IndexUpdateDelayedException}: the base row is durable, and its index updates will follow. */
    DELAYED(true),

    /**
     * The last attempt was refused. An earlier attempt may have taken effect, so this says no more than {@link
     * #UNKNOWN}.
     */
    REFUSED(false),

    /** Nothing is known; the write may take effect later, or never. */
    UNKNOWN(false);

    private final boolean durable;

    Outcome(boolean durable) {
        this.durable = durable;
    }

    /** Returns whether the base row is known to be durable. */
    boolean isDurable() {
        return durable;
    }

    /**
     * Returns the outcome of a write that a failure implies.
     *
     * @param failure the failure of this write; of a call with several writes, see {@link BatchFailure#of}
     */
    static Outcome of(Throwable failure) {
        if (IndexUpdateDelayedException.isReportedBy(failure)) {
            return DELAYED;
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof RegionTooBusyException
                    || cause instanceof SessionFullException
                    || cause instanceof DoNotRetryIOException) {
                return REFUSED;
            }
        }
        return UNKNOWN;
    }

    /** Returns whether a failure, one of its causes, or the failure of one of its writes matches. */
    static boolean find(Throwable failure, Predicate<Throwable> type) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (type.test(cause)) {
                return true;
            }
            if (cause instanceof RetriesExhaustedWithDetailsException details
                    && details.getCauses().stream().anyMatch(each -> find(each, type))) {
                return true;
            }
        }
        return false;
    }
}
