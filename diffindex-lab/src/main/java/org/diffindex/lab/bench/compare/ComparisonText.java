package org.diffindex.lab.bench.compare;

import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.diffindex.lab.bench.statistics.Interval;
import org.diffindex.lab.bench.statistics.Spread;
import org.diffindex.lab.output.ReadableText;
import org.diffindex.lab.output.TextTable;

/** Prints a comparison for people. */
final class ComparisonText {
    private static final String UNKNOWN = "unknown";

    /** {@link ReadableText#number} may round smaller numbers to zero. */
    private static final double SMALL = 0.01;

    private final Comparison comparison;
    private final PrintWriter out;

    ComparisonText(Comparison comparison, PrintWriter out) {
        this.comparison = comparison;
        this.out = out;
    }

    void print() {
        out.println("A: " + comparison.a().file());
        out.println("B: " + comparison.b().file());
        out.println();
        differences();
        drift();
        failures();
        figures();
        goals();
        rates();
        summary();
        out.flush();
    }

    private void differences() {
        List<FactDifference> differences = FactDifference.between(comparison.a(), comparison.b());
        if (differences.isEmpty()) {
            return;
        }
        TextTable table = new TextTable("DIFFERENT", "A", "B");
        differences.forEach(each ->
                table.row(each.fact(), each.a().orElse(UNKNOWN), each.b().orElse(UNKNOWN)));
        table.print(out, 3);
        String ofRatios = differences.stream()
                .filter(FactDifference::isOfRatios)
                .map(FactDifference::fact)
                .collect(Collectors.joining(", "));
        if (!ofRatios.isEmpty()) {
            out.println("WARNING: A and B differ in " + ofRatios
                    + ", on which ratios depend too: a change below need not be one of the code.");
        }
        out.println();
    }

    private void drift() {
        comparison
                .drift()
                .factors()
                .ifPresent(factors -> out.println("Median latencies without an index in B, divided by those in A: "
                        + text(factors.median()) + " (" + range(factors.lowest(), factors.highest()) + ")\n"));
    }

    private void failures() {
        failures("A", comparison.a());
        failures("B", comparison.b());
    }

    private void failures(String name, RecordedRun run) {
        run.failed()
                .forEach(experiment -> out.println("WARNING: Experiment " + experiment.name() + " failed in " + name
                        + ", so its figures are not compared: "
                        + experiment.failure().orElseThrow()));
    }

    private void figures() {
        List<FigureChange> changes = comparison.figures().stream()
                .filter(change -> change.verdict().isChange())
                .sorted(Comparator.comparing(FigureChange::verdict))
                .toList();
        if (changes.isEmpty()) {
            return;
        }
        TextTable table = new TextTable("EXPERIMENT", "LOAD", "SCHEME", "VALUE", "A", "B", "B / A", "B IS");
        changes.forEach(change -> row(table, change));
        table.print(out, 4);
        out.println(
                "Medians, with the 95% interval of the mean. \"/ no index\": relative to no index in the same round.");
        if (changes.stream().anyMatch(change -> change.name().isAbsolute())) {
            out.println("* absolute: nothing in the same round to relate it to. " + ofMachine());
        }
        out.println();
    }

    private String ofMachine() {
        return comparison.drift().factors().isPresent()
                ? "A time or rate counts only if it has changed by more than the latencies without an index."
                : "The reports have no latency without an index in common: a change may be one of the machine.";
    }

    private static void row(TextTable table, FigureChange change) {
        FigureName name = change.name();
        table.row(
                name.experiment(),
                name.load(),
                name.scheme(),
                name.value().valueName() + (name.isAbsolute() ? " *" : " / no index"),
                text(change.a()),
                text(change.b()),
                change.factor().isPresent() ? text(change.factor().getAsDouble()) : "-",
                change.verdict().text());
    }

