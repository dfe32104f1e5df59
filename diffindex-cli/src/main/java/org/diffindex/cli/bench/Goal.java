package org.diffindex.cli.bench;

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
 */
record Goal(
        String figure,
        Bound bound,
        String unit,
        Optional<Spread> measured,
        Optional<Boolean> met,
        Optional<String> note) {

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

        String text(String unit) {
            return (atMost ? "at most " : "at least ") + Numbers.plain(value) + (unit.isEmpty() ? "" : " " + unit);
        }
    }

    /** A goal that is judged by the median. */
    static Goal of(String figure, Bound bound, String unit, Optional<Spread> measured) {
        return new Goal(
                figure,
                bound,
                unit,
                measured,
                measured.map(spread -> bound.isMetBy(spread.median())),
                Optional.empty());
    }

    /** The same figure, of which under these circumstances only that can be said. */
    Goal judged(Optional<Boolean> verdict, String why) {
        return new Goal(figure, bound, unit, measured, verdict, Optional.of(why));
    }

    String goalText() {
        return bound.text(unit);
    }

    /** The measured median and its spread, in words. */
    String measuredText() {
        return measured.map(spread ->
                        Numbers.plain(spread.median()) + rangeText(spread) + (unit.isEmpty() ? "" : " " + unit))
                .orElse("not measured");
    }

    /** Of a single round there is none. */
    private static String rangeText(Spread spread) {
        return spread.lowest() == spread.highest()
                ? ""
                : " (" + Numbers.plain(spread.lowest()) + " to " + Numbers.plain(spread.highest()) + ")";
    }

    String metText() {
        return met.map(yes -> yes ? "met" : "not met").orElse("-");
    }
}
