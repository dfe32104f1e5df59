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
 * Computes what a change of a base row means for one index, according to the properties of the index's scheme. Does not
 * decide whether this happens before or after the acknowledgement. Thread-safe.
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

    /** Returns the maintainer of an index whose entries do not expire. */
    public static IndexMaintainer of(IndexDefinition definition) {
        return of(definition, false);
    }

    /**
     * Returns the maintainer of an index.
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

    /** Returns the delta of the index for a change. */
    IndexDelta delta(RowChange change, RowImages images) throws IOException {
        return scheme.leavesStaleEntries() ? insert(change, images) : replacement(change, images);
    }

    /**
     * Puts the new entry and leaves the old one to readers: SU2 of the paper's algorithm 1. Reads no base row for a
     * plain put of all columns of the index, unless an explicit timestamp in the region may hide the put. A delete may
     * make an older value reappear whose entry read repair has removed; so after any other change the row's current
     * entry is put again, unless a single write left it as it was.
     *
     * <p>Such a write may have failed, so that the WAL, and with it the next server of the region, does not know its
     * stamp. A put of the entry of an earlier write at that stamp would hide what later writes put at earlier stamps.
     *
     * <p>If the row has no entry because it shows a protected cell, the old entry is deleted: it may have the same value, and
     * whoever may read the index may see it before a reader finds it stale.
     */
    private IndexDelta insert(RowChange change, RowImages images) throws IOException {
        Optional<IndexEntry> after = entryAfter(change, images);
        if (after.isEmpty() && function.isProtected(images.after())) {
            return replacement(change, images);
        }
        return IndexDelta.insertOnly(isLeftAsItWas(after, change, images) ? Optional.empty() : after);
    }

    /**
     * Returns whether a change is a single write that left an entry as it was. Reads the row only if the entry has the
     * timestamp of another write.
     */
    private boolean isLeftAsItWas(Optional<IndexEntry> after, RowChange change, RowImages images) throws IOException {
        return !change.isOfSeveralWrites()
                && after.filter(entry -> !isOf(change, entry)).isPresent()
                && after.equals(function.entryOf(change.row(), images.before()));
    }

    /** Returns whether the timestamp of an entry is one of a change's stamps. */
    private static boolean isOf(RowChange change, IndexEntry entry) {
        return change.firstStamp() <= entry.timestamp() && entry.timestamp() <= change.lastStamp();
    }

    /**
     * Puts the new entry and deletes the old one: SU2 to SU4 of the paper's algorithm 1 and, when run by the APS, BA2
     * to BA4 of its algorithm 4. Reads the base row once for a plain put, unless a cell or tombstone with a later
     * timestamp may hide the put.
     *
     * <p>Several writes that together restore the row's entry put it again: {@link #deltaOfThePast} may have omitted it
     * while the row had another. This does not apply where entries expire: at a later stamp the entry would outlive its
     * cell, and there no sequence of writes restores an entry with its former timestamp.
     */
    private IndexDelta replacement(RowChange change, RowImages images) throws IOException {
        Optional<IndexEntry> before = function.entryOf(change.row(), images.before());
        Optional<IndexEntry> after = function.entryOf(change.row(), images.after());
        return !expires && change.isOfSeveralWrites() && before.equals(after)
                ? IndexDelta.insertOnly(after)
                : IndexDelta.between(before, after);
    }

    /**
     * Returns the delta for a change that may lie far in the past: an entry the row no longer has is not put. The write
     * that removed it has its own updates, but the index may already have dropped the tombstone they left and would
     * keep the entry. If the row regains the entry, the change that restores it puts it.
     *
     * <p>A change that deletes an entry of a synchronous index also puts the row's present entry, at a stamp of the
     * change: the write that created the present entry may still be in flight to the index, and until it arrives the
     * row would have no entry. That write puts the entry again at a later stamp, and the write that ends the entry
     * deletes both. In an asynchronous index both writes may be merged into one change, which would not delete the
     * entry.
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

    /** Returns the row's entry after a change; does not read the row if the change alone determines the entry. */
    Optional<IndexEntry> entryAfter(RowChange change, RowImages images) throws IOException {
        Optional<IndexEntry> fromPut = function.entryToldBy(change.row(), images.surelyVisible());
        return fromPut.isPresent() ? fromPut : function.entryOf(change.row(), images.after());
    }

    /** Returns whether a mutation with this cell can change the entry. */
    public boolean concernedBy(Cell cell) {
        return function.concernedBy(cell);
    }

    /**
     * Returns whether a change is for the index and can change the entry; the latter is assumed of a change whose
     * cells are unknown.
     */
    boolean concernedBy(RowChange change) {
        return change.isFor(definition())
                && change.mayConcern(definition())
                && (!change.isPlainPut() || change.plainCells().stream().anyMatch(this::concernedBy));
    }
}
