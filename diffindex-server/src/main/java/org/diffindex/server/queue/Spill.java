package org.diffindex.server.queue;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.Path;
import org.diffindex.model.IndexDefinition;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.spill.SpillContent;
import org.diffindex.server.spill.SpillFiles;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of one region's AUQ that is on disk. Changes get there for two reasons. When their rows are flushed, the WAL
 * will not keep them any longer: they are <em>covered</em> by a file, and stay in memory as well. When the memory for
 * index updates runs out because an index table does not take them, they are <em>parked</em>: only the file holds them,
 * until they can be loaded again. What a region finds when it opens is parked too.
 *
 * <p>A file names the indexes that lack its changes. Each of them loads it when it can take them, whatever the others do. A
 * file goes when all its changes are delivered to all of them. Nothing here waits for an index table. Safe for use by many
 * threads.
 */
public final class Spill {
    private static final Logger LOG = LoggerFactory.getLogger(Spill.class);
    private static final int CHANGES_PER_FILE = 10_000;

    private final SpillFiles files;
    private final UpdateQueue queue;
    private final Undelivered undelivered;
    private final FlushBarrier barrier;
    private final QueueMemory memory;
    private final Executor disk;

    private final Lock lock;
    private final Condition loaded;

    /** Guarded by the lock. */
    private final Deque<Parked> parked = new ArrayDeque<>();

    /** Whether any file is parked; set under the lock. */
    private volatile boolean anyParked;

    /** How often a file was parked. */
    private final AtomicLong timesParked = new AtomicLong();

    private volatile boolean closed;

    /**
     * A file that some indexes have not loaded yet.
     *
     * @param stays by index, what makes a drain of that index wait for it, and keeps the rows' history; guarded by the lock
     */
    private record Parked(CoveringFile file, Map<IndexDefinition, FlushBarrier.Stay> stays) {
        boolean isFor(IndexDefinition index) {
            return stays.containsKey(index);
        }

        boolean isForSynchronous() {
            return stays.keySet().stream().anyMatch(index -> !index.isAsynchronous());
        }
    }

    /** A file, and how many batches need it. */
    private final class CoveringFile implements InFlight.Cover {
        private final Path path;
        private final AtomicInteger users;

        CoveringFile(Path path, int users) {
            this.path = path;
            this.users = new AtomicInteger(users);
        }

        @Override
        public void letGo() {
            if (users.decrementAndGet() == 0 && !closed) {
                removeLater(path);
            }
        }
    }

    /** A file that one index has loaded. */
    private record Loaded(CoveringFile file, int changes) implements InFlight.Cover {
        @Override
        public void letGo() {
            file.letGo();
        }
    }

    /** A spill whose waits are those of a lock of its own. */
    public Spill(
            SpillFiles files,
            UpdateQueue queue,
            Undelivered undelivered,
            FlushBarrier barrier,
            QueueMemory memory,
            Executor disk) {
        this(files, queue, undelivered, barrier, memory, disk, new ReentrantLock());
    }

    /**
     * A spill with nothing on disk yet.
     *
     * @param disk runs the removal of files
     * @param lock at a condition of which a write waits until what is on disk is loaded
     */
    public Spill(
            SpillFiles files,
            UpdateQueue queue,
            Undelivered undelivered,
            FlushBarrier barrier,
            QueueMemory memory,
            Executor disk,
            Lock lock) {
        this.files = files;
        this.queue = queue;
        this.undelivered = undelivered;
        this.barrier = barrier;
        this.memory = memory;
        this.disk = disk;
        this.lock = lock;
        this.loaded = lock.newCondition();
    }

    /** Takes over what earlier holders of the region's rows left. Before anything is flushed or compacted. */
    public void find() throws IOException {
        for (Path path : files.find()) {
            Optional<SpillContent> content = files.tryRead(path);
            long pastNeededFrom = content.map(SpillContent::pastNeededFrom).orElse(0L);
            List<IndexDefinition> lackedBy = content.map(files::lackedBy).orElse(files.indexes());
            if (lackedBy.isEmpty()) {
                removeLater(path);
            } else {
                park(path, lackedBy, pastNeededFrom, index -> barrier.enter(index.name()));
            }
        }
    }

