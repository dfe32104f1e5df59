package org.diffindex.verify;

/**
 * The progress of a scrub. Immutable.
 *
 * @param stage the present stage
 * @param done the fraction of the stage that is done, from 0 to 1; an estimate that assumes keys spread evenly over
 *     each region
 * @param rows rows of both tables read so far, in all stages
 */
public record ScrubProgress(Stage stage, double done, long rows) {
    /** The stages of a scrub. */
    public enum Stage {
        /** Base and index are each streamed once and digested. */
        DIGEST,
        /** The entries of the buckets that differ, and those of rows written meanwhile, are compared one by one. */
        COMPARE
    }
}
