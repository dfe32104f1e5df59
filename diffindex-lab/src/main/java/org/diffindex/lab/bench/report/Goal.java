package org.diffindex.lab.bench.report;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.diffindex.lab.bench.statistics.Interval;
import org.diffindex.lab.bench.statistics.RunResults;
import org.diffindex.lab.bench.statistics.Spread;
import org.diffindex.lab.output.ReadableText;

/**
 * A goal, and the figure that it bounds.
 *
 * @param figure the name of the figure
 * @param bound the bound on the figure
 * @param unit the unit of the figure; empty for a ratio
 * @param measured the figure; empty if it was not measured
 * @param met whether the goal is met; empty if that is undecided
 * @param note the reason why the goal is undecided, or the conditions under which it was judged; often empty
 * @param plain the figure of plain calls in place of the index; empty if it was not measured
 */
record Goal(
        String figure,
        Bound bound,
        String unit,
        Optional<Spread> measured,
        Optional<Boolean> met,
        Optional<String> note,
        Optional<Plain> plain) {

    /** An upper or lower bound. */
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

        /**
         * Returns true if every figure in an interval meets the bound, false if none does, and empty if only some do.
         */
        Optional<Boolean> isMetBy(Interval figures) {
            boolean low = isMetBy(figures.low());
            return low == isMetBy(figures.high()) ? Optional.of(low) : Optional.empty();
        }

        String text(String unit) {
            return (atMost ? "at most " : "at least ")
                    + ReadableText.number(value)
                    + (unit.isEmpty() ? "" : " " + unit);
        }
    }

    /**
     * The same ratio for a client that makes plain calls in place of the index, from the same rounds. It is not a
     * bound: an index can be better, because it writes from the row's server, or worse, because it also reads, locks
     * and logs.
     *
     * @param of the name of the plain calls
     * @param measured the ratio
     */
    record Plain(String of, Spread measured) {}

    /**
     * Returns a goal judged by the 95% confidence interval of the mean: undecided if the bound lies within the
     * interval.
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

    /**
     * Judges goals by the results of a run. A goal whose figure depends on an experiment that failed is undecided: its
     * figure may be one of wrong answers.
     *
     * @param judge returns the goals, always as many and in the same order, by the results that it is given
     */
    static List<Goal> of(RunResults run, Function<RunResults, List<Goal>> judge) {
        List<Goal> all = judge.apply(run);
        List<Goal> ofCompleted = judge.apply(run.completed());
        return IntStream.range(0, all.size())
                .mapToObj(i -> all.get(i).unlessFailed(ofCompleted.get(i)))
                .toList();
    }

    private Goal unlessFailed(Goal ofCompleted) {
        return measured.equals(ofCompleted.measured) ? this : judged(Optional.empty(), "the experiment failed");
    }

    private static Optional<String> whyOpen(Spread spread, Bound bound) {
        if (spread.interval().isEmpty()) {
            return Optional.of(
                    spread.rounds() < Interval.FEWEST_ROUNDS
                            ? "fewer than " + Interval.FEWEST_ROUNDS + " rounds"
                            : "a round is not above 0: " + ReadableText.number(spread.lowest()));
        }
        Interval interval = spread.interval().get();
        return bound.isMetBy(interval).isPresent()
                ? Optional.empty()
                : Optional.of("undecided: between " + ReadableText.number(interval.low()) + " and "
                        + ReadableText.number(interval.high()));
    }

    /** Returns the same figure with another verdict, and the reason for the verdict. */
    Goal judged(Optional<Boolean> verdict, String why) {
        return new Goal(figure, bound, unit, measured, verdict, Optional.of(why), plain);
    }

    /** Returns the same figure next to that of plain calls. */
    Goal beside(Optional<Plain> plainCalls) {
        return new Goal(figure, bound, unit, measured, met, note, plainCalls);
    }

    String goalText() {
        return bound.text(unit);
    }

    /** Returns the median and the range of the rounds, as text. */
    String measuredText() {
        return measured.map(spread -> spreadText(spread) + (unit.isEmpty() ? "" : " " + unit))
                .orElse("not measured");
    }

    /** Returns the plain calls and their ratio, as text; empty without them. The verdict ignores this ratio. */
    String plainText() {
        return plain.map(it -> it.of() + ": " + spreadText(it.measured())).orElse("");
    }

    /** Returns the median, and the range of the rounds unless all are equal. */
    private static String spreadText(Spread spread) {
        return spread.lowest() == spread.highest()
                ? ReadableText.number(spread.median())
                : ReadableText.number(spread.median()) + " (" + ReadableText.number(spread.lowest()) + " to "
                        + ReadableText.number(spread.highest()) + ")";
    }

    String metText() {
        return met.map(yes -> yes ? "met" : "not met").orElse("-");
    }
}
