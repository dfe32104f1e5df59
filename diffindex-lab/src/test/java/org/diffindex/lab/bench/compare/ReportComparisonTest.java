package org.diffindex.lab.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.lab.bench.compare.Runs.AROUND_ONE;
import static org.diffindex.lab.bench.compare.Runs.experiment;
import static org.diffindex.lab.bench.compare.Runs.staleCell;
import static org.diffindex.lab.bench.compare.Runs.times;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;
import org.diffindex.lab.bench.experiments.Results;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Contender;
import org.junit.jupiter.api.Test;

/** Tests what a comparison prints, as text and as JSON. */
class ReportComparisonTest {
    private static final RecordedRun BEFORE = run("before", "100000", true, 1);
    private static final RecordedRun AFTER = run("after", "40000", false, 2);

    /** A run whose times are multiplied by a factor, while its rate is not. */
    private static RecordedRun run(String commit, String rows, boolean met, double factor) {
        List<CellResult> cells = new ArrayList<>(List.of(
                Results.cell(Contender.NO_INDEX, 1, "p50_us", 100, 100, 100, 100, 100),
                Results.cell(Results.FULL, 1, "p50_us", times(200 * factor, AROUND_ONE)),
                Results.cell(Results.INSERT, 1, "p50_us", times(200 / factor, AROUND_ONE)),
                Results.cell(Results.SESSION, 1, "p50_us", times(200, AROUND_ONE))));
        return new RecordedRun(
                Path.of(commit, "results.json"),
                Map.of("commit", commit, "rows", rows, "cores", "2"),
                List.of(new RecordedGoal("put", "at most 3", OptionalDouble.of(2 * factor), Optional.of(met))),
                List.of(
                        experiment("update", cells.toArray(CellResult[]::new)),
                        staleCell(ComparedValue.STALENESS_P99, times(10 * factor, AROUND_ONE))));
    }

    private static List<String> text(RecordedRun a, RecordedRun b) {
        StringWriter text = new StringWriter();
        new ComparisonText(Comparison.of(a, b), new PrintWriter(text)).print();
        return text.toString().lines().toList();
    }

    private static JsonObject json(RecordedRun a, RecordedRun b) {
        return JsonParser.parseString(ComparisonJson.of(Comparison.of(a, b))).getAsJsonObject();
    }

    @Test
    void startsWithWhatIsDifferentAndWarnsIfRatiosDependOnIt() {
        assertThat(text(BEFORE, AFTER))
                .startsWith("A: " + BEFORE.file(), "B: " + AFTER.file(), "")
                .contains("commit     before  after", "rows       100000  40000")
                .contains(
                        "WARNING: A and B differ in rows, on which ratios depend too: a change below need not be one of"
                                + " the code.")
                .noneMatch(line -> line.startsWith("cores"));
        assertThat(text(BEFORE, BEFORE)).noneMatch(line -> line.contains("WARNING") || line.startsWith("DIFFERENT"));
    }

    @Test
    void aFactThatOneRunDoesNotRecordIsUnknownAndNoReasonToWarn() {
        RecordedRun old = new RecordedRun(BEFORE.file(), Map.of(), BEFORE.goals(), BEFORE.experiments());
        assertThat(text(old, BEFORE))
                .anyMatch(line -> line.matches("rows +unknown +100000"))
                .noneMatch(line -> line.contains("WARNING"));
    }

    @Test
    void theTableHasOnlyWhatChangedAndTheWorseFirst() {
        List<String> lines = text(BEFORE, AFTER);
        int heading = lines.indexOf(lines.stream()
                .filter(line -> line.startsWith("EXPERIMENT"))
                .findFirst()
                .orElseThrow());
        assertThat(lines.subList(heading + 1, heading + 4))
                .satisfiesExactly(
                        full -> assertThat(full)
                                .matches("update +load 1.0 +sync-full +p50_us / no index +2 \\(1.9\\d? to 2.1\\d?\\)"
                                        + " +4 \\(3.8\\d? to 4.1\\d?\\) +2 +worse"),
                        stale -> assertThat(stale)
                                .matches("staleness +load 1.0 +async-simple +staleness_p99_ms \\* +10 .* +20 .* +2"
                                        + " +worse"),
                        insert -> assertThat(insert)
                                .matches("update +load 1.0 +sync-insert +p50_us / no index .* +0.5 +better"));
        assertThat(lines)
                .noneMatch(line -> line.contains("async-session"))
                .anyMatch(line -> line.startsWith("* absolute: "))
                .contains("Median latencies without an index in B, divided by those in A: 1 (1 to 1)");
    }

