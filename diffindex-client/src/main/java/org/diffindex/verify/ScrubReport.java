package org.diffindex.verify;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;

/**
 * The result of a scrub of one index. Immutable.
 *
 * @param index the index, with the scheme by which it was judged
 * @param rows rows of the base table that should have an entry
 * @param entries rows of the index table
 * @param found the number of differences of each kind; kinds without a difference are absent
 * @param repaired how many of them are repaired
 * @param unsettled the number of places that were being written at every look, so that nothing is known of them
 * @param samples some of the differences, a few of each kind
 * @param time how long the scrub took
 * @param changingTo the scheme to which the index was being changed when the scrub began; until that change is complete, the
 *     index is judged by the scheme by which readers read it
 */
public record ScrubReport(
        IndexDefinition index,
        long rows,
        long entries,
        Map<Difference, Long> found,
        Map<Difference, Long> repaired,
        long unsettled,
        List<FoundDifference> samples,
        Duration time,
        Optional<IndexScheme> changingTo) {
    /** Copies the collections. */
    public ScrubReport {
        found = Map.copyOf(found);
        repaired = Map.copyOf(repaired);
        samples = List.copyOf(samples);
    }

    /** Creates the result of a scrub of an index whose scheme was not being changed. */
    public ScrubReport(
            IndexDefinition index,
            long rows,
            long entries,
            Map<Difference, Long> found,
            Map<Difference, Long> repaired,
            long unsettled,
            List<FoundDifference> samples,
            Duration time) {
        this(index, rows, entries, found, repaired, unsettled, samples, time, Optional.empty());
    }

    /** Returns this result for an index whose scheme was being changed. */
    public ScrubReport whileChangingTo(Optional<IndexScheme> next) {
        return new ScrubReport(index, rows, entries, found, repaired, unsettled, samples, time, next);
    }

    /** Returns how many differences of a kind were found. */
    public long found(Difference difference) {
        return found.getOrDefault(difference, 0L);
    }

    /** Returns how many differences of a kind were repaired. */
    public long repaired(Difference difference) {
        return repaired.getOrDefault(difference, 0L);
    }

    /** Returns how many differences of a kind remain. */
    public long left(Difference difference) {
        return found(difference) - repaired(difference);
    }

    /** Returns whether the index's scheme leaves such entries behind, so that they are not faults. */
    public boolean isAllowed(Difference difference) {
        return difference.isAllowedBy(index.scheme());
    }

    /** Returns how many differences of a kind remain as faults: 0 for a kind that the scheme allows. */
    public long faults(Difference difference) {
        return isAllowed(difference) ? 0 : left(difference);
    }

    /**
     * Returns whether the index is known to contain all entries that it should, and nothing that its scheme does not
     * allow; false if any place is unsettled.
     */
    public boolean isClean() {
        return unsettled == 0 && found.keySet().stream().allMatch(difference -> faults(difference) == 0);
    }

    @Override
    public String toString() {
        String differences = found.keySet().stream()
                .sorted()
                .map(difference ->
                        found(difference) + " " + difference.label() + (isAllowed(difference) ? " (allowed)" : ""))
                .collect(Collectors.joining(", "));
        return String.format(
                "index %s on %s (%s%s): %d rows, %d entries, %s%s%s",
                index.name(),
                index.table(),
                index.scheme(),
                changingTo.map(next -> ", being changed to " + next).orElse(""),
                rows,
                entries,
                differences.isEmpty() ? "no difference" : differences,
                unsettled == 0 ? "" : ", " + unsettled + " unsettled",
                samples.isEmpty() ? "" : "; such as " + samples.get(0));
    }
}
