package org.diffindex.cli;

import java.util.Optional;
import org.diffindex.model.IndexState;
import org.diffindex.model.UnloadedIndex;

/**
 * What {@code list}, {@code describe} and {@code status} show of an index that this client cannot load.
 *
 * @param state the state of the index, if no client can read it any more; else empty
 */
record UnloadedText(UnloadedIndex index, Optional<IndexState> state) {
    /** Returns what is shown of an index with a state; empty if the caller may not see it. */
    static UnloadedText of(UnloadedIndex index, Optional<IndexState> state) {
        return new UnloadedText(index, state.filter(known -> known == IndexState.DROPPING));
    }

    /** Returns what is shown of an index that is DISABLED. */
    static UnloadedText disabled(UnloadedIndex index) {
        return new UnloadedText(index, Optional.of(IndexState.DISABLED));
    }

    /** Returns the name of the state, or what is shown in place of it, which the client does not know. */
    String stateName() {
        return state.map(IndexState::name).orElse("UNLOADED");
    }

    /** Returns why the index cannot be loaded, and what to do. */
    String reason() {
        return index.problem() + "; "
                + (state.equals(Optional.of(IndexState.DROPPING))
                        ? "unless a drop-index is running, drop that index, which cannot be read any more"
                        : index.remedy());
    }
}
