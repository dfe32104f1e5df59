package org.diffindex.lab.chaos;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * The columns of a base row that the checks follow, as a read shows them.
 *
 * @param value the indexed value; empty if the row has none
 * @param number the number, which the second index also holds; empty if the row has none
 * @param tag the tag of the write that set or deleted the value; empty if the row has none
 */
record RowState(Optional<String> value, OptionalLong number, Optional<String> tag) {
    /** The state of a row that does not exist. */
    static final RowState NONE = new RowState(Optional.empty(), OptionalLong.empty(), Optional.empty());

    static RowState of(String value, long number, String tag) {
        return new RowState(Optional.of(value), OptionalLong.of(number), Optional.of(tag));
    }

    /** Returns the state after a write with this tag deleted the value. */
    RowState withoutValue(String by) {
        return new RowState(Optional.empty(), number, Optional.of(by));
    }

    /** Returns the state after an increment of the number by one. */
    RowState incremented() {
        return new RowState(value, OptionalLong.of(number.orElse(0) + 1), tag);
    }

    boolean has(String wanted) {
        return value.isPresent() && value.get().equals(wanted);
    }

    @Override
    public String toString() {
        return value.orElse("-") + "/" + (number.isPresent() ? number.getAsLong() : "-") + "/" + tag.orElse("-");
    }
}
