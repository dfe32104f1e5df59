package org.diffindex.verify;

/**
 * How far a scrub is.
 *
 * @param stage what it is about
 * @param stageDone how much of the stage is done, from 0 to 1; an estimate, as if keys were spread evenly over each region
 * @param rows rows of both tables read so far, in all stages
 */
public record ScrubProgress(Stage stage, double stageDone, long rows) {
    /** The stages of a scrub. */
    public enum Stage {
        /** Base and index are streamed once, and digested. */
        DIGEST,
        /** The entries of the buckets that differ are looked at one by one. */
        COMPARE
    }

    /** How much of the whole is done, from 0 to 1: each stage is half of it; if nothing differs, the second is left out. */
    public double done() {
        return (stage == Stage.COMPARE ? 1 + stageDone : stageDone) / 2;
    }
}
