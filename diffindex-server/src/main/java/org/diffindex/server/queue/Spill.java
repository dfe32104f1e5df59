package org.diffindex.server.queue;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
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
 * <p>A file goes when all its changes are delivered. Nothing here waits for an index table. Safe for use by many threads.
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

    private volatile boolean closed;

    /**
     * A file that is not in memory; the stay makes a drain wait for it, and keeps the rows' history.
     *
     * @param lacking whether synchronous indexes may lack what is in it
     */
    private record Parked(Path file, FlushBarrier.Stay stay, boolean lacking) {}

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
        for (Path file : files.find()) {
            Optional<SpillContent> content = files.tryRead(file);
            FlushBarrier.Stay stay = barrier.enter();
            stay.needsPastFrom(content.map(SpillContent::pastNeededFrom).orElse(0L));
            boolean lacking = content.map(found -> files.isLackedBy(found, Spill::isSynchronous))
                    .orElse(true);
            add(new Parked(file, stay, lacking));
        }
    }

    private static boolean isSynchronous(IndexDefinition index) {
        return !index.isAsynchronous();
    }

    private static boolean isAny(IndexDefinition index) {
        return true;
    }

    private void add(Parked file) {
        lock.lock();
        try {
            parked.addLast(file);
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
        List<InFlight> held = undelivered.holdUncovered();
        try {
            Map<Boolean, List<InFlight>> byLack =
                    held.stream().collect(Collectors.partitioningBy(InFlight::isLackedByAsynchronousAlone));
            cover(byLack.get(true), IndexDefinition::isAsynchronous);
            cover(byLack.get(false), Spill::isAny);
        } finally {
            held.forEach(InFlight::letGo);
        }
    }

    private void cover(List<InFlight> batches, Predicate<IndexDefinition> lackedBy) throws IOException {
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

    private void coverWithOneFile(List<InFlight> batches, Predicate<IndexDefinition> lackedBy) throws IOException {
        Path path = files.write(
                batches.stream().flatMap(batch -> batch.changes().stream()).toList(), lackedBy);
        CoveringFile file = new CoveringFile(path, batches.size());
        batches.forEach(batch -> batch.coverWith(file));
    }

    /**
     * Moves what waits in memory to disk.
     *
     * @throws IOException if it could not be written; then it is in memory still
     */
    public void park() throws IOException {
        List<UpdateQueue.Item> items = queue.takeToSpill(CHANGES_PER_FILE);
        while (!items.isEmpty()) {
            Map<Boolean, List<UpdateQueue.Item>> byLack =
                    items.stream().collect(Collectors.partitioningBy(UpdateQueue.Item::isLacking));
            List<UpdateQueue.Item> left = new ArrayList<>(items);
            try {
                park(byLack.get(true), true);
                left.removeAll(byLack.get(true));
                park(byLack.get(false), false);
                left.clear();
            } finally {
                queue.putBack(left);
            }
            items = queue.takeToSpill(CHANGES_PER_FILE);
        }
    }

    private void park(List<UpdateQueue.Item> items, boolean lacking) throws IOException {
        if (items.isEmpty()) {
            return;
        }
        Path file = files.write(
                items.stream().map(UpdateQueue.Item::change).toList(),
                lacking ? Spill::isAny : IndexDefinition::isAsynchronous);
        if (closed) {
            // The next holder may have looked already. It needs no file: the flush that closed the region has covered
            // all.
            remove(file);
        } else {
            FlushBarrier.Stay stay = oldestStay(items).another();
            items.forEach(item -> stay.needsPastFrom(item.change().before()));
            add(new Parked(file, stay, lacking));
        }
        items.forEach(UpdateQueue.Item::done);
    }

    private static FlushBarrier.Stay oldestStay(List<UpdateQueue.Item> items) {
        return items.stream()
                .map(UpdateQueue.Item::oldestStay)
                .min(FlushBarrier.Stay::compareTo)
                .orElseThrow();
    }

    /** How many files wait to be loaded. */
    public int parkedFiles() {
        lock.lock();
        try {
            return parked.size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Loads one parked file into the queue, if there is one.
     *
     * @throws IOException if it could not be read; it stays parked
     */
    void load(long nowNanos) throws IOException {
        Parked next;
        lock.lock();
        try {
            next = parked.peekFirst();
        } finally {
            lock.unlock();
        }
        if (next != null) {
            SpillContent content = files.read(next.file());
            lock.lock();
            try {
                if (parked.removeFirstOccurrence(next)) {
                    load(next, content, nowNanos);
                    loaded.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Waits until nothing is parked that synchronous indexes may lack.
     *
     * @throws IOException if something is still, when the time is up
     */
    public void awaitLackingLoaded(long timeoutMs) throws IOException {
        long nanos = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        try {
            lock.lock();
            try {
                while (parked.stream().anyMatch(Parked::lacking)) {
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

    private void load(Parked file, SpillContent content, long nowNanos) {
        long bytes = InFlight.bytesOf(content.changes().stream().mapToLong(RowChange::heapSize));
        memory.reserve(bytes);
        InFlight inFlight = new InFlight(file.stay(), memory, bytes);
        inFlight.coverWith(new CoveringFile(file.file(), 1));
        for (RowChange change : content.changes()) {
            queue.addReplayed(change, content::isFor, inFlight, nowNanos);
        }
        inFlight.letGo();
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
            parked.forEach(file -> file.stay().leave());
            parked.clear();
            loaded.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
