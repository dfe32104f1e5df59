package org.diffindex.lab.chaos;

import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * One hit of a read by index.
 *
 * @param row the row key
 * @param value the value in the index entry
 * @param number the number in the index entry; empty if the index holds none
 * @param base the base row returned with the hit; empty if the read asked for keys only
 * @param hasOtherTime whether the newest indexed cell of the row, read after a hit of keys only, has another timestamp
 *     than the hit; false if the row was not read
 */
record Hit(String row, String value, OptionalLong number, Optional<BaseRow> base, boolean hasOtherTime) {
    /** The order of an index. */
    static final Comparator<Hit> ORDER = Comparator.comparing(Hit::value)
            .thenComparingLong(hit -> hit.number().orElse(0))
            .thenComparing(Hit::row);

    /**
     * A base row returned by a read by index.
     *
     * @param state its state
     * @param hasTimeOfHit whether the newest of its indexed cells has the timestamp of the hit
     */
    record BaseRow(RowState state, boolean hasTimeOfHit) {}

    /** Creates a hit whose row was not read after it. */
    Hit(String row, String value, OptionalLong number, Optional<BaseRow> base) {
        this(row, value, number, base, false);
    }

    /** Creates a hit of an index without numbers, without its base row. */
    Hit(String row, String value) {
        this(row, value, OptionalLong.empty(), Optional.empty());
    }

    /** Returns whether the hit is the entry of a row in that state. */
    boolean isOf(RowState state) {
        return state.has(value) && (number.isEmpty() || number.equals(state.number()));
    }
}
