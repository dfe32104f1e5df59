package org.diffindex.verify;

import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Result;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.IndexScheme;

/** Says in what way, if any, a row of the index and a row of the base differ. Pure; safe for use by many threads. */
final class EntryJudge {
    private final IndexEntryFunction function;
    private final IndexScheme scheme;
    private final EntryFormat format;

    EntryJudge(IndexDefinition definition) {
        this.function = new IndexEntryFunction(definition);
        this.scheme = definition.scheme();
        this.format = definition.entryFormat();
    }

    /** The entry that a base row should have; none for an empty result. */
    Optional<IndexEntry> expected(Result baseRow) {
        return baseRow.isEmpty() ? Optional.empty() : function.entryOf(baseRow.getRow(), List.of(baseRow.rawCells()));
    }

    /** A row of the index table, which is not empty, taken apart. */
    IndexRow read(Result indexRow) {
        return IndexRow.of(format, indexRow);
    }

    /** Whether the index lacks the entry of a base row, looked up at the entry's key. */
    Optional<Sight> missing(byte[] row, IndexEntry expected, Result atKey) {
        boolean there = !atKey.isEmpty() && read(atKey).hasEntryCell();
        return there
                ? Optional.empty()
                : Optional.of(new Sight(Difference.MISSING, Optional.of(row), Optional.empty(), Optional.of(expected)));
    }

    /** The base row that a key of the index table names, if it is a key and names one. */
    Optional<byte[]> rowOf(byte[] key) {
        try {
            return Optional.of(function.codec().decode(key).row()).filter(row -> row.length > 0);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** What is wrong with a row of the index table. The base row is that of its key, looked up; empty if there is none. */
    Optional<Sight> wrong(IndexRow found, Optional<byte[]> row, Result baseRow) {
        Optional<IndexEntry> expected = expected(baseRow);
        return difference(found, row, expected)
                .map(difference -> new Sight(difference, row, Optional.of(found), expected));
    }

    /** Whether an entry of which this is to be said is worse if its stamp is of the future too. */
    boolean isWorseOfTheFuture(Optional<Sight> wrong) {
        return wrong.map(Sight::difference).stream().allMatch(each -> each.isAllowedBy(scheme));
    }

    /** An entry with a stamp of the future. */
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
        return Optional.of(ofLaterWrite && scheme.leavesStaleEntries() ? Difference.AHEAD : Difference.WRONG_TIMESTAMP);
    }
}
