package org.diffindex.lab.chaos;

import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One hit of a read by index.
 *
 * @param row the row
 * @param value the value under which it was found
 * @param number the number under which it was found; empty for an index that holds none
 * @param base the base row that came with it; empty if only keys were asked for
 */
record Hit(String row, String value, OptionalLong number, Optional<BaseRow> base) {
    /** The order of an index. */
    static final Comparator<Hit> ORDER = Comparator.comparing(Hit::value)
            .thenComparingLong(hit -> hit.number().orElse(0))
            .thenComparing(Hit::row);

    /**
     * A base row as a read by index gave it.
     *
     * @param state what it shows
     * @param hasTimeOfHit whether the newest of its indexed cells has the timestamp of the hit
     */
    record BaseRow(RowState state, boolean hasTimeOfHit) {}

    /** A hit of an index that holds no numbers, without its row. */
    Hit(String row, String value) {
        this(row, value, OptionalLong.empty(), Optional.empty());
    }

    /** Whether it is the entry of a row in that state. */
    boolean isOf(RowState state) {
        return state.has(value) && (number.isEmpty() || number.equals(state.number()));
    }
}