    @Test
    void endsWithCountsOfEverything() {
        assertThat(text(BEFORE, AFTER))
                .anyMatch(line -> line.matches("put +at most 3 +2 +4 +worse"))
                .endsWith(
                        "4 figures compared: 1 better, 2 worse, 1 within the spread; by chance alone, about 0 would have"
                                + " changed.",
                        "Not compared: 0 only in A, 0 only in B, 0 at different rates, 0 below the requested rate,"
                                + " 0 of a failed experiment, 0 absolute and against different systems,"
                                + " 0 without an interval (fewer than 3 rounds, or a round not above 0).",
                        "1 goal: 0 met only in B, 1 met only in A, 0 with the same verdict, 0 undecided in one or bounded"
                                + " otherwise, 0 only in A, 0 only in B.");
        assertThat(text(BEFORE, BEFORE))
                .noneMatch(line -> line.startsWith("EXPERIMENT") || line.startsWith("GOAL"))
                .anyMatch(line -> line.startsWith("4 figures compared: 0 better, 0 worse, 4 within the spread;"));
    }

    @Test
    void namesAnExperimentThatFailed() {
        RecordedRun failed = new RecordedRun(
                BEFORE.file(),
                BEFORE.facts(),
                BEFORE.goals(),
                List.of(new RecordedExperiment("update", Optional.of("no server"), List.of())));
        assertThat(text(BEFORE, failed))
                .contains("WARNING: Experiment update failed in B, so its figures are not compared: no server")
                .contains("1 experiment worse: failed in B and completed in A.")
                .anyMatch(line -> line.startsWith("Not compared: 4 only in A"));
        assertThat(text(failed, BEFORE)).noneMatch(line -> line.contains("experiment worse"));
    }

    @Test
    void theJsonNamesAnExperimentThatFailed() {
        RecordedExperiment failed = new RecordedExperiment("update", Optional.of("no server"), List.of());
        assertThat(json(BEFORE, Runs.run(failed)).getAsJsonArray("failed").toString())
                .isEqualTo(
                        "[{\"report\":\"b\",\"experiment\":\"update\",\"failure\":\"no server\",\"b_is\":\"worse\"}]");
        assertThat(json(Runs.run(failed), BEFORE).getAsJsonArray("failed").toString())
                .isEqualTo("[{\"report\":\"a\",\"experiment\":\"update\",\"failure\":\"no server\"}]");
        assertThat(json(BEFORE, AFTER).getAsJsonArray("failed")).isEmpty();
    }

    private static final RecordedRun SLOW = staleAt(1_000, 1_102);
    private static final RecordedRun FAST = staleAt(3_000, 3_000);

    private static RecordedRun staleAt(double async, double session) {
        return Runs.run(experiment(
                "staleness",
                Runs.atRate(async, Results.cell(Results.ASYNC, 70, "staleness_p50_ms", 9, 9, 9)),
                Runs.atRate(session, Results.cell(Results.SESSION, 70, "staleness_p50_ms", 9, 9, 9))));
    }

    @Test
    void namesTheLoadsWhoseRatesDiffer() {
        assertThat(text(SLOW, FAST))
                .anyMatch(line -> line.matches("NOT COMPARABLE +LOAD +SCHEME +RATE IN A +RATE IN B"))
                .anyMatch(line ->
                        line.matches("staleness +load 70.0 +async-simple, async-session +1,000/s to 1,102/s +3,000/s"))
                .anyMatch(line -> line.startsWith("Not compared: 0 only in A, 0 only in B, 2 at different rates"));
        assertThat(text(SLOW, Runs.run(staleCell(ComparedValue.STALENESS_P50, 1, 1, 1))))
                .noneMatch(line -> line.startsWith("NOT COMPARABLE"));
        assertThat(json(SLOW, FAST).getAsJsonArray("different_rates").toString())
                .isEqualTo("[{\"experiment\":\"staleness\",\"load\":\"load 70.0\","
                        + "\"schemes\":[\"async-simple\",\"async-session\"],"
                        + "\"a\":{\"lowest\":1000.0,\"highest\":1102.0},"
                        + "\"b\":{\"lowest\":3000.0,\"highest\":3000.0}}]");
    }

    @Test
    void namesTheLoadsOfWhichARoundIsBelowTheRequestedRate() {
        RecordedRun missed = Runs.run(experiment(
                "staleness", Runs.below(1_000, 400, Results.cell(Results.ASYNC, 70, "staleness_p50_ms", 9, 9, 9))));
        assertThat(text(SLOW, missed))
                .anyMatch(
                        line -> line.matches("staleness +load 70.0 +async-simple +1,000/s +1,000/s, a round at 400/s"))
                .anyMatch(line -> line.contains("0 at different rates, 1 below the requested rate"));
        assertThat(json(SLOW, missed).getAsJsonArray("different_rates").toString())
                .contains("\"b\":{\"lowest\":1000.0,\"highest\":1000.0,\"missed\":400.0}");
    }

