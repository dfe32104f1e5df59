package org.diffindex.verify;

/**
 * One difference that a scrub found, as text; bytes are written by {@link
 * org.apache.hadoop.hbase.util.Bytes#toStringBinary}. Immutable.
 *
 * @param difference in what way index and base differ
 * @param row the base row; empty if the index row names none
 * @param entry the entry in the index table, {@code KEY@BASE_TIMESTAMP}; empty if there is none
 * @param expected the entry that the base row should have; empty if it should have none
 */
public record FoundDifference(Difference difference, String row, String entry, String expected) {
    @Override
    public String toString() {
        return difference.label() + " row=" + row + " entry=" + (entry.isEmpty() ? "none" : entry) + " expected="
                + (expected.isEmpty() ? "none" : expected);
    }
}
