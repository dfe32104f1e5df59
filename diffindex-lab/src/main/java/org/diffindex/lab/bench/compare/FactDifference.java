package org.diffindex.lab.bench.compare;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A fact of the machine, or an option, in which two runs differ.
 *
 * @param fact its name
 * @param a it in the first run; empty if that is not known
 * @param b it in the second run; empty if that is not known
 */
record FactDifference(String fact, Optional<String> a, Optional<String> b) {
    /** The facts on which ratios to no index depend. */
    private static final Set<String> OF_RATIOS =
            Set.of("cores", "region_server_heap", "quick", "rows", "scan_rows", "threads", "rates", "settings");

    /** Returns the differences, in the order of the reports. */
    static List<FactDifference> between(RecordedRun a, RecordedRun b) {
        Set<String> facts = new LinkedHashSet<>(a.facts().keySet());
        facts.addAll(b.facts().keySet());
        return facts.stream()
                .map(fact -> new FactDifference(
                        fact,
                        Optional.ofNullable(a.facts().get(fact)),
                        Optional.ofNullable(b.facts().get(fact))))
                .filter(each -> !each.a().equals(each.b()))
                .toList();
    }

    /** Returns whether even ratios of the two runs cannot be compared; false if the fact of one is not known. */
    boolean isOfRatios() {
        return a.isPresent() && b.isPresent() && OF_RATIOS.contains(fact);
    }
}
