package org.diffindex.verify;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Determines by {@link SecondLooks} which of the differences of a first look last, and repairs them if the options say
 * so. Differences that the scheme allows count at once.
 *
 * <p>The number of pending differences is bounded by the options, and their bytes by a parameter, which the last one
 * may exceed. When a bound is reached, the pending differences are settled while the reading threads wait. Safe for use
 * by many threads.
 */
final class Settlement {
    private final SecondLooks looks;
    private final RepairTurns repairs;
    private final ScrubReportDraft report;
    private final ScrubOptions options;

    private final long mostBytes;

    /** Guarded by this. */
    private final Map<Place, Sight> pending = new LinkedHashMap<>();

    /** An upper bound of the pending differences' bytes. Guarded by this. */
    private long bytes;

    Settlement(SecondLooks looks, RepairTurns repairs, ScrubReportDraft report, ScrubOptions options, long mostBytes) {
        this.mostBytes = mostBytes;
        this.looks = looks;
        this.repairs = repairs;
        this.report = report;
        this.options = options;
    }

    /** Adds the differences of a first look. */
    synchronized void add(List<Sight> sights) throws IOException {
        for (Sight sight : sights) {
            pending.put(Place.of(sight), sight);
            bytes += sight.bytes();
            if (pending.size() >= options.pending() || bytes > mostBytes) {
                settle();
            }
        }
    }

    /** Settles all pending differences. */
    synchronized void settle() throws IOException {
        List<Sight> lasting = new ArrayList<>();
        List<Sight> open = new ArrayList<>();
        for (Sight sight : pending.values()) {
            (report.isAllowed(sight.difference()) ? lasting : open).add(sight);
        }
        pending.clear();
        bytes = 0;
        SecondLooks.Settled settled = looks.settle(open);
        report.unsettled(settled.changing().size());
        lasting.addAll(settled.lasting());
        lasting.forEach(report::found);
        if (options.repair()) {
            repairs.run(lasting, settled.changing());
        }
    }
}
