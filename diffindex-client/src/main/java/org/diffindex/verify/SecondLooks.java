package org.diffindex.verify;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Tells differences that are there to stay from those that writes in flight make.
 *
 * <p>When the lag is over and the index updates that were accepted before are delivered, the place of a difference is looked
 * at again. If there is the same difference still, it lasts; if there is none, it is forgotten. If there is another one, the
 * place is looked at again: first a few times without a lag, which finds a moment between two writes of a row that is written
 * often, then after another lag. A place with another difference at every look is changing: nothing can be said of it.
 *
 * <p>Safe for use by one thread at a time.
 */
final class SecondLooks {
    /** Looks after each lag, beside the first. */
    private static final int MORE_LOOKS = 3;

    private final ScrubTables tables;
    private final Looks looks;
    private final ScrubOptions options;
    private final Waiting waiting;

    /**
     * The outcome for some differences.
     *
     * @param lasting those that were the same at two looks
     * @param changing what was seen last at places at which there was another one at every look
     */
    record Settled(List<Sight> lasting, Collection<Sight> changing) {}

    SecondLooks(ScrubTables tables, Looks looks, ScrubOptions options, Waiting waiting) {
        this.tables = tables;
        this.looks = looks;
        this.options = options;
        this.waiting = waiting;
    }

    /** Finds out which of some differences last. */
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

    /** Looks again at some differences; adds those that are the same to a list, and returns those that are others by now. */
    private Collection<Sight> changed(Collection<Sight> before, List<Sight> lasting) throws IOException {
        Map<Place, Sight> now = at(before);
        for (Sight sight : before) {
            Sight again = now.get(Place.of(sight));
            if (again != null && again.mark().equals(sight.mark())) {
                lasting.add(again);
                now.remove(Place.of(sight));
            }
        }
        return now.values();
    }

    /**
     * Waits until the index updates that were accepted before are delivered.
     *
     * @throws IOException if they are not when the time is up
     */
    void drain() throws IOException {
        long late = tables.drain(options.drainTimeout());
        if (late > 0) {
            throw new IOException(
                    "%,d index updates are still on their way after %d s, so that differences cannot be told"
                                    .formatted(late, options.drainTimeout().toSeconds())
                            + " from updates that are late; what diffindex status says may tell why; scrub again when the table"
                            + " can be drained");
        }
    }

    /** Looks again at the places of some differences. Returns those that are there now, by place. */
    Map<Place, Sight> at(Collection<Sight> sights) throws IOException {
        List<byte[]> rows = new ArrayList<>();
        List<byte[]> keys = new ArrayList<>();
        for (Sight sight : sights) {
            (sight.found().isEmpty() ? rows : keys).add(sight.place());
        }
        Map<Place, Sight> now = missingAt(rows);
        for (List<byte[]> page : Place.pages(keys)) {
            looks.wrongAt(page).forEach(sight -> now.put(Place.of(sight), sight));
        }
        return now;
    }

    /** Which of some base rows lack their entry now. */
    Map<Place, Sight> missingAt(List<byte[]> rows) throws IOException {
        Map<Place, Sight> now = new LinkedHashMap<>();
        for (List<byte[]> page : Place.pages(rows)) {
            looks.missingAt(page).forEach(sight -> now.put(Place.of(sight), sight));
        }
        return now;
    }
}
