package org.diffindex.verify;

/**
 * How far a scrub is.
 *
 * @param stage what it is about
 * @param done how much of the stage is done, from 0 to 1; an estimate, as if keys were spread evenly over each region
 * @param rows rows of both tables read so far, in all stages
 */
public record ScrubProgress(Stage stage, double done, long rows) {
    /** The stages of a scrub. */
    public enum Stage {
        /** Base and index are streamed once, and digested. */
        DIGEST,
        /** The entries of the buckets that differ are looked at one by one. */
        COMPARE
    }
}
