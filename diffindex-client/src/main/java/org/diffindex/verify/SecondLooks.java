package org.diffindex.verify;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.diffindex.tasks.Waiting;

/**
 * Distinguishes lasting differences from those that writes in flight cause.
 *
 * <p>When the lag is over and the index updates accepted before are delivered, the place of a difference is compared
 * again. If it shows the same difference, the difference lasts; if it shows none, the difference is forgotten. If it
 * shows another one, the place is compared again: first a few times without a lag, which finds a moment between two
 * writes of a frequently written row, then after another lag. A place that shows another difference at every look is
 * changing: nothing is known of it.
 *
 * <p>A look for a missing entry reads the base row before the index. If the row is written in between, the index lacks
 * the entry of the row that was read, and rightly so. Therefore a missing entry lasts only if a third look finds it
 * missing too. Both tables are read without a wait in between, however few rows per second may be read: what a slow look
 * reads of a row that is written every few seconds would differ each time. A row that goes to and fro between two values can still be taken for one that lacks its entry, if it has
 * the same timestamp each time it returns to a value, because its client gives the timestamps or deletes the newest
 * version. All three looks must then read the row while it has that value, and the index while the entry is not there,
 * because the row has moved on or the entry is still to be delivered. A repair of such a row is harmless: it puts the
 * entry that the row has at that time.
 *
 * <p>Used by one thread at a time.
 */
final class SecondLooks {
    /** Looks after each lag, besides the first. */
    private static final int MORE_LOOKS = 3;

    private final ScrubTables tables;
    private final Looks looks;
    private final ScrubOptions options;
    private final Waiting waiting;

    /**
     * The outcome for some differences.
     *
     * @param lasting those that were the same at two looks
     * @param changing the last differences of places that showed another one at every look
     */
    record Settled(List<Sight> lasting, Collection<Sight> changing) {}

    SecondLooks(ScrubTables tables, Looks looks, ScrubOptions options, Waiting waiting) {
        this.tables = tables;
        this.looks = looks;
        this.options = options;
        this.waiting = waiting;
    }

    /** Determines which of the given differences last. */
    Settled settle(Collection<Sight> differences) throws IOException {
        List<Sight> lasting = new ArrayList<>();
        Collection<Sight> open = differences;
        for (int look = 0; look < options.looks() && !open.isEmpty(); look++) {
            waiting.pause(options.lag());
            for (int more = 0; more <= MORE_LOOKS && !open.isEmpty(); more++) {
                drain();
                open = changed(open, lasting);
            }
        }
        return new Settled(lasting, open);
    }

    /**
     * Compares the places of differences again; adds those that are the same to a list, and returns those that are
     * different ones now.
     */
    private Collection<Sight> changed(Collection<Sight> before, List<Sight> lasting) throws IOException {
        Map<Place, Sight> now = at(before);
        List<Sight> same = before.stream().filter(sight -> isSame(now, sight)).toList();
        List<Sight> missing =
                same.stream().filter(sight -> sight.found().isEmpty()).toList();
        now.keySet().removeAll(missing.stream().map(Place::of).toList());
        now.putAll(at(missing));
        for (Sight sight : same) {
            if (isSame(now, sight)) {
                lasting.add(now.remove(Place.of(sight)));
            }
        }
        return now.values();
    }

    private static boolean isSame(Map<Place, Sight> now, Sight before) {
        Sight again = now.get(Place.of(before));
        return again != null && again.mark().equals(before.mark());
    }

    /**
     * Waits until the index updates accepted before the call are delivered.
     *
     * @throws IOException if they are not delivered within the drain timeout
     */
    void drain() throws IOException {
        long late = tables.drain(options.drainTimeout());
        if (late > 0) {
            throw new IOException(
                    "%,d batches of index updates are still in flight after %d s, so differences cannot be distinguished"
                                    .formatted(late, options.drainTimeout().toSeconds())
                            + " from late updates; run `diffindex status` for the reason, and scrub again when the table"
                            + " can be drained");
        }
    }

    /** Compares the places of differences again; returns the present differences by place. */
    Map<Place, Sight> at(Collection<Sight> sights) throws IOException {
        List<byte[]> rows = new ArrayList<>();
        List<byte[]> keys = new ArrayList<>();
        for (Sight sight : sights) {
            (sight.found().isEmpty() ? rows : keys).add(sight.place());
        }
        Map<Place, Sight> now = missingAt(rows);
        for (List<byte[]> page : Place.pages(keys, tables.rowsOfALook())) {
            looks.wrongAt(page).forEach(sight -> now.put(Place.of(sight), sight));
        }
        return now;
    }

    /** Returns which of the given base rows lack their entry now. */
    Map<Place, Sight> missingAt(List<byte[]> rows) throws IOException {
        Map<Place, Sight> now = new LinkedHashMap<>();
        for (List<byte[]> page : Place.pages(rows, tables.rowsOfALook())) {
            looks.missingAt(page).forEach(sight -> now.put(Place.of(sight), sight));
        }
        return now;
    }
}
