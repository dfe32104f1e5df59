package org.diffindex.server.maintain;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDelta;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.IndexScheme;

/**
 * Works out what a change of a base row means for one index, by the properties of the index's scheme. When that happens, before or
 * after the acknowledgement, is not its concern. Safe for use by many threads.
 */
public final class IndexMaintainer {
    private final IndexEntryFunction function;
    private final IndexScheme scheme;
    private final boolean expires;

    private IndexMaintainer(IndexDefinition definition, boolean expires) {
        this.function = new IndexEntryFunction(definition);
        this.scheme = definition.scheme();
        this.expires = expires;
    }

    /** The maintainer of an index whose entries do not expire. */
    public static IndexMaintainer of(IndexDefinition definition) {
        return of(definition, false);
    }

    /**
     * The maintainer of an index.
     *
     * @param expires whether its entries expire by their stamps
     */
    static IndexMaintainer of(IndexDefinition definition, boolean expires) {
        return new IndexMaintainer(definition, expires);
    }

    public IndexEntryFunction function() {
        return function;
    }

    public IndexDefinition definition() {
        return function.definition();
    }

    /** The step that the index has to take. */
    IndexDelta delta(RowChange change, RowImages images) throws IOException {
        return scheme.leavesStaleEntries() ? insert(change, images) : replacement(change, images);
    }

    /**
     * Puts the new entry and leaves the old one to the readers: SU2 of the paper's algorithm 1. No base read for a plain put
     * of all the columns of the index. A delete may let an older value reappear, whose entry a reader may have cleared
     * away, so after anything else the entry of the row as it is now is put again.
     */
    private IndexDelta insert(RowChange change, RowImages images) throws IOException {
        return IndexDelta.insertOnly(entryAfter(change, images));
    }

    /**
     * Puts the new entry and deletes the old one: SU2 to SU4 of the paper's algorithm 1, and, run by the APS, BA2 to BA4 of
     * its algorithm 4. One base read for a plain put.
     *
     * <p>Several writes that together bring the row back to its entry put it again: {@link #deltaOfThePast} may have left it out
     * while the row had another. Not so where entries expire: at a later stamp the entry would outlive its cell, and there no
     * writes bring an entry back with the timestamp that it had.
     */
    private IndexDelta replacement(RowChange change, RowImages images) throws IOException {
        Optional<IndexEntry> before = function.entryOf(change.row(), images.before());
        Optional<IndexEntry> after = function.entryOf(change.row(), images.after());
        return !expires && change.isOfSeveralWrites() && before.equals(after)
                ? IndexDelta.insertOnly(after)
                : IndexDelta.between(before, after);
    }

    /**
     * The step for a change that may lie far back: an entry that the row has not any more is not put. What ended it has its own
     * updates; but the index may have forgotten the tombstone that these left, and would keep the entry. If the row gets the
     * entry back later, the change that brings it puts it.
     *
     * <p>With a delete the entry that the row has now is put into a synchronous index, at a stamp of the change: the write that
     * brought it may be on its way to the index still, and until it arrives the row would have no entry. That write puts it
     * again, at a later stamp, and the one that ends the entry deletes both. In an asynchronous index nobody might delete it:
     * both writes may be merged into one change.
     *
     * @param now the row's present entry
     */
    IndexDelta deltaOfThePast(RowChange change, RowImages images, Optional<IndexEntry> now) throws IOException {
        IndexDelta delta = delta(change, images);
        boolean isMerged = scheme.isAsynchronous();
        boolean putsNow =
                delta.insert().equals(now) || (!isMerged && delta.delete().isPresent());
        return new IndexDelta(putsNow ? now : Optional.empty(), delta.delete());
    }

    /** The row's entry after a change; without a look at the row if the change alone tells it. */
    Optional<IndexEntry> entryAfter(RowChange change, RowImages images) throws IOException {
        Optional<IndexEntry> fromPut = function.entryToldBy(change.row(), images.surelyVisible());
        return fromPut.isPresent() ? fromPut : function.entryOf(change.row(), images.after());
    }

    /** Whether a mutation with this cell can change the entry. */
    public boolean concernedBy(Cell cell) {
        return function.concernedBy(cell);
    }

    /** Whether a change can change the entry; of a change that is no plain put that is not known, so it may. */
    boolean concernedBy(RowChange change) {
        return !change.isPlainPut() || change.plainCells().stream().anyMatch(this::concernedBy);
    }
}
