package org.diffindex.lab.chaos;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.apache.hbase.thirdparty.com.google.gson.GsonBuilder;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.diffindex.lab.output.TextTable;
import org.diffindex.verify.Difference;
import org.diffindex.verify.ScrubReport;

/** Shows the result of a run as tables and as JSON. */
final class ChaosReport {
    private final ChaosResult result;

    ChaosReport(ChaosResult result) {
        this.result = result;
    }

    /** Prints the tables and the verdict. */
    void print(PrintWriter out) {
        printFaults(out);
        printClients(out);
        printComparisons(out);
        printViolations(out);
        out.flush();
    }

    private void printFaults(PrintWriter out) {
        TextTable table = new TextTable("FAULT", "DONE", "SKIPPED", "FAILED");
        faultCounts()
                .forEach((kind, counts) -> table.row(
                        kind,
                        text(counts.get(FaultEvent.Result.DONE)),
                        text(counts.get(FaultEvent.Result.SKIPPED)),
                        text(counts.get(FaultEvent.Result.FAILED))));
        table.print(out, 1);
        out.println();
    }

    private Map<String, Map<FaultEvent.Result, Integer>> faultCounts() {
        Map<String, Map<FaultEvent.Result, Integer>> counts = new TreeMap<>();
        for (FaultEvent event : result.faults()) {
            counts.computeIfAbsent(event.kind(), any -> none()).merge(event.result(), 1, Integer::sum);
        }
        return counts;
    }

    private static Map<FaultEvent.Result, Integer> none() {
        Map<FaultEvent.Result, Integer> none = new EnumMap<>(FaultEvent.Result.class);
        for (FaultEvent.Result each : FaultEvent.Result.values()) {
            none.put(each, 0);
        }
        return none;
    }

    private void printClients(PrintWriter out) {
        TextTable table = new TextTable(
                "SCHEME",
                "WRITES OK",
                "LATE",
                "DELAYED",
                "REFUSED",
                "UNKNOWN",
                "REJECTED",
                "READS",
                "IN SESSION",
                "FAILED",
                "HITS",
                "MUST",
                "MOVED",
                "DRAINS",
                "BUILDS",
                "SCHEMES CHANGED");
        result.tallies()
                .forEach((scheme, tally) -> table.row(
                        scheme.schemeName(),
                        text(tally.writes(Outcome.OK)),
                        text(tally.writes(Outcome.LATE)),
                        text(tally.writes(Outcome.DELAYED)),
                        text(tally.writes(Outcome.REFUSED)),
                        text(tally.writes(Outcome.UNKNOWN)),
                        text(tally.rejected.sum()),
                        text(tally.reads.sum()),
                        text(tally.sessionReads.sum()),
                        text(tally.failedReads.sum()),
                        text(tally.hits.sum()),
                        text(tally.must.sum()),
                        text(tally.moved.sum()),
                        text(tally.drains.sum()),
                        text(tally.builds.sum()),
                        text(tally.schemeChanges.sum())));
        table.print(out, 1);
        out.printf("Checkpoints: %d, not possible: %d.%n%n", result.checkpoints(), result.failedCheckpoints());
    }

    private void printComparisons(PrintWriter out) {
        TextTable table = new TextTable("INDEX", "ROWS", "ENTRIES", "MISSING", "FAULTS", "LEFT BY THE SCHEME");
        for (ScrubReport each : result.comparisons()) {
            long found = total(each::found);
            long faults = total(each::faults);
            table.row(
                    each.index().indexTable().toString(),
                    text(each.rows()),
                    text(each.entries()),
                    text(each.found(Difference.MISSING)),
                    text(faults),
                    text(found - faults));
        }
        table.print(out, 1);
        out.printf("Base rows compared with the history: %,d.%n%n", result.rowsCompared());
    }

    private static long total(ToLongFunction<Difference> count) {
        return Arrays.stream(Difference.values()).mapToLong(count).sum();
    }

