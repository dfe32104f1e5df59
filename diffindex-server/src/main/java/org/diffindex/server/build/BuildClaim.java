package org.diffindex.server.build;

import java.util.Optional;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Who builds an index: a job, or the master. Each change of hands is counted, so that a job which was superseded cannot be taken
 * for one that has not begun. Immutable.
 *
 * <p>In the record of a build a claim is the count in decimal, a space and the name of the job (UTF-8); without a name the master
 * builds.
 *
 * @param changes how often the build has changed hands
 * @param job the name of the job that builds; empty if the master does
 */
record BuildClaim(long changes, Optional<String> job) {
    /** The claim of a build that no job has begun. */
    static final BuildClaim OF_THE_MASTER = new BuildClaim(0, Optional.empty());

    /**
     * Returns the claim that a value of the record states.
     *
     * @param value null if the record has none
     */
    static BuildClaim of(byte[] value) {
        if (value == null) {
            return OF_THE_MASTER;
        }
        String text = Bytes.toString(value);
        int end = text.indexOf(' ');
        return new BuildClaim(
                Long.parseLong(text.substring(0, end)),
                Optional.of(text.substring(end + 1)).filter(job -> !job.isEmpty()));
    }

    byte[] toBytes() {
        return Bytes.toBytes(changes + " " + job.orElse(""));
    }

    boolean isOf(String name) {
        return job.equals(Optional.of(name));
    }

    /** Returns the claim of the next who builds: a job, or the master if empty. */
    BuildClaim passedTo(Optional<String> next) {
        return new BuildClaim(changes + 1, next);
    }
}
