package org.diffindex.server.queue;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.Path;
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

    /** Guarded by itself. */
    private final Deque<Parked> parked = new ArrayDeque<>();

    private volatile boolean closed;

    /** A file that is not in memory; the stay makes a drain wait for it, and keeps the rows' history. */
    private record Parked(Path file, FlushBarrier.Stay stay) {}

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

    /**
     * A spill with nothing on disk yet.
     *
     * @param disk runs the removal of files
     */
    public Spill(
            SpillFiles files,
            UpdateQueue queue,
            Undelivered undelivered,
            FlushBarrier barrier,
            QueueMemory memory,
            Executor disk) {
        this.files = files;
        this.queue = queue;
        this.undelivered = undelivered;
        this.barrier = barrier;
        this.memory = memory;
        this.disk = disk;
    }

    /** Takes over what earlier holders of the region's rows left. Before anything is flushed or compacted. */
    public void find() throws IOException {
        for (Path file : files.find()) {
            park(new Parked(file, barrier.enter()));
        }
    }

    private void park(Parked file) {
        synchronized (parked) {
            parked.addLast(file);
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
            List<InFlight> group = new ArrayList<>();
            int changes = 0;
            for (InFlight batch : held) {
                group.add(batch);
                changes += batch.changes().size();
                if (changes >= CHANGES_PER_FILE) {
                    cover(group);
                    group.clear();
                    changes = 0;
                }
            }
            if (!group.isEmpty()) {
                cover(group);
            }
        } finally {
            held.forEach(InFlight::letGo);
        }
    }

    private void cover(List<InFlight> batches) throws IOException {
        Path path = files.write(
                batches.stream().flatMap(batch -> batch.changes().stream()).toList());
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
            park(items);
            items = queue.takeToSpill(CHANGES_PER_FILE);
        }
    }

    private void park(List<UpdateQueue.Item> items) throws IOException {
        boolean durable = false;
        try {
            Path file = files.write(items.stream().map(UpdateQueue.Item::change).toList());
            if (closed) {
                remove(file); // its next holder may have looked already; the flush that closed the region has covered
                // all
            } else {
                park(new Parked(file, oldestStay(items).another()));
            }
            durable = true;
        } finally {
            if (!durable) {
                queue.putBack(items);
            }
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
        synchronized (parked) {
            return parked.size();
        }
    }

    /**
     * Loads one parked file into the queue, if there is one.
     *
     * @throws IOException if it could not be read; it stays parked
     */
    void load(long nowNanos) throws IOException {
        Parked next;
        synchronized (parked) {
            next = parked.pollFirst();
        }
        if (next != null) {
            boolean loaded = false;
            try {
                load(next, files.read(next.file()), nowNanos);
                loaded = true;
            } finally {
                if (!loaded) {
                    park(next);
                }
            }
        }
    }

    private void load(Parked file, SpillContent content, long nowNanos) {
        long bytes = content.changes().stream().mapToLong(RowChange::heapSize).sum();
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
        synchronized (parked) {
            parked.forEach(file -> file.stay().leave());
            parked.clear();
        }
    }
}
