package org.diffindex.server.build;

import org.diffindex.model.BuildFamily.Totals;
import org.diffindex.model.IndexDefinition;

/**
 * How far the build of an index is, for whoever watches the master. Immutable.
 *
 * @param totals what is backfilled, and recorded
 * @param rangesDone the number of ranges that are complete
 * @param ranges the number of ranges that the present master backfills; 0 until it has recorded a page
 * @param isPaused whether it stands still until it is resumed
 * @param isFailing whether its last call failed, and is retried
 * @param hasFailed whether it has failed, and goes on only if an operator resumes it
 */
public record BuildReading(
        IndexDefinition index,
        Totals totals,
        int rangesDone,
        int ranges,
        boolean isPaused,
        boolean isFailing,
        boolean hasFailed) {
    static BuildReading of(IndexDefinition index, BuildRecord.State state) {
        return new BuildReading(
                index,
                state.progress().totals(),
                state.progress().rangesDone(),
                state.progress().ranges(),
                state.orders().isPaused(),
                state.failing().isPresent(),
                state.problem().isPresent());
    }
}