    private static String text(Optional<Figure> figure) {
        Spread spread = figure.orElseThrow().spread();
        Interval interval = spread.interval().orElseThrow();
        return text(spread.median()) + " (" + range(interval.low(), interval.high()) + ")";
    }

    private static String range(double low, double high) {
        return text(low) + " to " + text(high);
    }

    /** Returns a number rounded for people; a small one, such as a ratio to a full scan, with two digits. */
    private static String text(double value) {
        return value > 0 && value < SMALL
                ? new BigDecimal(value).round(new MathContext(2)).toPlainString()
                : ReadableText.number(value);
    }

    private void goals() {
        List<GoalChange> changes = comparison.goals().stream()
                .filter(change -> change.verdict().isChange())
                .toList();
        if (changes.isEmpty()) {
            return;
        }
        TextTable table = new TextTable("GOAL", "BOUND", "A", "B", "B IS");
        for (GoalChange change : changes) {
            RecordedGoal before = change.a().orElseThrow();
            RecordedGoal after = change.b().orElseThrow();
            table.row(
                    change.figure(),
                    after.bound(),
                    text(before),
                    text(after),
                    change.verdict().text());
        }
        table.print(out, 2);
        out.println();
    }

    private static String text(RecordedGoal goal) {
        return goal.measured().isPresent() ? text(goal.measured().getAsDouble()) : UNKNOWN;
    }

    private void rates() {
        List<RateDifference> differences = RateDifference.among(comparison.figures());
        if (differences.isEmpty()) {
            return;
        }
        TextTable table = new TextTable("NOT COMPARABLE", "LOAD", "SCHEME", "RATE IN A", "RATE IN B");
        differences.forEach(each -> table.row(
                each.experiment(),
                each.load(),
                String.join(", ", each.schemes()),
                each.a().text(),
                each.b().text()));
        table.print(out, 3);
        out.println("Measured at different rates, or with a round below the requested rate, no index included where a"
                + " figure is related to it.");
        out.println();
    }

    private void summary() {
        out.println(counted(comparison.compared(), "figure") + " compared: "
                + counts(comparison::count, Verdict.BETTER, Verdict.WORSE, Verdict.WITHIN_SPREAD)
                + "; by chance alone, about " + Math.round(comparison.expectedByChance()) + " would have changed.");
        notCompared();
        long failed = comparison.failedOnlyInB().size();
        if (failed > 0) {
            out.println(counted(failed, "experiment") + " worse: failed in B and completed in A.");
        }
        out.println(counted(comparison.goals().size(), "goal") + ": "
                + comparison.countGoals(Verdict.BETTER) + " met only in B, "
                + comparison.countGoals(Verdict.WORSE) + " met only in A, "
                + comparison.countGoals(Verdict.WITHIN_SPREAD) + " with the same verdict, "
                + comparison.countGoals(Verdict.NOT_JUDGED) + " undecided in one or bounded otherwise, "
                + counts(comparison::countGoals, Verdict.ONLY_IN_A, Verdict.ONLY_IN_B) + ".");
    }

    private void notCompared() {
        out.println("Not compared: "
                + counts(
                        comparison::count,
                        Verdict.ONLY_IN_A,
                        Verdict.ONLY_IN_B,
                        Verdict.DIFFERENT_RATES,
                        Verdict.BELOW_RATE,
                        Verdict.EXPERIMENT_FAILED,
                        Verdict.DIFFERENT_RIVALS,
                        Verdict.NOT_JUDGED)
                + " (fewer than " + Interval.FEWEST_ROUNDS + " rounds, or a round not above 0).");
    }

    private static String counts(ToLongFunction<Verdict> count, Verdict... verdicts) {
        return Stream.of(verdicts)
                .map(verdict -> count.applyAsLong(verdict) + " " + verdict.text())
                .collect(Collectors.joining(", "));
    }

    private static String counted(long count, String name) {
        return count + " " + name + (count == 1 ? "" : "s");
    }
}
