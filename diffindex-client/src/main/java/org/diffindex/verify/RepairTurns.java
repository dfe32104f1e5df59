package org.diffindex.verify;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.hbase.client.Delete;

/**
 * Has differences repaired, and looks what came of it: what is still there, or is newly wrong with the row, is repaired again,
 * a few times. Only what is not there any more then counts as repaired. Safe for use by one thread at a time.
 */
final class RepairTurns {
    /** An index cell that comes to light when the one above it is gone is repaired in the next. */
    private static final int TURNS = 3;

    private final ScrubTables tables;
    private final SecondLooks looks;
    private final ScrubReportDraft report;

    RepairTurns(ScrubTables tables, SecondLooks looks, ScrubReportDraft report) {
        this.tables = tables;
        this.looks = looks;
        this.report = report;
    }

    /** Repairs differences that were found, and reports which of them are repaired. */
    void run(List<Sight> found) throws IOException {
        List<Sight> all = new ArrayList<>(found);
        List<Sight> wrong = found;
        for (int turn = 0; turn < TURNS && !wrong.isEmpty(); turn++) {
            for (List<Sight> page : Place.pagesToRepair(wrong)) {
                repair(page);
            }
            looks.drain();
            wrong = stillWrong(wrong, all);
        }
        Map<Difference, Long> left = counts(wrong);
        counts(all)
                .forEach((difference, count) -> report.repaired(difference, count - left.getOrDefault(difference, 0L)));
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
     * Those at whose places there is a difference still, as the differences that they were, and rows that lack their entry
     * since: these are reported, and added to all that was found. Another difference than the repaired one may be a write in
     * flight, or what the repair made of it, and is settled as any other. A place of a repair that is changing then is not known
     * to be repaired; of a row that lacks its entry since and is changing, nothing is known.
     */
    private List<Sight> stillWrong(List<Sight> repaired, List<Sight> all) throws IOException {
        Map<Place, Sight> now = looks.at(repaired);
        Map<Place, Difference> before = new LinkedHashMap<>();
        List<Sight> newer = new ArrayList<>();
        List<Sight> wrong = new ArrayList<>();
        for (Sight each : repaired) {
            Sight seen = now.get(Place.of(each));
            if (seen != null && isLeftOver(seen, each)) {
                wrong.add(seen.as(each.difference()));
            } else if (seen != null && !report.isAllowed(seen.difference())) {
                before.put(Place.of(seen), each.difference());
                newer.add(seen);
            }
        }
        newer.addAll(lackingSince(repaired));
        SecondLooks.Settled settled = looks.settle(newer);
        for (Sight seen : settled.lasting()) {
            Difference was = before.get(Place.of(seen));
            if (was == null) {
                report.found(seen);
                all.add(seen);
            }
            wrong.add(was == null ? seen : seen.as(was));
        }
        for (Sight seen : settled.changing()) {
            Difference was = before.get(Place.of(seen));
            if (was == null) {
                report.unsettled(1);
            } else {
                wrong.add(seen.as(was));
            }
        }
        return wrong;
    }

    /**
     * Whether what is seen at the place of a repair is the repaired difference, or an older cell that came to light beneath it,
     * and no work of a later write. Beneath an entry that is right but for its stamp, the repair has put the entry anew.
     */
    private static boolean isLeftOver(Sight seen, Sight repaired) {
        return switch (repaired.difference()) {
            case MISSING, FUTURE_STAMP -> seen.mark().equals(repaired.mark());
            default -> seen.mark().time() <= repaired.mark().time();
        };
    }

    /** The rows of repaired entries that lack their own entry now, and were not found to lack it before. */
    private Collection<Sight> lackingSince(List<Sight> repaired) throws IOException {
        Set<Place> lacking = new HashSet<>();
        Map<Place, byte[]> rows = new LinkedHashMap<>();
        for (Sight sight : repaired) {
            if (sight.found().isEmpty()) {
                lacking.add(Place.of(sight));
            } else {
                sight.row().ifPresent(row -> rows.put(Place.missing(row), row));
            }
        }
        rows.keySet().removeAll(lacking);
        return looks.missingAt(List.copyOf(rows.values())).values();
    }

    private static Map<Difference, Long> counts(List<Sight> sights) {
        Map<Difference, Long> counts = new EnumMap<>(Difference.class);
        sights.forEach(sight -> counts.merge(sight.difference(), 1L, Long::sum));
        return counts;
    }
}
