package org.diffindex.server.maintain;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDelta;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.SessionChange;
import org.diffindex.server.deliver.IndexUpdate;

/**
 * The maintainers of all indexes of a region, and the reader that they share: a change is read once for all of them.
 * Safe for use by many threads.
 */
public final class RegionMaintainers {
    private final List<IndexMaintainer> maintainers;
    private final RowReader reader;

    /** No cell or tombstone that a client gave a timestamp is later than this; only grows. Guarded by this. */
    private volatile long horizon = Long.MIN_VALUE;

    /** Those of indexes whose entries do not expire. */
    public RegionMaintainers(Collection<IndexDefinition> definitions, RowReader reader) {
        this(definitions, reader, index -> false);
    }

    /**
     * The maintainers of some indexes.
     *
     * @param expires holds of the indexes whose entries expire by their stamps
     */
    public RegionMaintainers(
            Collection<IndexDefinition> definitions, RowReader reader, Predicate<IndexDefinition> expires) {
        this.maintainers = definitions.stream()
                .map(definition -> IndexMaintainer.of(definition, expires.test(definition)))
                .toList();
        this.reader = reader;
    }

    public List<IndexMaintainer> all() {
        return maintainers;
    }

    /** Whether a write has to wait for any of the indexes. */
    public boolean hasSynchronous() {
        return maintainers.stream()
                .anyMatch(maintainer -> !maintainer.definition().scheme().isAsynchronous());
    }

    /** Whether entries of an index may be put before the row has the value that they are of. */
    public boolean hasInserts() {
        return maintainers.stream()
                .anyMatch(maintainer -> maintainer.definition().scheme().leavesStaleEntries());
    }

    /** The region holds a cell or tombstone of that explicit timestamp. */
    public void raiseHorizon(long timestamp) {
        if (timestamp > horizon) {
            synchronized (this) {
                horizon = Math.max(horizon, timestamp);
            }
        }
    }

    /** The newest explicit timestamp in the region; {@link Long#MIN_VALUE} if it has none. */
    public long horizon() {
        return horizon;
    }

    /** Whether any index has a column of a family. */
    public boolean haveColumnOf(byte[] family) {
        return maintainers.stream()
                .flatMap(maintainer -> maintainer.definition().readColumns().stream())
                .anyMatch(column -> Bytes.equals(column.family(), family));
    }

