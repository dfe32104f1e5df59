package org.diffindex.verify;

import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexEntry;

/**
 * A difference as one look at its place saw it: the base row, the row of the index table, and the expected entry.
 * Immutable.
 */
final class Sight {
    private final Difference difference;
    private final Optional<byte[]> row;
    private final Optional<IndexRow> found;
    private final Optional<IndexEntry> expected;

    /**
     * Creates a difference.
     *
     * @param row the base row; empty if the index row names none
     * @param found the row of the index table; empty if the entry is missing
     * @param expected the entry that the base row should have
     */
    Sight(Difference difference, Optional<byte[]> row, Optional<IndexRow> found, Optional<IndexEntry> expected) {
        this.difference = difference;
        this.row = row;
        this.found = found;
        this.expected = expected;
    }

    Difference difference() {
        return difference;
    }

    /** Returns the base row; empty if the index row names none. */
    Optional<byte[]> row() {
        return row;
    }

    /** Returns the row of the index table; empty if the entry is missing. */
    Optional<IndexRow> found() {
        return found;
    }

    /**
     * Identifies a difference. The entry of a row that is being written has another stamp at each look. A row that
     * lacks its entry only for a moment has another timestamp at each look or, if its client always gives it the same
     * timestamp, another key. A difference that has the same mark after a drain is not a write in flight,
     * unless the row has returned to the same value and timestamp, as {@link SecondLooks} describes.
     *
     * @param key the key of the entry that is missing; empty if none is missing
     * @param time the stamp of the index row, or the base timestamp of the missing entry
     */
    record Mark(Optional<ImmutableBytesWritable> key, long time) {}

    Mark mark() {
        if (found.isPresent()) {
            return new Mark(Optional.empty(), found.get().stamp());
        }
        IndexEntry lacking = expected.orElseThrow();
        return new Mark(Optional.of(new ImmutableBytesWritable(lacking.key())), lacking.timestamp());
    }

    /** Returns the same sight, counted as another difference. */
    Sight as(Difference other) {
        return new Sight(other, row, found, expected);
    }

    /** Returns the key to look at again: the base row if its entry is missing, otherwise the key of the index row. */
    byte[] place() {
        return found.isPresent() ? found.get().key() : row.orElseThrow();
    }

    /** Returns approximately how many bytes the difference occupies in memory, without its objects. */
    long bytes() {
        return row.map(each -> each.length).orElse(0)
                + expected.map(each -> each.key().length).orElse(0)
                + found.map(IndexRow::bytes).orElse(0L);
    }

    /** Returns the repair to ask of the row's server; empty if it can do nothing. */
    Optional<RowRepair> repair() {
        if (found.isEmpty()) {
            return row.map(RowRepair::missing);
        }
        IndexRow index = found.get();
        return index.hasEntryCell()
                ? row.map(base -> RowRepair.wrong(base, index.key(), index.stamp()))
                : Optional.empty();
    }

    /**
     * Returns the deletions of cells that no index ever writes, which can therefore be deleted exactly, whatever
     * writers do meanwhile.
     */
    List<Delete> deletions() {
        return found.map(index -> index.deletionsOf(row.isPresent() ? index.strayCells() : index.cells()))
                .orElse(List.of());
    }

    /** Returns the difference as text. */
    FoundDifference asText() {
        return new FoundDifference(
                difference,
                row.map(Bytes::toStringBinary).orElse(""),
                found.map(IndexRow::toString).orElse(""),
                expected.map(IndexEntry::toString).orElse(""));
    }
}
