package org.diffindex.lab.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * A load of {@link RateExperiment}: at which rate clients start operations.
 *
 * @param text how the report calls it
 * @param kind the source of the rate
 * @param amount percent, or operations a second; 0 for a closed loop
 */
record RateLoad(String text, Kind kind, double amount) {
    /** The share of the lowest of the highest rates that all contenders have alike, in percent. */
    static final int COMMON_PERCENT = 70;

    private static final List<Integer> PERCENTS = List.of(50, 70);

    /** The source of a rate. */
    enum Kind {
        /** From nothing: as many operations as the clients can. */
        CLOSED,
        /** From what the contender reaches in the closed loop of the same round, of which it is a share. */
        SHARE,
        /** From what the slowest of the contenders reaches there, of which it is a share; the same for all. */
        COMMON,
        /** From what the options ask for; the same for all. */
        GIVEN
    }

    /**
     * The loads of a run: the closed loop first; then the rates that are asked for, or else shares of what the closed loop
     * reaches.
     *
     * @param rates operations a second; none for shares
     * @param quick whether the largest share alone is measured
     */
    static List<RateLoad> of(List<Integer> rates, boolean quick) {
        List<RateLoad> loads = new ArrayList<>(List.of(new RateLoad("closed loop", Kind.CLOSED, 0)));
        rates.forEach(rate -> loads.add(new RateLoad("%,d a second".formatted(rate), Kind.GIVEN, rate)));
        if (rates.isEmpty()) {
            List<Integer> percents = quick ? PERCENTS.subList(1, 2) : PERCENTS;
            percents.forEach(percent -> loads.add(new RateLoad(percent + "% of its highest", Kind.SHARE, percent)));
            if (!quick) {
                loads.add(new RateLoad("same rate", Kind.COMMON, COMMON_PERCENT));
            }
        }
        return loads;
    }

    /**
     * How many operations a second there are to be; empty for a closed loop.
     *
     * @param reached what each contender reached in the closed loop of the same round
     */
    OptionalDouble perSecond(Contender contender, Map<Contender, Double> reached) {
        return switch (kind) {
            case CLOSED -> OptionalDouble.empty();
            case SHARE -> OptionalDouble.of(amount / 100 * reached.get(contender));
            case COMMON ->
                OptionalDouble.of(amount
                        / 100
                        * reached.values().stream()
                                .mapToDouble(Double::doubleValue)
                                .min()
                                .orElseThrow());
            case GIVEN -> OptionalDouble.of(amount);
        };
    }
}
