package org.diffindex.server.build;

import java.util.OptionalDouble;

/**
 * The orders of an operator for a build. Immutable.
 *
 * @param rowsPerSecond the limit of the rate; empty for none
 * @param isPaused whether the build stands still until it is resumed
 */
record BuildOrders(OptionalDouble rowsPerSecond, boolean isPaused) {
    static final BuildOrders NONE = new BuildOrders(OptionalDouble.empty(), false);

    /** Returns a limit of the rate; empty for 0, which means none. */
    static OptionalDouble limit(double rowsPerSecond) {
        return rowsPerSecond > 0 ? OptionalDouble.of(rowsPerSecond) : OptionalDouble.empty();
    }
}