    private void printViolations(PrintWriter out) {
        result.aborts().forEach(abort -> out.println("Abort: " + abort));
        for (Violation.Kind kind : Violation.Kind.values()) {
            long count = result.violations().count(kind);
            if (count > 0) {
                out.printf("%,d violations of kind %s%n", count, kind);
            }
        }
        result.unexplained().forEach(each -> out.println("UNEXPLAINED " + each));
        out.printf(
                "%d violations; %d aborts of servers; %d unexplained findings.%n",
                result.violations().count(),
                result.aborts().size(),
                result.unexplained().size());
        out.println(result.isClean() ? "All as promised." : "NOT AS PROMISED.");
    }

    private static String text(long number) {
        return "%,d".formatted(number);
    }

    /** Writes the result as JSON. */
    void write(Path file) throws IOException {
        Files.writeString(file, new GsonBuilder().setPrettyPrinting().create().toJson(json()) + "\n");
    }

    private JsonObject json() {
        JsonObject json = new JsonObject();
        json.addProperty("clean", result.isClean());
        json.addProperty("seed", result.options().seed());
        json.addProperty("call_queues", result.options().callQueues().toString());
        json.addProperty("minutes", result.options().duration().toMinutes());
        json.add("faults", faults());
        json.add("schemes", schemes());
        json.addProperty("checkpoints", result.checkpoints());
        json.addProperty("checkpoints_not_possible", result.failedCheckpoints());
        json.addProperty("base_rows_compared", result.rowsCompared());
        json.add("indexes", comparisons());
        json.addProperty("violations", result.violations().count());
        JsonArray violations = new JsonArray();
        result.violations().all().forEach(violation -> violations.add(violation.toString()));
        json.add("first_violations", violations);
        JsonArray aborts = new JsonArray();
        result.aborts().forEach(abort -> aborts.add(abort.toString()));
        json.add("aborts", aborts);
        JsonArray unexplained = new JsonArray();
        result.unexplained().forEach(unexplained::add);
        json.add("unexplained", unexplained);
        return json;
    }

    private JsonObject faults() {
        JsonObject faults = new JsonObject();
        faultCounts().forEach((kind, counts) -> {
            JsonObject one = new JsonObject();
            counts.forEach((each, count) -> one.addProperty(each.name(), count));
            faults.add(kind, one);
        });
        JsonArray events = new JsonArray();
        result.faults().forEach(event -> events.add(event.toString()));
        faults.add("events", events);
        return faults;
    }

    private JsonArray schemes() {
        JsonArray schemes = new JsonArray();
        result.tallies().forEach((scheme, tally) -> {
            JsonObject one = new JsonObject();
            one.addProperty("scheme", scheme.schemeName());
            for (Outcome outcome : Outcome.values()) {
                one.addProperty("writes_" + outcome.name(), tally.writes(outcome));
            }
            one.addProperty("writes_rejected", tally.rejected.sum());
            one.addProperty("reads", tally.reads.sum());
            one.addProperty("session_reads", tally.sessionReads.sum());
            one.addProperty("failed_reads", tally.failedReads.sum());
            one.addProperty("hits", tally.hits.sum());
            one.addProperty("must", tally.must.sum());
            one.addProperty("moved", tally.moved.sum());
            one.addProperty("drains", tally.drains.sum());
            one.addProperty("failed_drains", tally.failedDrains.sum());
            one.addProperty("builds", tally.builds.sum());
            one.addProperty("scheme_changes", tally.schemeChanges.sum());
            one.addProperty("failed_build_steps", tally.failedBuildSteps.sum());
            schemes.add(one);
        });
        return schemes;
    }

    private JsonArray comparisons() {
        JsonArray indexes = new JsonArray();
        for (ScrubReport each : result.comparisons()) {
            JsonObject one = new JsonObject();
            one.addProperty("index", each.index().indexTable().toString());
            one.addProperty("rows", each.rows());
            one.addProperty("entries", each.entries());
            for (Difference difference : Difference.values()) {
                one.addProperty(difference.label(), each.found(difference));
            }
            one.addProperty("faults", total(each::faults));
            indexes.add(one);
        }
        return indexes;
    }
}
