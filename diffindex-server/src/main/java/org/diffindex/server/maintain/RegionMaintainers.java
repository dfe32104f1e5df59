package org.diffindex.server.maintain;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDelta;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexSet;
import org.diffindex.model.SessionChange;
import org.diffindex.server.deliver.IndexUpdate;

/**
 * The maintainers of all indexes of a region, and the reader they share: a change is read once for all of them.
 * Thread-safe.
 */
public final class RegionMaintainers {
    /** The approximate maximum number of sets of indexes that are kept for the changes which they belong to. */
    private static final int MOST_SUBSETS = 64;

    private final List<IndexMaintainer> maintainers;
    private final RowReader reader;

    /** The number of columns that the indexes read. */
    private final int columns;

    /** Sets of some of the indexes, of which many changes share one. */
    private final ConcurrentMap<List<IndexDefinition>, IndexSet> subsets = new ConcurrentHashMap<>();

    /**
     * An upper bound of the explicit timestamps of cells and tombstones; never decreases. Written under this object's
     * lock.
     */
    private volatile long horizon = Long.MIN_VALUE;

    /** Creates the maintainers of indexes whose entries do not expire. */
    public RegionMaintainers(Collection<IndexDefinition> definitions, RowReader reader) {
        this(definitions, reader, IndexSet.none());
    }

    /**
     * Creates the maintainers of some indexes.
     *
     * @param expiring the indexes whose entries expire by their stamps
     */
    public RegionMaintainers(Collection<IndexDefinition> definitions, RowReader reader, IndexSet expiring) {
        this.maintainers = definitions.stream()
                .map(definition -> IndexMaintainer.of(definition, expiring.contains(definition)))
                .toList();
        this.reader = reader;
        this.columns = (int) definitions.stream()
                .flatMap(definition -> definition.readColumns().stream())
                .map(column -> List.of(ByteBuffer.wrap(column.family()), ByteBuffer.wrap(column.qualifier())))
                .distinct()
                .count();
    }

    public List<IndexMaintainer> all() {
        return maintainers;
    }

    /** Returns whether any of these indexes is maintained here. */
    public boolean haveAny(IndexSet indexes) {
        return maintainers.stream().anyMatch(maintainer -> indexes.contains(maintainer.definition()));
    }

    /**
     * Records that the region may hold a cell or tombstone to which a client gave that timestamp, or an earlier one.
     */
    public void raiseHorizon(long timestamp) {
        if (timestamp > horizon) {
            synchronized (this) {
                horizon = Math.max(horizon, timestamp);
            }
        }
    }

    /** Returns the highest timestamp passed to {@link #raiseHorizon}; {@link Long#MIN_VALUE} if there is none. */
    public long horizon() {
        return horizon;
    }

    /** Returns whether any index reads a column of a family. */
    public boolean haveColumnOf(byte[] family) {
        return maintainers.stream()
                .flatMap(maintainer -> maintainer.definition().readColumns().stream())
                .anyMatch(column -> Bytes.equals(column.family(), family));
    }

