package org.diffindex.server.queue;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexSet;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.spill.SpillContent;
import org.diffindex.server.spill.SpillFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of one region's AUQ that is on disk. A change is written for one of two reasons. When its row is flushed,
 * the WAL no longer keeps it: it is <em>covered</em> by a file and stays in memory as well. When memory for index
 * updates is short, it is <em>parked</em>: only the file holds it until it can be loaded again. Files found when the
 * region opens are parked too.
 *
 * <p>A file names the indexes that lack its changes. Each of them loads the file independently of the others, when it
 * takes updates. The file is removed when each of its changes is delivered to all of them or held by another file, and
 * when the region opens and the table has none of these indexes. No method calls an index table; only
 * {@link #whileLackingIsLoaded} waits for one to take updates, for a limited time.
 *
 * <p>Thread-safe: used by the threads that flush, open and close the region, the APS and its lanes, the disk thread,
 * and handlers. One thread at a time covers, under the monitor of this object.
 */
public final class Spill {
    private static final Logger LOG = LoggerFactory.getLogger(Spill.class);
    private static final int CHANGES_PER_FILE = 10_000;

    private final SpillFiles files;
    private final UpdateQueue queue;
    private final AppliedBatches appliedBatches;
    private final FlushBarrier barrier;
    private final QueueMemory memory;
    private final Executor disk;
    private final DeliveryStats stats;
    private final ParkedFiles parked;

    /** Null until {@link #find}; set once, by the thread that opens the region. */
    private volatile FoundStamps foundStamps;

    /** Set once, by the thread that closes the region. */
    private volatile boolean closed;

    /** One index's reference to a file that it has loaded. */
    private record Loaded(CoveringFile file, int changes) implements PendingBatch.Cover {
        @Override
        public void release() {
            file.release();
        }
    }

    /**
     * Creates a spill with nothing on disk.
     *
     * @param disk runs the removal of files
     * @param stats counts the files
     * @param lock guards the parked files; {@link #whileLackingIsLoaded} waits at a condition of it
     */
    public Spill(
            SpillFiles files,
            UpdateQueue queue,
            AppliedBatches appliedBatches,
            FlushBarrier barrier,
            QueueMemory memory,
            Executor disk,
            DeliveryStats stats,
            Lock lock) {
        this.files = files;
        this.queue = queue;
        this.appliedBatches = appliedBatches;
        this.barrier = barrier;
        this.memory = memory;
        this.disk = disk;
        this.stats = stats;
        this.parked = new ParkedFiles(lock);
    }

    /**
     * Parks the files that earlier holders of the region's rows left. Must be called before the region flushes or
     * compacts. A file that cannot be read is parked for all indexes.
     *
     * @param stamps receives the content of each file for its stamps, which other servers gave; empty for a file that
     *     cannot be read, whose content it receives before an index gets its changes
     */
    public void find(Consumer<Optional<SpillContent>> stamps) throws IOException {
        FoundStamps found = new FoundStamps(stamps);
        for (Path path : files.find()) {
            Optional<SpillContent> content = files.tryRead(path);
            found.in(path, content);
            long pastNeededFrom = content.map(SpillContent::pastNeededFrom).orElse(0L);
            List<IndexDefinition> lackedBy = content.map(files::lackedBy).orElse(files.indexes());
            if (lackedBy.isEmpty()) {
                removeLater(path);
            } else {
                park(path, lackedBy, pastNeededFrom, index -> barrier.register(index.name()));
            }
        }
        foundStamps = found;
    }

    private void park(
            Path path,
            Collection<IndexDefinition> lackedBy,
            long pastNeededFrom,
            Function<IndexDefinition, FlushBarrier.Registration> registration) {
        Map<IndexDefinition, FlushBarrier.Registration> registrations = new LinkedHashMap<>();
        lackedBy.forEach(index -> registrations.put(index, registration.apply(index)));
        registrations.values().forEach(each -> each.needsPastFrom(pastNeededFrom));
        parked.add(
                new ParkedFiles.Parked(new CoveringFile(path, registrations.size(), this::delivered), registrations));
    }

    /**
     * Writes to disk all changes that are in the memstore, not delivered, and not on disk yet.
     *
     * @throws IOException if they cannot be written; their rows must not be flushed then
     */
    public synchronized void cover() throws IOException {
        List<PendingBatch> kept = appliedBatches.keepUncovered();
        try {
            Map<List<IndexDefinition>, List<PendingBatch>> byLack = kept.stream()
                    .collect(Collectors.groupingBy(this::lackedBy, LinkedHashMap::new, Collectors.toList()));
            for (Map.Entry<List<IndexDefinition>, List<PendingBatch>> batches : byLack.entrySet()) {
                cover(batches.getValue(), batches.getKey());
            }
        } finally {
            kept.forEach(PendingBatch::end);
        }
    }

    private List<IndexDefinition> lackedBy(PendingBatch batch) {
        return files.indexes().stream().filter(batch::mayBeLackedBy).toList();
    }

    private void cover(List<PendingBatch> batches, List<IndexDefinition> lackedBy) throws IOException {
        List<PendingBatch> group = new ArrayList<>();
        int changes = 0;
        for (PendingBatch batch : batches) {
            group.add(batch);
            changes += batch.changes().size();
            if (changes >= CHANGES_PER_FILE) {
                coverWithOneFile(group, lackedBy);
                group.clear();
                changes = 0;
            }
        }
        if (!group.isEmpty()) {
            coverWithOneFile(group, lackedBy);
        }
    }

    private void coverWithOneFile(List<PendingBatch> batches, List<IndexDefinition> lackedBy) throws IOException {
        if (lackedBy.isEmpty()) {
            return; // delivered meanwhile
        }
        Path path = write(
                batches.stream().flatMap(batch -> batch.changes().stream()).toList(), lackedBy);
        CoveringFile file = new CoveringFile(path, batches.size(), this::delivered);
        batches.forEach(batch -> batch.coverWith(file));
    }

    /**
     * Moves the changes queued in the region's AUQ to disk.
     *
     * @throws IOException if they cannot be written; those not written stay queued
     */
    public void park() throws IOException {
        park(queue);
    }

    /**
     * Moves the changes queued in the region's AUQ to disk if the memory of the server's AUQs is full, and if they are
     * worth a file.
     *
     * @param bytes the memory of these changes
     * @return whether they were moved
     * @throws IOException if they cannot be written; those not written stay queued
     */
    public boolean parkIfFull(long bytes) throws IOException {
        boolean parks = memory.isFull() && bytes >= memory.worthAFile();
        if (parks) {
            park();
        }
        return parks;
    }

    /**
     * Moves the changes in one of the region's queues to disk, except those loaded from there. Changes that are added
     * meanwhile may stay: otherwise the files would get smaller and smaller, and writers could keep the call from ending.
     *
     * @throws IOException if they cannot be written; those not written stay queued
     */
    void park(UpdateQueue from) throws IOException {
        List<QueuedChange> items;
        do {
            items = from.takeToSpill(CHANGES_PER_FILE);
            Map<List<IndexDefinition>, List<QueuedChange>> byLack =
                    items.stream().collect(Collectors.groupingBy(item -> files.indexes(item.indexes())));
            List<QueuedChange> left = new ArrayList<>(items);
            try {
                for (Map.Entry<List<IndexDefinition>, List<QueuedChange>> each : byLack.entrySet()) {
                    park(each.getValue(), each.getKey());
                    left.removeAll(each.getValue());
                }
            } finally {
                from.putBack(left);
            }
        } while (items.size() == CHANGES_PER_FILE);
    }

    private void park(List<QueuedChange> items, List<IndexDefinition> lackedBy) throws IOException {
        if (lackedBy.isEmpty()) { // no index would load the file, and nothing remove it
            items.forEach(QueuedChange::done);
            return;
        }
        Path file = write(items.stream().map(QueuedChange::change).toList(), lackedBy);
        if (closed) {
            // The next holder of the region may have listed the files already. It does not need this one: the flush
            // that closed the region has covered all changes or, after an abort without a flush, the WAL holds them.
            remove(file);
        } else {
            FlushBarrier.Registration oldest = oldestRegistration(items);
            long pastNeededFrom = items.stream()
                    .mapToLong(item -> item.change().before())
                    .min()
                    .orElse(Long.MAX_VALUE);
            park(file, lackedBy, pastNeededFrom, index -> oldest.another(index.name()));
        }
        items.forEach(QueuedChange::done);
    }

    private Path write(List<RowChange> changes, List<IndexDefinition> lackedBy) throws IOException {
        Path path = files.write(changes, IndexSet.of(lackedBy));
        lackedBy.forEach(index -> stats.of(index.indexTable()).spilledFiles.increment());
        return path;
    }

    private static FlushBarrier.Registration oldestRegistration(List<QueuedChange> items) {
        return items.stream()
                .map(QueuedChange::oldestRegistration)
                .min(FlushBarrier.Registration::compareTo)
                .orElseThrow();
    }

    /** Returns whether any file is parked, without a lock. */
    boolean hasParkedFiles() {
        return parked.isAny();
    }

    /** Returns the number of parked files. */
    public int parkedFiles() {
        return parked.count();
    }

    /** Returns the number of files that are parked for an index. */
    int parkedFiles(IndexDefinition index) {
        return parked.count(index);
    }

    /**
     * Loads one parked file into the queue of an index, if one is parked for it.
     *
     * @throws IOException if the file cannot be read; it stays parked, behind the others
     */
    void load(IndexDefinition index, UpdateQueue to, long nowNanos) throws IOException {
        Optional<ParkedFiles.Parked> next = parked.firstFor(index);
        if (next.isPresent()) {
            CoveringFile file = next.get().file();
            SpillContent content = read(next.get());
            if (foundStamps != null) {
                foundStamps.loaded(file.path(), content);
            }
            parked.load(next.get(), index, registration -> enqueue(file, content, index, to, registration, nowNanos));
        }
    }

    private SpillContent read(ParkedFiles.Parked file) throws IOException {
        try {
            return files.read(file.file().path());
        } catch (IOException | RuntimeException e) {
            parked.moveBack(file);
            throw e;
        }
    }

    private void enqueue(
            CoveringFile file,
            SpillContent content,
            IndexDefinition index,
            UpdateQueue to,
            FlushBarrier.Registration registration,
            long nowNanos) {
        List<RowChange> changes = content.isFor(index) ? content.changes() : List.of();
        long bytes = PendingBatch.bytesOf(changes.stream().mapToLong(RowChange::heapSize));
        memory.reserve(bytes);
        PendingBatch pending = new PendingBatch(registration, memory, bytes);
        pending.coverWith(new Loaded(file, changes.size()));
        IndexSet alone = IndexSet.of(index);
        for (RowChange change : changes) {
            to.addReplayed(change.onlyFor(alone), alone, !index.isAsynchronous(), pending, nowNanos);
        }
        pending.release();
    }

    /**
     * Waits until no file is parked that one of these indexes may lack, then evaluates a question; repeats both if a
     * file was parked during the evaluation.
     *
     * @param timeoutMs the limit of each wait, in milliseconds
     * @throws IOException if such a file is still parked when the time is up, the region was closed before the end of
     *     the evaluation, or the thread is interrupted
     */
    public <T> T whileLackingIsLoaded(IndexSet indexes, long timeoutMs, Supplier<T> question) throws IOException {
        return parked.whileLackingIsLoaded(indexes, timeoutMs, question);
    }

    /**
     * Parks again the loaded files of a stalled index of which no change has been taken from its queue. Otherwise each
     * region would keep a file in memory for as long as the index is unavailable.
     */
    void unload(IndexDefinition index, UpdateQueue from) {
        List<List<QueuedChange>> files = from.takeFromDisk(
                (pending, waiting) -> pending.cover() instanceof Loaded loaded && loaded.changes() == waiting);
        for (List<QueuedChange> items : files) {
            if (!closed && items.get(0).cover() instanceof Loaded loaded) {
                loaded.file().retain();
                FlushBarrier.Registration registration =
                        items.get(0).oldestRegistration().another(index.name());
                parked.add(new ParkedFiles.Parked(loaded.file(), new LinkedHashMap<>(Map.of(index, registration))));
            }
            items.forEach(QueuedChange::done);
        }
    }

    /**
     * Parks again what an index has loaded, if the memory of the server's AUQs is short; see {@link #unload}. A lane
     * calls this after a failed delivery: nothing else would free this memory while nobody writes.
     */
    void unloadIfShort(IndexDefinition index, UpdateQueue from) {
        if (isMemoryShort()) {
            unload(index, from);
        }
    }

    boolean isMemoryShort() {
        return memory.isShort(0);
    }

    /**
     * Removes a file that is no longer needed. If the region is closed the file stays, since the next holder may have
     * found it.
     */
    private void delivered(Path path) {
        if (!closed) {
            removeLater(path);
        }
    }

    private void removeLater(Path path) {
        try {
            disk.execute(() -> remove(path));
        } catch (RejectedExecutionException e) {
            LOG.debug("The server stops; {} is left and will be delivered once more", path, e);
        }
    }

    private void remove(Path path) {
        try {
            files.delivered(path);
        } catch (IOException | RuntimeException e) {
            LOG.warn("{} is delivered but could not be removed; the region will deliver it once more", path, e);
        }
    }

    /**
     * Closes the spill with its region. No further file is removed; the next holder finds them. Must be called before
     * the queues of the region are cleared.
     */
    public void close() {
        closed = true;
        parked.close();
    }
}
