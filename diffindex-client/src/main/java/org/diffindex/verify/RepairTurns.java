package org.diffindex.verify;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.client.Delete;

/**
 * Repairs differences and compares their places again. A difference that remains, or a new one of the same row, is
 * repaired again, up to three times in all. A difference counts as repaired only if it is gone then. Used by one thread
 * at a time.
 */
final class RepairTurns {
    /**
     * How often differences are repaired: an index cell that appears when the one above it is gone is repaired in the
     * next turn.
     */
    private static final int TURNS = 3;

    private final ScrubTables tables;
    private final SecondLooks looks;
    private final ScrubReportDraft report;

    RepairTurns(ScrubTables tables, SecondLooks looks, ScrubReportDraft report) {
        this.tables = tables;
        this.looks = looks;
        this.report = report;
    }

    /** The differences that are already reported, so that none is reported twice. */
    private final class Told {
        private final Map<Place, Set<Difference>> found = new HashMap<>();
        private final Set<Place> unsettled = new HashSet<>();
        private final Map<Difference, Long> counts = new EnumMap<>(Difference.class);

        Told(List<Sight> found, Collection<Sight> unsettled) {
            found.forEach(this::isNew);
            unsettled.forEach(sight -> this.unsettled.add(Place.of(sight)));
            count(found);
        }

        private void count(List<Sight> sights) {
            sights.forEach(sight -> counts.merge(sight.difference(), 1L, Long::sum));
        }

        void found(Sight sight) {
            if (isNew(sight)) {
                report.found(sight);
                count(List.of(sight));
            }
        }

        private boolean isNew(Sight sight) {
            return found.computeIfAbsent(Place.of(sight), place -> EnumSet.noneOf(Difference.class))
                    .add(sight.difference());
        }

        void unsettled(Sight sight) {
            if (unsettled.add(Place.of(sight))) {
                report.unsettled(1);
            }
        }

        boolean isUnsettled(Place place) {
            return unsettled.contains(place);
        }

        void allRepairedBut(List<Sight> left) {
            left.forEach(sight -> counts.merge(sight.difference(), -1L, Long::sum));
            counts.forEach(report::repaired);
        }
    }

    /**
     * Repairs differences and reports which of them are repaired.
     *
     * @param found the differences that are reported as found
     * @param unsettled the differences that are reported as unsettled
     */
    void run(List<Sight> found, Collection<Sight> unsettled) throws IOException {
        Told told = new Told(found, unsettled);
        List<Sight> wrong = found;
        for (int turn = 0; turn < TURNS && !wrong.isEmpty(); turn++) {
            for (List<Sight> page : Place.pagesToRepair(wrong)) {
                repair(page);
            }
            looks.drain();
            wrong = stillWrong(wrong, told);
        }
        told.allRepairedBut(wrong);
    }

    private void repair(List<Sight> page) throws IOException {
        List<Delete> deletes =
                page.stream().flatMap(sight -> sight.deletions().stream()).toList();
        if (!deletes.isEmpty()) {
            tables.delete(deletes);
        }
        List<RowRepair> repairs =
                page.stream().flatMap(sight -> sight.repair().stream()).toList();
        if (!repairs.isEmpty()) {
            tables.repair(repairs);
        }
    }

    /**
     * Returns the differences that remain, each counted as the one that was repaired, and new ones, which are reported:
     * rows that lack their entry since the repair, and differences that no scheme allows in place of one that the
     * scheme allows. A difference other than the repaired one may be a write in flight, or a result of the repair, and
     * is settled like any other. The place of a repair that is changing is not known to be repaired; of a row that
     * lacks its entry since the repair and is changing, nothing is known.
     */
    private List<Sight> stillWrong(List<Sight> repaired, Told told) throws IOException {
        Map<Place, Sight> now = looks.at(repaired);
        Map<Place, Difference> before = new LinkedHashMap<>();
        List<Sight> newer = new ArrayList<>();
        List<Sight> wrong = new ArrayList<>();
        for (Sight each : repaired) {
            Sight seen = now.get(Place.of(each));
            boolean isWorse =
                    seen != null && report.isAllowed(each.difference()) && !report.isAllowed(seen.difference());
            if (isWorse) {
                newer.add(seen);
            } else if (seen != null && isLeftOver(seen, each)) {
                wrong.add(seen.as(each.difference()));
            } else if (seen != null && !report.isAllowed(seen.difference())) {
                before.put(Place.of(seen), each.difference());
                newer.add(seen);
            }
        }
        newer.addAll(lackingSince(repaired, told));
        SecondLooks.Settled settled = looks.settle(newer);
        for (Sight seen : settled.lasting()) {
            Sight still = asBefore(seen, before);
            told.found(still);
            wrong.add(still);
        }
        for (Sight seen : settled.changing()) {
            if (before.containsKey(Place.of(seen))) {
                wrong.add(asBefore(seen, before));
            } else {
                told.unsettled(seen);
            }
        }
        return wrong;
    }

    private static Sight asBefore(Sight seen, Map<Place, Difference> before) {
        return seen.as(before.getOrDefault(Place.of(seen), seen.difference()));
    }

    /**
     * Returns whether a difference at the place of a repair is the repaired one, or an older cell that appeared beneath
     * it, and not the work of a later write. Beneath an entry that is correct except for its stamp, the repair has put
     * the entry again.
     */
    private static boolean isLeftOver(Sight seen, Sight repaired) {
        return switch (repaired.difference()) {
            case MISSING, FUTURE_STAMP -> seen.mark().equals(repaired.mark());
            default -> seen.mark().time() <= repaired.mark().time();
        };
    }

    /**
     * Returns the rows of repaired entries that now lack their own entry, were not to be given it by the repair, and
     * are not unsettled already.
     */
    private Collection<Sight> lackingSince(List<Sight> repaired, Told told) throws IOException {
        Map<Place, byte[]> rows = new LinkedHashMap<>();
        for (Sight sight : repaired) {
            sight.row().ifPresent(row -> rows.put(Place.missing(row), row));
        }
        repaired.forEach(sight -> rows.remove(Place.of(sight)));
        rows.keySet().removeIf(told::isUnsettled);
        return looks.missingAt(List.copyOf(rows.values())).values();
    }
}
