package org.diffindex.verify;

import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexEntry;

/** A difference as one look at its place saw it: the base row, the row of the index table, what should be. Immutable. */
final class Sight {
    private final Difference difference;
    private final Optional<byte[]> row;
    private final Optional<IndexRow> found;
    private final Optional<IndexEntry> expected;

    /**
     * A difference.
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

    /** The base row; empty if the index row names none. */
    Optional<byte[]> row() {
        return row;
    }

    /** The row of the index table; empty if the entry is missing. */
    Optional<IndexRow> found() {
        return found;
    }

    /**
     * By what a difference is known again. The entry of a row that is being written has another stamp at each look, and a
     * row that lacks its entry only for a moment has another timestamp, or, if its client gives it always the same one, another
     * key; what has all the same after a drain was no write in flight.
     *
     * @param key of the entry that is missing; empty if none is
     */
    record Mark(Optional<ImmutableBytesWritable> key, long time) {}

    Mark mark() {
        if (found.isPresent()) {
            return new Mark(Optional.empty(), found.get().stamp());
        }
        IndexEntry lacking = expected.orElseThrow();
        return new Mark(Optional.of(new ImmutableBytesWritable(lacking.key())), lacking.timestamp());
    }

    /** The same sight, counted as another difference. */
    Sight as(Difference other) {
        return new Sight(other, row, found, expected);
    }

    /** Where to look again: the base row if its entry is missing, else the key of the index row. */
    byte[] place() {
        return found.isPresent() ? found.get().key() : row.orElseThrow();
    }

    /** About how many bytes the difference takes in memory, but for its objects. */
    long bytes() {
        return row.map(each -> each.length).orElse(0)
                + expected.map(each -> each.key().length).orElse(0)
                + found.map(IndexRow::bytes).orElse(0L);
    }

    /** What the row's server is to do about it; empty if there is nothing that it could. */
    Optional<RowRepair> repair() {
        if (found.isEmpty()) {
            return row.map(RowRepair::missing);
        }
        IndexRow index = found.get();
        return index.hasEntryCell()
                ? row.map(base -> RowRepair.wrong(base, index.key(), index.stamp()))
                : Optional.empty();
    }

    /** The cells that no index ever writes, and which can so be deleted exactly, whatever writers do meanwhile. */
    List<Delete> deletions() {
        return found.map(index -> index.deletionsOf(row.isPresent() ? index.strayCells() : index.cells()))
                .orElse(List.of());
    }

    /** The difference in words. */
    Finding finding() {
        return new Finding(
                difference,
                row.map(Bytes::toStringBinary).orElse(""),
                found.map(IndexRow::toString).orElse(""),
                expected.map(IndexEntry::toString).orElse(""));
    }
}
