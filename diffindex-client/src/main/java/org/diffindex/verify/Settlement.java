package org.diffindex.verify;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;

/**
 * Finds out which of the differences that a first look saw are there to stay, and repairs them if it is asked to.
 *
 * <p>A difference may be a write on its way. So when the lag is over and the index updates that were accepted before are
 * delivered, its place is looked at again: it counts if it is the same difference still, is forgotten if it is gone, and
 * is looked at once more if it is another one. Differences that the scheme allows count at once.
 *
 * <p>Keeps at most so many differences as the options say; when there are more, those that are there are settled, while
 * the reading threads wait. Safe for use by many threads.
 */
final class Settlement {
    private static final int PAGE = 500;
    private static final int REPAIRS = 3;

    /** Waits; the seam to the clock. */
    @FunctionalInterface
    interface Waiting {
        void sleep(Duration time) throws InterruptedException;
    }

    /** Where a difference is: a base row that lacks its entry, or a row of the index table. */
    private record Place(boolean missing, ImmutableBytesWritable key) {
        static Place of(Sight sight) {
            return new Place(sight.mark().missing(), new ImmutableBytesWritable(sight.place()));
        }
    }

    private final ScrubTables tables;
    private final Looks looks;
    private final ScrubReportDraft report;
    private final ScrubOptions options;
    private final Waiting waiting;

    /** Guarded by this. */
    private final Map<Place, Sight> pending = new LinkedHashMap<>();

    Settlement(ScrubTables tables, Looks looks, ScrubReportDraft report, ScrubOptions options, Waiting waiting) {
        this.tables = tables;
        this.looks = looks;
        this.report = report;
        this.options = options;
        this.waiting = waiting;
    }

    /** Takes what a first look saw. */
    synchronized void add(List<Sight> sights) throws IOException {
        for (Sight sight : sights) {
            pending.put(Place.of(sight), sight);
            if (pending.size() >= options.pending()) {
                settle();
            }
        }
    }

    /** Settles everything that was added. */
    synchronized void settle() throws IOException {
        List<Sight> lasting = new ArrayList<>();
        Map<Place, Sight> open = new LinkedHashMap<>();
        pending.forEach((place, sight) -> {
            if (report.isAllowed(sight.difference())) {
                lasting.add(sight);
            } else {
                open.put(place, sight);
            }
        });
        pending.clear();
        Settled settled = settle(open);
        report.unsettled(settled.changing());
        lasting.addAll(settled.lasting());
        lasting.forEach(report::found);
        if (options.repair()) {
            repair(lasting);
        }
    }

    /**
     * What came of some differences after some looks.
     *
     * @param lasting those that were the same at two looks
     * @param changing at how many places there was another one at every look
     */
    private record Settled(List<Sight> lasting, int changing) {}

    private Settled settle(Map<Place, Sight> differences) throws IOException {
        List<Sight> lasting = new ArrayList<>();
        Map<Place, Sight> open = new LinkedHashMap<>(differences);
        for (int look = 0; look < options.looks() && !open.isEmpty(); look++) {
            awaitUpdates();
            Map<Place, Sight> again = lookAgain(open.values());
            again.entrySet().removeIf(now -> {
                boolean same =
                        now.getValue().mark().equals(open.get(now.getKey()).mark());
                if (same) {
                    lasting.add(now.getValue());
                }
                return same;
            });
            open.clear();
            open.putAll(again);
        }
        return new Settled(lasting, open.size());
    }

    private void awaitUpdates() throws IOException {
        try {
            waiting.sleep(options.lag());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("Interrupted while scrubbing").initCause(e);
        }
        drain();
    }

    private void drain() throws IOException {
        long late = tables.drain(options.drainTimeout());
        if (late > 0) {
            throw new IOException(
                    "%,d index updates are still on their way after %d s, so that differences cannot be told"
                                    .formatted(late, options.drainTimeout().toSeconds())
                            + " from updates that are late; what diffindex status says may tell why; scrub again when the table"
                            + " can be drained");
        }
    }

    /** What is to be seen now at the places of some differences; nothing at those where all is well. */
    private Map<Place, Sight> lookAgain(Iterable<Sight> sights) throws IOException {
        Map<Place, Sight> now = new LinkedHashMap<>();
        List<byte[]> rows = new ArrayList<>();
        List<byte[]> keys = new ArrayList<>();
        for (Sight sight : sights) {
            (sight.mark().missing() ? rows : keys).add(sight.place());
        }
        for (List<byte[]> page : pages(rows)) {
            looks.missingAt(page).forEach(sight -> now.put(Place.of(sight), sight));
        }
        for (List<byte[]> page : pages(keys)) {
            looks.wrongAt(page).forEach(sight -> now.put(Place.of(sight), sight));
        }
        return now;
    }

    /** Repairs differences; an index cell that comes to light when the one above it is gone is repaired too. */
    private void repair(List<Sight> lasting) throws IOException {
        Map<Difference, Long> left = counts(lasting);
        List<Sight> wrong = lasting;
        for (int turn = 0; turn < REPAIRS && !wrong.isEmpty(); turn++) {
            for (List<Sight> page : pages(wrong)) {
                List<Delete> deletes = page.stream()
                        .flatMap(sight -> sight.deletions().stream())
                        .toList();
                if (!deletes.isEmpty()) {
                    tables.delete(deletes);
                }
                List<RowRepair> repairs =
                        page.stream().flatMap(sight -> sight.repair().stream()).toList();
                if (!repairs.isEmpty()) {
                    tables.repair(repairs);
                }
            }
            drain();
            wrong = stillThere(wrong);
        }
        Map<Difference, Long> unrepaired = counts(wrong);
        left.forEach(
                (difference, count) -> report.repaired(difference, count - unrepaired.getOrDefault(difference, 0L)));
    }

    /**
     * Those at whose places there is a difference still, as the differences that they were. One that is newer than the
     * repaired one may be a write on its way, or what the repair made of it, and is settled as any other.
     */
    private List<Sight> stillThere(List<Sight> repaired) throws IOException {
        Map<Place, Sight> now = lookAgain(repaired);
        Map<Place, Difference> before = new LinkedHashMap<>();
        Map<Place, Sight> newer = new LinkedHashMap<>();
        List<Sight> there = new ArrayList<>();
        for (Sight wrong : repaired) {
            Place place = Place.of(wrong);
            Sight seen = now.get(place);
            if (seen != null && seen.mark().time() <= wrong.mark().time()) {
                there.add(seen.as(wrong.difference()));
            } else if (seen != null && !report.isAllowed(seen.difference())) {
                before.put(place, wrong.difference());
                newer.put(place, seen);
            }
        }
        Settled settled = settle(newer);
        report.unsettled(settled.changing());
        settled.lasting().forEach(seen -> there.add(seen.as(before.get(Place.of(seen)))));
        return there;
    }

    private static Map<Difference, Long> counts(List<Sight> sights) {
        Map<Difference, Long> counts = new EnumMap<>(Difference.class);
        sights.forEach(sight -> counts.merge(sight.difference(), 1L, Long::sum));
        return counts;
    }

    private static <T> List<List<T>> pages(List<T> all) {
        List<List<T>> pages = new ArrayList<>();
        for (int from = 0; from < all.size(); from += PAGE) {
            pages.add(all.subList(from, Math.min(all.size(), from + PAGE)));
        }
        return pages;
    }

    /** Sleeps on the thread. */
    static void sleep(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
    }
}
