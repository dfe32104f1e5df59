package org.diffindex.lab.bench;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What the rounds of one cell gave.
 *
 * @param cell what was measured
 * @param rounds the rounds that count, in their order
 */
record CellResult(Cell cell, List<Measurement> rounds) {
    /** Copies the list. */
    CellResult {
        rounds = List.copyOf(rounds);
    }

    /** The spread of a value over the rounds that have it; empty if none has. */
    Optional<Spread> spread(String name) {
        List<Double> values = rounds.stream()
                .flatMap(round -> round.value(name).stream().boxed())
                .toList();
        return values.isEmpty() ? Optional.empty() : Optional.of(Spread.of(values));
    }

    /** The names of all values, in their order. */
    Set<String> names() {
        Set<String> names = new LinkedHashSet<>();
        rounds.forEach(round -> names.addAll(round.values().keySet()));
        return names;
    }
}
