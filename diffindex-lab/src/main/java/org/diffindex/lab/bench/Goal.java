package org.diffindex.lab.bench;

import java.util.Optional;

/**
 * A figure and its goal.
 *
 * @param figure what is measured
 * @param bound how large it may or must be
 * @param unit what it is counted in; empty for a ratio
 * @param measured what it is; empty if that was not measured
 * @param met whether the goal is met; empty if that cannot be said
 * @param note what else is to be known; often empty
 * @param plain what plain calls of a client in place of the index come to; empty if that was not measured
 */
record Goal(
        String figure,
        Bound bound,
        String unit,
        Optional<Spread> measured,
        Optional<Boolean> met,
        Optional<String> note,
        Optional<Plain> plain) {

    /** How large a figure may or must be. */
    record Bound(boolean atMost, double value) {
        static Bound atMost(double value) {
            return new Bound(true, value);
        }

        static Bound atLeast(double value) {
            return new Bound(false, value);
        }

        boolean isMetBy(double figure) {
            return atMost ? figure <= value : figure >= value;
        }

        /** Whether it is met, if the rounds leave no doubt. */
        Optional<Boolean> isMetBy(Interval figures) {
            boolean low = isMetBy(figures.low());
            return low == isMetBy(figures.high()) ? Optional.of(low) : Optional.empty();
        }

        String text(String unit) {
            return (atMost ? "at most " : "at least ") + Numbers.plain(value) + (unit.isEmpty() ? "" : " " + unit);
        }
    }

    /**
     * The same ratio of a client that makes plain calls in place of the index, in the same rounds. It is no bound: an index may
     * be better, since it writes from the row's server, or worse, since it reads, locks and logs besides.
     *
     * @param of the calls that were measured
     * @param measured the ratio
     */
    record Plain(String of, Spread measured) {}

    /**
     * A goal that is judged by where the mean lies with a confidence of 95%: if the goal lies within, nobody can say whether it
     * is met.
     */
    static Goal of(String figure, Bound bound, String unit, Optional<Spread> measured) {
        return new Goal(
                figure,
                bound,
                unit,
                measured,
                measured.flatMap(Spread::interval).flatMap(bound::isMetBy),
                measured.flatMap(spread -> whyOpen(spread, bound)),
                Optional.empty());
    }

    private static Optional<String> whyOpen(Spread spread, Bound bound) {
        if (spread.interval().isEmpty()) {
            return Optional.of("fewer than " + Interval.FEWEST_ROUNDS + " rounds");
        }
        Interval interval = spread.interval().get();
        return bound.isMetBy(interval).isPresent()
                ? Optional.empty()
                : Optional.of("the rounds leave it open: " + Numbers.plain(interval.low()) + " to "
                        + Numbers.plain(interval.high()));
    }

    /** The same figure, of which under these circumstances only that can be said. */
    Goal judged(Optional<Boolean> verdict, String why) {
        return new Goal(figure, bound, unit, measured, verdict, Optional.of(why), plain);
    }

    /** The same figure beside what plain calls come to. */
    Goal beside(Optional<Plain> toldPlain) {
        return new Goal(figure, bound, unit, measured, met, note, toldPlain);
    }

    String goalText() {
        return bound.text(unit);
    }

    /** The measured median and its spread, in words. */
    String measuredText() {
        return measured.map(spread -> spreadText(spread) + (unit.isEmpty() ? "" : " " + unit))
                .orElse("not measured");
    }

    /** The plain calls and what they come to, in words; empty without. Nothing is judged by it. */
    String plainText() {
        return plain.map(it -> it.of() + ": " + spreadText(it.measured())).orElse("");
    }

    /** The median, and the range of the rounds unless there is one round only. */
    private static String spreadText(Spread spread) {
        return spread.lowest() == spread.highest()
                ? Numbers.plain(spread.median())
                : Numbers.plain(spread.median()) + " (" + Numbers.plain(spread.lowest()) + " to "
                        + Numbers.plain(spread.highest()) + ")";
    }

    String metText() {
        return met.map(yes -> yes ? "met" : "not met").orElse("-");
    }
}
