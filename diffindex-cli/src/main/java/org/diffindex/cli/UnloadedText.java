package org.diffindex.cli;

import java.util.Optional;
import org.diffindex.model.IndexState;
import org.diffindex.model.UnloadedIndex;

/**
 * What {@code list}, {@code describe} and {@code status} show of an index that this client cannot load.
 *
 * @param isDropping whether the drop of the index has begun, so that no client can read it any more
 */
record UnloadedText(UnloadedIndex index, boolean isDropping) {
    /** Returns what is shown of an index with a state; empty if the caller may not see it. */
    static UnloadedText of(UnloadedIndex index, Optional<IndexState> state) {
        return new UnloadedText(index, state.equals(Optional.of(IndexState.DROPPING)));
    }

    /** Returns what is shown in place of the state, which the client does not know. */
    String state() {
        return isDropping ? IndexState.DROPPING.name() : "UNLOADED";
    }

    /** Returns why the index cannot be loaded, and what to do. */
    String reason() {
        return index.problem() + "; "
                + (isDropping
                        ? "unless a drop-index is running, drop that index, which cannot be read any more"
                        : index.remedy());
    }
}
