package org.diffindex.client;

import java.util.Optional;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexState;

/**
 * How far a change of the columns of an index is, until its readers go over to them. Immutable.
 *
 * @param target the shadow that is to replace the index
 * @param state its state; empty if it has no table, or the caller may not see that table's descriptor
 * @param build how far its build is; empty if it is not BUILDING or BROKEN, or no region of the base table answers
 */
public record ColumnsChangeStatus(IndexDefinition target, Optional<IndexState> state, Optional<BuildStatus> build) {
    private static final int WHOLE = 100;

    /** Returns the state in a few words, such as {@code BUILDING 43%}; by the ranges of rows that are complete. */
    public String progress() {
        String percent = build.filter(status -> status.ranges() > 0)
                .map(status -> " " + WHOLE * status.rangesDone() / status.ranges() + "%")
                .orElse("");
        return state.map(IndexState::name).orElse("UNKNOWN") + percent;
    }
}
