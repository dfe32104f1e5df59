package org.diffindex.cli.chaos;

import java.util.Optional;

/**
 * What a base row shows of the two columns that the check follows.
 *
 * @param value the indexed value; empty if the row has none
 * @param tag the tag of the write that made it so; empty if the row has none
 */
record RowState(Optional<String> value, Optional<String> tag) {
    /** A row that is not there. */
    static final RowState NONE = new RowState(Optional.empty(), Optional.empty());

    static RowState of(String value, String tag) {
        return new RowState(Optional.of(value), Optional.of(tag));
    }

    /** A row that lost its value by a write with this tag. */
    static RowState withoutValue(String tag) {
        return new RowState(Optional.empty(), Optional.of(tag));
    }

    boolean has(String wanted) {
        return value.isPresent() && value.get().equals(wanted);
    }

    @Override
    public String toString() {
        return value.orElse("-") + "/" + tag.orElse("-");
    }
}
