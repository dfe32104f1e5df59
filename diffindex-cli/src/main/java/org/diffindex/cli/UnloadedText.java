package org.diffindex.cli;

import org.diffindex.model.UnloadedIndex;

/**
 * What {@code list}, {@code describe} and {@code status} show of an index that this client cannot load.
 *
 * @param isDropping whether the drop of the index has begun, so that no client can read it any more
 */
record UnloadedText(UnloadedIndex index, boolean isDropping) {
    /** Returns what is shown in place of the state, which the client does not know. */
    String state() {
        return isDropping ? StatusText.DROPPING : "UNLOADED";
    }

    /** Returns why the index cannot be loaded, and what to do. */
    String reason() {
        return index.problem() + "; "
                + (isDropping
                        ? "unless a drop-index is running, drop that index, which cannot be read any more"
                        : index.remedy());
    }
}
