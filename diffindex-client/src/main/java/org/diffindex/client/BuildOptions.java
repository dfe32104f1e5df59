package org.diffindex.client;

import java.util.OptionalDouble;
import java.util.OptionalInt;

/**
 * How the build of an index begins. Rate and pause can be changed while it runs. Immutable.
 *
 * @param rowsPerSecond the base rows that the build reads a second, positive and finite; empty for no limit
 * @param isPaused whether the build begins only when it is {@linkplain BuildAdmin#resume resumed}
 * @param regions the number of regions of the index table, into which it is split by a sample of the rows; fewer if the
 *     sample has few rows, such as only those that the caller may read. Empty for as many as the base table has, at most
 *     three for each region server. Of no effect if the definition has split points
 */
public record BuildOptions(OptionalDouble rowsPerSecond, boolean isPaused, OptionalInt regions) {
    /** A build that begins at once and is not limited. */
    public static final BuildOptions DEFAULT = new BuildOptions(OptionalDouble.empty(), false, OptionalInt.empty());

    /**
     * Creates options.
     *
     * @throws IllegalArgumentException if the rate or the number of regions is not a positive number
     */
    public BuildOptions {
        double rate = rowsPerSecond.orElse(1);
        if (!(rate > 0) || Double.isInfinite(rate)) {
            throw new IllegalArgumentException("A build is limited to a positive number of rows a second, not " + rate);
        }
        if (regions.orElse(1) < 1) {
            throw new IllegalArgumentException("An index has at least one region, not " + regions.getAsInt());
        }
    }

    /** Returns these options with a limit. */
    public BuildOptions limitedTo(double rowsPerSecond) {
        return new BuildOptions(OptionalDouble.of(rowsPerSecond), isPaused, regions);
    }

    /** Returns these options for a build that is paused from its beginning. */
    public BuildOptions paused() {
        return new BuildOptions(rowsPerSecond, true, regions);
    }

    /** Returns these options for an index table of that many regions. */
    public BuildOptions inRegions(int regions) {
        return new BuildOptions(rowsPerSecond, isPaused, OptionalInt.of(regions));
    }
}
