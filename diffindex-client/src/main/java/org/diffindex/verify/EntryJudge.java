package org.diffindex.verify;

import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Result;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.IndexScheme;

/** Decides in what way, if any, a row of the index and a row of the base differ. Pure; safe for use by many threads. */
final class EntryJudge {
    private final IndexEntryFunction function;
    private final IndexScheme scheme;
    private final EntryFormat format;

    EntryJudge(IndexDefinition definition) {
        this.function = new IndexEntryFunction(definition);
        this.scheme = definition.scheme();
        this.format = definition.entryFormat();
    }

    /** Returns the entry that a base row should have; none for an empty result. */
    Optional<IndexEntry> expected(Result baseRow) {
        return baseRow.isEmpty() ? Optional.empty() : function.entryOf(baseRow.getRow(), List.of(baseRow.rawCells()));
    }

    /** Decodes a row of the index table, which is not empty. */
    IndexRow read(Result indexRow) {
        return IndexRow.of(format, indexRow);
    }

    /**
     * Returns the difference if the index lacks the entry of a base row.
     *
     * @param atKey the row of the index table at the entry's key
     */
    Optional<Sight> missing(byte[] row, IndexEntry expected, Result atKey) {
        boolean there = !atKey.isEmpty() && read(atKey).hasEntryCell();
        return there
                ? Optional.empty()
                : Optional.of(new Sight(Difference.MISSING, Optional.of(row), Optional.empty(), Optional.of(expected)));
    }

    /** Returns the base row that a key of the index table names; empty if it cannot be decoded or names none. */
    Optional<byte[]> rowOf(byte[] key) {
        try {
            return Optional.of(function.codec().decode(key).row()).filter(row -> row.length > 0);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /**
     * Returns the difference of a row of the index table, if any.
     *
     * @param row the base row that its key names
     * @param baseRow that row, looked up; an empty result if there is none
     */
    Optional<Sight> wrong(IndexRow found, Optional<byte[]> row, Result baseRow) {
        Optional<IndexEntry> expected = expected(baseRow);
        return difference(found, row, expected)
                .map(difference -> new Sight(difference, row, Optional.of(found), expected));
    }

    /** Returns whether a future stamp is the more serious difference of an entry that has the given one. */
    boolean isWorseOfTheFuture(Optional<Sight> wrong) {
        return wrong.map(Sight::difference).stream().allMatch(each -> each.isAllowedBy(scheme));
    }

    /** Returns the difference of an entry with a future stamp. */
    Sight future(IndexRow found, byte[] row, Result baseRow) {
        return new Sight(Difference.FUTURE_STAMP, Optional.of(row), Optional.of(found), expected(baseRow));
    }

    private Optional<Difference> difference(IndexRow found, Optional<byte[]> row, Optional<IndexEntry> expected) {
        Optional<IndexEntry> entry = found.entry();
        if (row.isEmpty() || entry.isEmpty()) {
            return Optional.of(Difference.UNDECODABLE);
        }
        if (!found.strayCells().isEmpty()) {
            return Optional.of(Difference.DUPLICATE);
        }
        if (expected.isEmpty()) {
            return Optional.of(Difference.DANGLING);
        }
        if (!expected.get().sameKey(entry.get())) {
            return Optional.of(Difference.STALE);
        }
        if (expected.get().equals(entry.get())) {
            return Optional.empty();
        }
        boolean ofLaterWrite = entry.get().timestamp() > expected.get().timestamp();
        return Optional.of(ofLaterWrite && scheme.mayInsertBeforeRow() ? Difference.AHEAD : Difference.WRONG_TIMESTAMP);
    }
}