    /** Returns whether a mutation with this cell can change an entry of any index. */
    public boolean concernedBy(Cell cell) {
        for (IndexMaintainer maintainer : maintainers) {
            if (maintainer.concernedBy(cell)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a mutation with this cell can change an entry of any of these indexes. */
    public boolean concernedBy(Cell cell, IndexSet indexes) {
        for (IndexMaintainer maintainer : maintainers) {
            if (indexes.contains(maintainer.definition()) && maintainer.concernedBy(cell)) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a change can change an entry of any of these indexes. */
    public boolean concernedBy(RowChange change, IndexSet indexes) {
        for (IndexMaintainer maintainer : maintainers) {
            if (indexes.contains(maintainer.definition()) && maintainer.concernedBy(change)) {
                return true;
            }
        }
        return false;
    }

    /** Returns those of these indexes of which any change can change an entry. */
    public IndexSet concernedBy(Collection<RowChange> changes, IndexSet indexes) {
        return IndexSet.of(maintainers.stream()
                .filter(maintainer -> indexes.contains(maintainer.definition())
                        && changes.stream().anyMatch(maintainer::concernedBy))
                .map(IndexMaintainer::definition)
                .toList());
    }

    /**
     * Returns the indexes of which a mutation with these cells can change an entry; all of them if there were too many
     * different answers before. Equal sets are one object.
     */
    public IndexSet concernedBy(List<Cell> cells) {
        List<IndexDefinition> concerned = maintainers.stream()
                .filter(maintainer -> cells.stream().anyMatch(maintainer::concernedBy))
                .map(IndexMaintainer::definition)
                .toList();
        if (concerned.size() == maintainers.size()) {
            return IndexSet.all();
        }
        IndexSet known = subsets.get(concerned);
        if (known == null && subsets.size() < MOST_SUBSETS) {
            known = subsets.computeIfAbsent(concerned, IndexSet::of);
        }
        return known == null ? IndexSet.all() : known;
    }

    /** Returns the images of a change, to be shared by all calls for it. */
    public RowImages imagesOf(RowChange change) {
        return new RowImages(change, reader, horizon);
    }

    /**
     * Returns the images of the changes of one batch, in the same order. Reads of the rows before the batch are
     * combined. The rows must be locked.
     *
     * @param memory what the rows showed before the batch, and will show to their next writes
     */
    public List<RowImages> imagesOf(List<RowChange> batch, RowMemory memory) {
        Object era = memory.era(); // before the rows are taken
        List<Optional<List<Cell>>> known = batch.stream()
                .map(change -> memory.take(change.row(), change.before()))
                .toList();
        List<RowChange> unknown = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            if (known.get(i).isEmpty()) {
                unknown.add(batch.get(i));
            }
        }
        RowReader together = new BatchReader(unknown, reader);
        List<RowImages> images = new ArrayList<>(batch.size());
        for (int i = 0; i < batch.size(); i++) {
            RowChange change = batch.get(i);
            Optional<List<Cell>> before = known.get(i);
            RowReader ofRow = before.<RowReader>map(
                            cells -> new RememberedRow(change.before(), cells, memory, together))
                    .orElse(together);
            RowImages ofChange = new RowImages(change, ofRow, before, horizon);
            if (change.isPlainPut()) {
                ofChange.remember(memory, era, before, columns);
            }
            images.add(ofChange);
        }
        return images;
    }

    /**
     * Returns the rows of changes that may lie far in the past. The reads of a row are combined for all of its changes.
     */
    public PastRows pastOf(Collection<RowChange> changes) {
        return new PastRows(changes, reader);
    }

    /** Returns the updates that a change requires in these indexes. */
    public List<IndexUpdate> updates(RowChange change, RowImages images, IndexSet indexes) throws IOException {
        List<IndexUpdate> updates = new ArrayList<>();
        for (IndexMaintainer maintainer : maintainers) {
            if (indexes.contains(maintainer.definition()) && maintainer.concernedBy(change)) {
                IndexDelta delta = maintainer.delta(change, images);
                updates.addAll(updates(maintainer, delta, delta.insert(), change));
            }
        }
        return updates;
    }

    /**
     * An entry that a row had before a change and has not after it.
     *
     * @param index the index, whose scheme leaves the entry
     * @param stamp an upper bound of the stamps at which earlier changes of the row have put the entry
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Replaced(IndexMaintainer index, byte[] row, byte[] key, long stamp) {}

    /**
     * Returns the entries that a change leaves stale, if the row memory knew the row before the change; otherwise they are left to
     * readers. Reads the row only if the change does not tell its entry, and if {@link #updates} has not read it.
     */
    public List<Replaced> replaced(RowChange change, RowImages images) throws IOException {
        if (images.remembered().isEmpty()) {
            return List.of();
        }
        List<Cell> rowBefore = images.remembered().get();
        List<Replaced> replaced = new ArrayList<>(1);
        for (IndexMaintainer maintainer : maintainers) {
            if (maintainer.definition().scheme().leavesStaleEntries() && maintainer.concernedBy(change)) {
                Optional<IndexEntry> after = maintainer.entryAfter(change, images);
                maintainer
                        .function()
                        .entryOf(change.row(), rowBefore)
                        .filter(before -> after.filter(before::sameKey).isEmpty())
                        .map(before -> new Replaced(maintainer, change.row(), before.key(), change.firstStamp() - 1))
                        .ifPresent(replaced::add);
            }
        }
        return replaced;
    }

    /**
     * Returns the inserts of a put into the indexes it affects whose inserts may precede the row; empty if they cannot
     * be computed without reading the row. The caller holds the row's lock, so that no later write becomes visible
     * before this one.
     */
    public Optional<List<IndexUpdate>> insertsToldBy(PlainPut put) {
        if (horizon >= put.stamp()) {
            return Optional.empty();
        }
        List<IndexUpdate> inserts = new ArrayList<>();
        for (IndexMaintainer maintainer : maintainers) {
            if (maintainer.definition().scheme().mayInsertBeforeRow()
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
     * Returns the updates that a change requires in these indexes if the change may lie far in the past ({@link
     * IndexMaintainer#deltaOfThePast}).
     *
     * @param past the rows of this change and possibly others
     */
    public List<IndexUpdate> updatesOfThePast(RowChange change, PastRows past, IndexSet indexes) throws IOException {
        RowImages images = new RowImages(change, past::read, horizon);
        List<Cell> now = past.now(change);
        List<IndexUpdate> updates = new ArrayList<>();
        for (IndexMaintainer maintainer : maintainers) {
            if (indexes.contains(maintainer.definition()) && maintainer.concernedBy(change)) {
                Optional<IndexEntry> entryNow = maintainer.function().entryOf(change.row(), now);
                IndexDelta delta = maintainer.deltaOfThePast(change, images, entryNow);
                updates.addAll(updates(maintainer, delta, entryNow, change));
            }
        }
        return updates;
    }

    /**
     * Returns the effects of a change on the indexes with sessions, for the session that made it.
     *
     * @param readable the indexes that the session's user may read; changes of others are omitted
     */
    public List<SessionChange> sessionChanges(RowChange change, RowImages images, ReadableIndexes readable)
            throws IOException {
        List<SessionChange> changes = new ArrayList<>();
        for (IndexMaintainer maintainer : maintainers) {
            if (maintainer.definition().scheme().hasSessions()
                    && maintainer.concernedBy(change)
                    && readable.test(maintainer.definition())) {
                changes.add(sessionChange(maintainer, change, images));
            }
        }
        return changes;
    }

    /** Decides whether a user may read an index. */
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
