package org.diffindex.verify;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.diffindex.model.IndexDefinition;

/** Adds up the differences that a scrub finds into a {@link ScrubReport}. Safe for use by many threads. */
final class ScrubReportDraft {
    private final IndexDefinition index;
    private final int samplesOfEach;
    private final Map<Difference, Long> found = new EnumMap<>(Difference.class);
    private final Map<Difference, Long> repaired = new EnumMap<>(Difference.class);
    private final List<FoundDifference> samples = new ArrayList<>();
    private long unsettled;

    ScrubReportDraft(IndexDefinition index, int samplesOfEach) {
        this.index = index;
        this.samplesOfEach = samplesOfEach;
    }

    boolean isAllowed(Difference difference) {
        return difference.isAllowedBy(index.scheme());
    }

    synchronized void found(Sight sight) {
        long count = found.merge(sight.difference(), 1L, Long::sum);
        if (count <= samplesOfEach) {
            samples.add(sight.asText());
        }
    }

    synchronized void repaired(Difference difference, long count) {
        if (count > 0) {
            repaired.merge(difference, count, Long::sum);
        }
    }

    synchronized void unsettled(long places) {
        unsettled += places;
    }

    synchronized ScrubReport complete(long rows, long entries, Duration time) {
        return new ScrubReport(index, rows, entries, found, repaired, unsettled, samples, time);
    }
}