    private void park(
            Path path,
            Collection<IndexDefinition> lackedBy,
            long pastNeededFrom,
            Function<IndexDefinition, FlushBarrier.Stay> stay) {
        Map<IndexDefinition, FlushBarrier.Stay> stays = new LinkedHashMap<>();
        lackedBy.forEach(index -> stays.put(index, stay.apply(index)));
        stays.values().forEach(each -> each.needsPastFrom(pastNeededFrom));
        park(new CoveringFile(path, stays.size()), stays);
    }

    private void park(CoveringFile file, Map<IndexDefinition, FlushBarrier.Stay> stays) {
        lock.lock();
        try {
            parked.addLast(new Parked(file, stays));
            anyParked = true;
            timesParked.incrementAndGet();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Puts all changes on disk that are in the memstore, not delivered, and not on disk yet.
     *
     * @throws IOException if they could not be written; their rows must not be flushed then
     */
    public synchronized void cover() throws IOException {
        List<InFlight> kept = undelivered.keepUncovered();
        try {
            Map<List<IndexDefinition>, List<InFlight>> byLack = kept.stream()
                    .collect(Collectors.groupingBy(
                            batch -> files.indexes(batch::mayBeLackedBy), LinkedHashMap::new, Collectors.toList()));
            for (Map.Entry<List<IndexDefinition>, List<InFlight>> batches : byLack.entrySet()) {
                cover(batches.getValue(), batches.getKey());
            }
        } finally {
            kept.forEach(InFlight::end);
        }
    }

    private void cover(List<InFlight> batches, List<IndexDefinition> lackedBy) throws IOException {
        List<InFlight> group = new ArrayList<>();
        int changes = 0;
        for (InFlight batch : batches) {
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

    private void coverWithOneFile(List<InFlight> batches, List<IndexDefinition> lackedBy) throws IOException {
        if (lackedBy.isEmpty()) {
            return; // delivered meanwhile
        }
        Path path = files.write(
                batches.stream().flatMap(batch -> batch.changes().stream()).toList(), lackedBy::contains);
        CoveringFile file = new CoveringFile(path, batches.size());
        batches.forEach(batch -> batch.coverWith(file));
    }

    /**
     * Moves what waits in the region's queue to disk.
     *
     * @throws IOException if it could not be written; then it is in memory still
     */
    public void park() throws IOException {
        park(queue);
    }

    /**
     * Moves what waits in a queue of the region to disk.
     *
     * @throws IOException if it could not be written; then it is in memory still
     */
    void park(UpdateQueue from) throws IOException {
        List<UpdateQueue.Item> items = from.takeToSpill(CHANGES_PER_FILE);
        while (!items.isEmpty()) {
            Map<List<IndexDefinition>, List<UpdateQueue.Item>> byLack =
                    items.stream().collect(Collectors.groupingBy(item -> files.indexes(item.indexes())));
            List<UpdateQueue.Item> left = new ArrayList<>(items);
            try {
                for (Map.Entry<List<IndexDefinition>, List<UpdateQueue.Item>> each : byLack.entrySet()) {
                    park(each.getValue(), each.getKey());
                    left.removeAll(each.getValue());
                }
            } finally {
                from.putBack(left);
            }
            items = from.takeToSpill(CHANGES_PER_FILE);
        }
    }

    private void park(List<UpdateQueue.Item> items, List<IndexDefinition> lackedBy) throws IOException {
        Path file = files.write(items.stream().map(UpdateQueue.Item::change).toList(), lackedBy::contains);
        if (closed) {
            // The next holder may have looked already. It needs no file: the flush that closed the region has covered
            // all.
            remove(file);
        } else {
            FlushBarrier.Stay oldest = oldestStay(items);
            long pastNeededFrom = items.stream()
                    .mapToLong(item -> item.change().before())
                    .min()
                    .orElse(Long.MAX_VALUE);
            park(file, lackedBy, pastNeededFrom, index -> oldest.another(index.name()));
        }
        items.forEach(UpdateQueue.Item::done);
    }

    private static FlushBarrier.Stay oldestStay(List<UpdateQueue.Item> items) {
        return items.stream()
                .map(UpdateQueue.Item::oldestStay)
                .min(FlushBarrier.Stay::compareTo)
                .orElseThrow();
    }

    /** Whether any file waits to be loaded; as cheap as that. */
    boolean hasParkedFiles() {
        return anyParked;
    }

    /** How many files wait to be loaded. */
    public int parkedFiles() {
        return parkedFiles(file -> true);
    }

    /** How many files wait to be loaded for an index. */
    int parkedFiles(IndexDefinition index) {
        return parkedFiles(file -> file.isFor(index));
    }

    private int parkedFiles(Predicate<Parked> which) {
        lock.lock();
        try {
            return (int) parked.stream().filter(which).count();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Loads one parked file into the queue of an index, if there is one for it.
     *
     * @throws IOException if it could not be read; it stays parked
     */
    void load(IndexDefinition index, UpdateQueue to, long nowNanos) throws IOException {
        Optional<Parked> next;
        lock.lock();
        try {
            next = parked.stream().filter(file -> file.isFor(index)).findFirst();
        } finally {
            lock.unlock();
        }
        if (next.isPresent()) {
            SpillContent content;
            try {
                content = files.read(next.get().file().path);
            } catch (IOException | RuntimeException e) {
                standBack(next.get());
                throw e;
            }
            lock.lock();
            try {
                load(next.get(), content, index, to, nowNanos);
            } finally {
                lock.unlock();
            }
        }
    }

    /** The files behind it need not wait for one that cannot be read. */
    private void standBack(Parked file) {
        lock.lock();
        try {
            if (parked.remove(file)) {
                parked.addLast(file);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until nothing is parked that synchronous indexes may lack, and asks then. What was loaded may be parked again before
     * it is asked for; then all is done once more.
     *
     * @throws IOException if something is parked still, when the time is up
     */
    public <T> T whileLackingIsLoaded(long timeoutMs, Supplier<T> question) throws IOException {
        while (true) {
            long before = timesParked.get();
            awaitLackingLoaded(timeoutMs);
            T answer = question.get();
            if (timesParked.get() == before) {
                return answer;
            }
        }
    }

    private void awaitLackingLoaded(long timeoutMs) throws IOException {
        long nanos = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        try {
            lock.lock();
            try {
                while (parked.stream().anyMatch(Parked::isForSynchronous)) {
                    if (nanos <= 0) {
                        throw new IOException("Index updates from before a crash or an outage are still on disk");
                    }
                    nanos = loaded.awaitNanos(nanos);
                }
            } finally {
                lock.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("Interrupted while waiting for index updates").initCause(e);
        }
    }

    private void load(Parked file, SpillContent content, IndexDefinition index, UpdateQueue to, long nowNanos) {
        FlushBarrier.Stay stay = file.stays().remove(index);
        if (stay == null) {
            return; // the region was closed meanwhile
        }
        if (file.stays().isEmpty()) {
            parked.remove(file);
            anyParked = !parked.isEmpty();
        }
        List<RowChange> changes = content.isFor(index) ? content.changes() : List.of();
        long bytes = InFlight.bytesOf(changes.stream().mapToLong(RowChange::heapSize));
        memory.reserve(bytes);
        InFlight inFlight = new InFlight(stay, memory, bytes);
        inFlight.coverWith(new Loaded(file.file(), changes.size()));
        for (RowChange change : changes) {
            to.addReplayed(change, index::equals, !index.isAsynchronous(), inFlight, nowNanos);
        }
        inFlight.letGo();
        loaded.signalAll();
    }

    /**
     * Forgets what was loaded for an index that takes nothing: the files of which it has been given nothing yet are parked again.
     * Else each region would keep a file in memory for as long as the index is away.
     */
    void unload(IndexDefinition index, UpdateQueue from) {
        List<List<UpdateQueue.Item>> files = from.takeFromDisk(
                (inFlight, waiting) -> inFlight.cover() instanceof Loaded loaded && loaded.changes() == waiting);
        for (List<UpdateQueue.Item> items : files) {
            if (!closed && items.get(0).cover() instanceof Loaded loaded) {
                loaded.file().users.incrementAndGet();
                park(
                        loaded.file(),
                        new LinkedHashMap<>(
                                Map.of(index, items.get(0).oldestStay().another(index.name()))));
            }
            items.forEach(UpdateQueue.Item::done);
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

    /** The region is closed: its next holder finds the files, and none is removed any more. */
    public void close() {
        closed = true;
        lock.lock();
        try {
            for (Parked file : parked) {
                file.stays().values().forEach(FlushBarrier.Stay::leave);
                file.stays().clear();
            }
            parked.clear();
            loaded.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
