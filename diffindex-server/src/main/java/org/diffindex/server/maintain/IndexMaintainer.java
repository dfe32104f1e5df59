package org.diffindex.server.maintain;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDelta;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;

/**
 * Works out what a change of a base row means for one index. When that happens, before or after the acknowledgement, is
 * not its concern. Safe for use by many threads.
 */
public abstract class IndexMaintainer {
    private final IndexEntryFunction function;

    IndexMaintainer(IndexEntryFunction function) {
        this.function = function;
    }

    /** The maintainer of an index whose entries do not expire, by its scheme. */
    public static IndexMaintainer of(IndexDefinition definition) {
        return of(definition, false);
    }

    /** The maintainer of an index, by its scheme. */
    static IndexMaintainer of(IndexDefinition definition, boolean expires) {
        IndexEntryFunction function = new IndexEntryFunction(definition);
        return definition.scheme().leavesStaleEntries()
                ? new SyncInsertMaintainer(function)
                : new SyncFullMaintainer(function, expires);
    }

    public IndexEntryFunction function() {
        return function;
    }

    public IndexDefinition definition() {
        return function.definition();
    }

    /** The step that the index has to take. */
    abstract IndexDelta delta(RowChange change, RowImages images) throws IOException;

    /** The row's entry after a change; without a look at the row if the change alone tells it. */
    final Optional<IndexEntry> entryAfter(RowChange change, RowImages images) throws IOException {
        Optional<IndexEntry> fromPut = function.entryToldBy(change.row(), images.surelyVisible());
        return fromPut.isPresent() ? fromPut : function.entryOf(change.row(), images.after());
    }

    /** Whether a mutation with this cell can change the entry. */
    public boolean concernedBy(Cell cell) {
        return function.concernedBy(cell);
    }

    /** Whether a change can change the entry; of a change that is no plain put that is not known, so it may. */
    final boolean concernedBy(RowChange change) {
        return !change.isPlainPut() || change.plainCells().stream().anyMatch(this::concernedBy);
    }
}