    /** Whether any index is concerned by a cell of a mutation. */
    public boolean concernedBy(Cell cell) {
        for (IndexMaintainer maintainer : maintainers) {
            if (maintainer.concernedBy(cell)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a change concerns an index of which the predicate holds. */
    public boolean concernedBy(RowChange change, Predicate<IndexDefinition> indexes) {
        for (IndexMaintainer maintainer : maintainers) {
            if (indexes.test(maintainer.definition()) && maintainer.concernedBy(change)) {
                return true;
            }
        }
        return false;
    }

    /** The images of a change, to be shared by the calls for it. */
    public RowImages imagesOf(RowChange change) {
        return new RowImages(change, reader, horizon);
    }

    /** The images of the changes of one batch, in their order: what must be read is read for all of them together. */
    public List<RowImages> imagesOf(List<RowChange> batch) {
        RowReader together = new BatchReader(batch, reader);
        return batch.stream()
                .map(change -> new RowImages(change, together, horizon))
                .toList();
    }

    /** The rows of changes that may lie far back: what must be read of a row is read for all of its changes together. */
    public PastRows pastOf(Collection<RowChange> changes) {
        return new PastRows(changes, reader);
    }

    /** The updates that a change asks for in the indexes of which the predicate holds. */
    public List<IndexUpdate> updates(RowChange change, RowImages images, Predicate<IndexDefinition> indexes)
            throws IOException {
        List<IndexUpdate> updates = new ArrayList<>();
        for (IndexMaintainer maintainer : maintainers) {
            if (indexes.test(maintainer.definition()) && maintainer.concernedBy(change)) {
                IndexDelta delta = maintainer.delta(change, images);
                updates.addAll(updates(maintainer, delta, delta.insert(), change));
            }
        }
        return updates;
    }

    /**
     * What a put does to the sync-insert indexes that it concerns; empty if that takes a look at the row. Its row must be
     * locked, so that no later write is seen before it.
     */
    public Optional<List<IndexUpdate>> insertsToldBy(PlainPut put) {
        if (horizon >= put.stamp()) {
            return Optional.empty();
        }
        List<IndexUpdate> inserts = new ArrayList<>();
        for (IndexMaintainer maintainer : maintainers) {
            if (maintainer.definition().scheme().leavesStaleEntries()
                    && put.indexedCells().stream().anyMatch(maintainer::concernedBy)) {
                Optional<IndexEntry> entry = maintainer.function().entryToldBy(put.row(), put.indexedCells());
                if (entry.isEmpty()) {
                    return Optional.empty();
                }
                inserts.addAll(updates(maintainer, IndexDelta.insertOnly(entry), entry, put.stamp(), put.stamp()));
            }
        }
        return Optional.of(inserts);
    }

    private static List<IndexUpdate> updates(
            IndexMaintainer maintainer, IndexDelta delta, Optional<IndexEntry> successor, RowChange change) {
        return updates(maintainer, delta, successor, change.firstStamp(), change.lastStamp());
    }

    private static List<IndexUpdate> updates(
            IndexMaintainer maintainer,
            IndexDelta delta,
            Optional<IndexEntry> successor,
            long firstStamp,
            long lastStamp) {
        return IndexUpdate.of(maintainer.definition(), delta, successor, firstStamp, lastStamp);
    }

    /**
     * As {@link #updates}, for a change that may lie far back: an entry that the row has not any more is not put. What ended
     * it has its own updates; but the index may have forgotten the tombstone that these left, and would keep the entry. If the
     * row gets the entry back later, the change that brings it puts it.
     *
     * <p>With a delete the entry that the row has now is put into a synchronous index, at a stamp of the change: the write that
     * brought it may be on its way to the index still, and until it arrives the row would have no entry. That write puts it
     * again, at a later stamp, and the one that ends the entry deletes both. In an asynchronous index nobody might delete it:
     * both writes may be merged into one change.
     *
     * @param past of this change, and others
     */
    public List<IndexUpdate> updatesOfThePast(RowChange change, PastRows past, Predicate<IndexDefinition> indexes)
            throws IOException {
        RowImages images = new RowImages(change, past::read, horizon);
        List<Cell> now = past.now(change);
        List<IndexUpdate> updates = new ArrayList<>();
        for (IndexMaintainer maintainer : maintainers) {
            if (indexes.test(maintainer.definition()) && maintainer.concernedBy(change)) {
                IndexDelta delta = maintainer.delta(change, images);
                Optional<IndexEntry> entryNow = maintainer.function().entryOf(change.row(), now);
                updates.addAll(updates(maintainer, due(maintainer, delta, entryNow), entryNow, change));
            }
        }
        return updates;
    }

    private static IndexDelta due(IndexMaintainer maintainer, IndexDelta delta, Optional<IndexEntry> now) {
        boolean isMerged = maintainer.definition().isAsynchronous();
        boolean putsNow =
                delta.insert().equals(now) || (!isMerged && delta.delete().isPresent());
        return new IndexDelta(putsNow ? now : Optional.empty(), delta.delete());
    }

    /**
     * What a change came to in the async-session indexes that it concerns, for the session that made it.
     *
     * @param readable the indexes that the session's user may read, and so may hear of
     */
    public List<SessionChange> sessionChanges(RowChange change, RowImages images, ReadableIndexes readable)
            throws IOException {
        List<SessionChange> changes = new ArrayList<>();
        for (IndexMaintainer maintainer : maintainers) {
            if (maintainer.definition().scheme() == IndexScheme.ASYNC_SESSION
                    && maintainer.concernedBy(change)
                    && readable.test(maintainer.definition())) {
                changes.add(sessionChange(maintainer, change, images));
            }
        }
        return changes;
    }

    /** Whether a user may read an index. */
    @FunctionalInterface
    public interface ReadableIndexes {
        boolean test(IndexDefinition index) throws IOException;
    }

    private static SessionChange sessionChange(IndexMaintainer maintainer, RowChange change, RowImages images)
            throws IOException {
        IndexDefinition index = maintainer.definition();
        long since = change.firstStamp();
        return maintainer
                .entryAfter(change, images)
                .map(entry -> SessionChange.entry(
                        index, change.row(), since, entry, IndexUpdate.insertStamp(entry, since, change.lastStamp())))
                .orElseGet(() -> SessionChange.noEntry(index, change.row(), since));
    }
}
