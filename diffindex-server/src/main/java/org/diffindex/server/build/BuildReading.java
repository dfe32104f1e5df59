package org.diffindex.server.build;

import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.BuildFamily.Totals;

/**
 * How far the build of an index is, for whoever watches the master. Immutable.
 *
 * @param table the base table
 * @param index the name of the index
 * @param recorded what the record of the build says; empty while it cannot be reached
 */
public record BuildReading(TableName table, String index, Optional<Recorded> recorded) {
    /**
     * What the record of a build says.
     *
     * @param totals what is backfilled
     * @param rangesDone the number of ranges that are complete
     * @param ranges the number of ranges that the present master, or the job, backfills; 0 until it has recorded a page
     * @param isPaused whether it stands still until it is resumed
     * @param isOfJob whether a MapReduce job does it in place of the master
     * @param isFailing whether its last call failed, and is retried
     * @param hasFailed whether it has failed, and goes on only if an operator resumes it
     */
    public record Recorded(
            Totals totals,
            int rangesDone,
            int ranges,
            boolean isPaused,
            boolean isOfJob,
            boolean isFailing,
            boolean hasFailed) {
        static Recorded of(BuildRecord.State state) {
            return new Recorded(
                    state.progress().totals(),
                    state.progress().rangesDone(),
                    state.progress().ranges(),
                    state.orders().isPaused(),
                    state.claim().job().isPresent(),
                    state.failing().isPresent(),
                    state.problem().isPresent());
        }
    }

    static BuildReading of(TableName table, String index, Optional<BuildRecord.State> state) {
        return new BuildReading(table, index, state.map(Recorded::of));
    }
}
