package org.diffindex.lab.bench.statistics;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Function;

/**
 * The measurements of one cell.
 *
 * @param cell the cell
 * @param rounds one measurement for each measured round, in order
 */
public record CellResult(BenchCell cell, List<Measurement> rounds) {
    /** Copies the list. */
    public CellResult {
        rounds = List.copyOf(rounds);
    }

    /** Returns the spread of a value over the rounds that have it; empty if none has. */
    public Optional<Spread> spread(String name) {
        return spread(values(name), Spread::of);
    }

    /** Returns the spread of a value that is a share over the rounds that have it; empty if none has. */
    public Optional<Spread> spreadOfShares(String name) {
        return spread(values(name), Spread::ofShares);
    }

    private List<Double> values(String name) {
        return rounds.stream()
                .flatMap(round -> round.value(name).stream().boxed())
                .toList();
    }

    /**
     * Returns the spread of the ratio of a value to that of another cell. Each ratio is taken within one round, so that
     * a drift of the machine cancels out. A round that lacks either value, or whose denominator is not positive, is
     * left out. Returns empty if no round remains.
     */
    public Optional<Spread> ratioTo(CellResult other, String name) {
        return spread(ratiosTo(other, name), Spread::of);
    }

    /** Returns the ratios of {@link #ratioTo}, in the order of the rounds. */
    public List<Double> ratiosTo(CellResult other, String name) {
        List<Double> ratios = new ArrayList<>();
        for (int round = 0; round < Math.min(rounds.size(), other.rounds.size()); round++) {
            OptionalDouble numerator = rounds.get(round).value(name);
            OptionalDouble denominator = other.rounds.get(round).value(name);
            if (numerator.isPresent() && denominator.isPresent() && denominator.getAsDouble() > 0) {
                ratios.add(numerator.getAsDouble() / denominator.getAsDouble());
            }
        }
        return ratios;
    }

    private static Optional<Spread> spread(List<Double> values, Function<List<Double>, Spread> spread) {
        return values.isEmpty() ? Optional.empty() : Optional.of(spread.apply(values));
    }

    /** Returns the names of all values, in the order in which they first occur in the rounds. */
    public Set<String> names() {
        Set<String> names = new LinkedHashSet<>();
        rounds.forEach(round -> names.addAll(round.values().keySet()));
        return names;
    }
}