    @Test
    void aClosedLoopHasNoRate() {
        RecordedRun closed =
                Runs.run(experiment("staleness", Results.cell(Results.ASYNC, 70, "staleness_p50_ms", 9, 9, 9)));
        assertThat(text(SLOW, closed))
                .anyMatch(line -> line.matches("staleness +load 70.0 +async-simple +1,000/s +none"));
    }

    @Test
    void saysIfNothingTellsHowFastTheMachineWas() {
        ComparedValue staleness = ComparedValue.STALENESS_P99;
        List<String> unknown = text(Runs.staleness(staleness, AROUND_ONE), Runs.staleness(staleness, 4, 4, 4));
        assertThat(unknown)
                .anyMatch(line -> line.startsWith("* absolute: ")
                        && line.endsWith("no latency without an index in common: a change may be one of the machine."))
                .noneMatch(line -> line.contains("more than the latencies without an index"));
        assertThat(text(BEFORE, AFTER)).anyMatch(line -> line.endsWith("more than the latencies without an index."));
    }

    @Test
    void aChangeFromZeroHasNoFactor() {
        ComparedValue share = ComparedValue.ROW_MEMORY_HIT_SHARE;
        RecordedRun none = Runs.staleness(share, 0, 0, 0);
        RecordedRun half = Runs.staleness(share, 0.5, 0.5, 0.5);
        assertThat(text(none, half)).anyMatch(line -> line.matches(".*row_memory_hit_share \\* .* - +better"));
        assertThat(text(half, none)).anyMatch(line -> line.matches(".*row_memory_hit_share \\* .* 0 +worse"));
        assertThat(json(none, half)
                        .getAsJsonArray("changed_figures")
                        .get(0)
                        .getAsJsonObject()
                        .keySet())
                .contains("b_is")
                .doesNotContain("factor");
    }

    @Test
    void aSmallRatioIsNotRoundedToZero() {
        RecordedRun scan = Runs.run(experiment(
                "scan",
                Results.cell(Contender.NO_INDEX, 1, "p50_us", 4e6, 4e6, 4e6),
                Results.cell(Results.FULL, 1, "p50_us", 300, 300, 300)));
        RecordedRun slower = Runs.changed(scan, "scan", "sync-full", "p50_us", 2);
        assertThat(text(scan, slower)).anyMatch(line -> line.contains("0.000075 ") && line.contains("0.00015 "));
    }

    @Test
    void theJsonHasTheChangesAndTheCounts() {
        JsonObject json = json(BEFORE, AFTER);
        assertThat(json.keySet())
                .containsExactly(
                        "a",
                        "b",
                        "different",
                        "failed",
                        "machine_drift",
                        "compared",
                        "expected_by_chance",
                        "figures",
                        "goals",
                        "changed_figures",
                        "changed_goals",
                        "different_rates");
        assertThat(json.get("compared").getAsInt()).isEqualTo(4);
        assertThat(json.get("figures").toString())
                .isEqualTo("{\"worse\":2,\"better\":1,\"within_spread\":1,\"not_judged\":0,\"different_rates\":0,"
                        + "\"below_rate\":0,\"experiment_failed\":0,\"different_rivals\":0,"
                        + "\"only_in_a\":0,\"only_in_b\":0}");
        JsonObject change = json.getAsJsonArray("changed_figures").get(0).getAsJsonObject();
        assertThat(change.keySet())
                .containsExactly("experiment", "load", "scheme", "value", "absolute", "a", "b", "factor", "b_is");
        assertThat(change.getAsJsonObject("a").keySet())
                .containsExactly("median", "lowest", "highest", "interval_low", "interval_high");
        assertThat(change.get("b_is").getAsString()).isEqualTo("worse");
        assertThat(json.getAsJsonArray("changed_goals").toString())
                .isEqualTo("[{\"figure\":\"put\",\"a\":{\"measured\":2.0,\"goal\":\"at most 3\",\"met\":true},"
                        + "\"b\":{\"measured\":4.0,\"goal\":\"at most 3\",\"met\":false},\"b_is\":\"worse\"}]");
        assertThat(json.getAsJsonArray("different").toString())
                .contains("{\"fact\":\"rows\",\"a\":\"100000\",\"b\":\"40000\",\"ratios_depend_on_it\":true}")
                .contains("{\"fact\":\"commit\",\"a\":\"before\",\"b\":\"after\",\"ratios_depend_on_it\":false}");
    }
}
