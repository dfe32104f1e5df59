package org.diffindex.cli;

import java.io.PrintWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.hbase.TableName;
import org.apache.hbase.thirdparty.com.google.gson.GsonBuilder;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.diffindex.lab.output.TextTable;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexRole;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.UnloadedIndex;
import org.diffindex.verify.Difference;
import org.diffindex.verify.FoundDifference;
import org.diffindex.verify.ScrubReport;

/** Formats the result of {@code diffindex scrub}. */
final class ScrubText {
    private static final int NUMBERS_FROM = 2;

    private ScrubText() {}

    /**
     * Prints a table with a line for each index, the differences, and what to do about them.
     *
     * @param unloaded the indexes that were not compared, because this client cannot load their definitions
     */
    static void print(
            TableName table, List<ScrubReport> reports, List<UnloadedIndex> unloaded, boolean repair, PrintWriter out) {
        if (!reports.isEmpty()) {
            printFound(reports, out);
            out.println(conclusion(table, reports, unloaded.isEmpty(), repair));
        } else if (unloaded.isEmpty()) {
            out.println("Table " + table + " has no index; nothing was compared");
        }
        for (UnloadedIndex index : unloaded) {
            out.println("Index " + index.logicalName() + " was not compared, because this client cannot load it: "
                    + index.problem() + "; " + index.remedy());
        }
    }

    /** Prints the results of the indexes that were compared before a scrub failed; nothing if there are none. */
    static void printUnfinished(List<ScrubReport> reports, PrintWriter out) {
        if (!reports.isEmpty()) {
            printFound(reports, out);
            out.println("The other indexes were not compared completely");
        }
    }

    private static void printFound(List<ScrubReport> reports, PrintWriter out) {
        List<String> heading = new ArrayList<>(List.of("INDEX", "SCHEME", "ROWS", "ENTRIES"));
        Arrays.stream(Difference.values()).map(Difference::name).forEach(heading::add);
        heading.addAll(List.of("REPAIRED", "ROWS/S"));
        TextTable lines = new TextTable(heading.toArray(String[]::new));
        reports.forEach(report -> lines.row(cells(report, nameOf(report, reports))));
        lines.print(out, NUMBERS_FROM);
        for (ScrubReport report : reports) {
            for (FoundDifference found : report.samples()) {
                out.println(nameOf(report, reports) + ": " + found);
            }
        }
        for (ScrubReport report : reports) {
            report.changingTo().ifPresent(next -> out.println(changing(report, next)));
        }
        boolean allowed = reports.stream().anyMatch(report -> Arrays.stream(Difference.values())
                .anyMatch(each -> report.isAllowed(each) && report.left(each) > 0));
        if (allowed) {
            out.println(
                    "* allowed by the scheme: reads by index are exact all the same; read repair deletes the stale and dangling"
                            + " entries that readers meet");
        }
    }

    private static String changing(ScrubReport report, IndexScheme next) {
        return "The scheme of index " + report.index().logicalName() + " is being changed to " + next.schemeName()
                + "; until that is complete, readers read it, and it is judged, by "
                + report.index().scheme().schemeName()
                + "; unless an alter-index is running, complete it: bin/diffindex"
                + " alter-index " + report.index().table() + " "
                + report.index().logicalName() + " --scheme "
                + next.schemeName();
    }

    /** Returns the name of the index; while its columns change, that of the generation, with its role. */
    private static String nameOf(ScrubReport report, List<ScrubReport> reports) {
        IndexDefinition index = report.index();
        return isOneOfSeveral(report, reports)
                ? index.name() + " (" + roleOf(index).replace('-', ' ') + ")"
                : index.logicalName();
    }

    private static boolean isOneOfSeveral(ScrubReport report, List<ScrubReport> reports) {
        IndexDefinition index = report.index();
        return index.role() != IndexRole.IN_SERVICE
                || reports.stream()
                                .filter(other -> other.index().logicalName().equals(index.logicalName()))
                                .count()
                        > 1;
    }

    private static String roleOf(IndexDefinition index) {
        return index.role().name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static String[] cells(ScrubReport report, String name) {
        List<String> cells = new ArrayList<>(List.of(
                name,
                report.index().scheme().schemeName(),
                "%,d".formatted(report.rows()),
                "%,d".formatted(report.entries())));
        for (Difference difference : Difference.values()) {
            boolean marked = report.isAllowed(difference) && report.found(difference) > 0;
            cells.add("%,d%s".formatted(report.found(difference), marked ? "*" : ""));
        }
        cells.add("%,d".formatted(repaired(report)));
        cells.add("%,.0f".formatted(rowsPerSecond(report)));
        return cells.toArray(String[]::new);
    }

    private static long repaired(ScrubReport report) {
        return Arrays.stream(Difference.values()).mapToLong(report::repaired).sum();
    }

    private static long faults(ScrubReport report) {
        return Arrays.stream(Difference.values()).mapToLong(report::faults).sum();
    }

    private static double rowsPerSecond(ScrubReport report) {
        return (report.rows() + report.entries()) / Math.max(1e-3, seconds(report.time()));
    }

    private static double seconds(Duration time) {
        return time.toNanos() / 1e9;
    }

    private static String conclusion(TableName table, List<ScrubReport> reports, boolean isOfAll, boolean repair) {
        long faults = reports.stream().mapToLong(ScrubText::faults).sum();
        long repaired = reports.stream().mapToLong(ScrubText::repaired).sum();
        long unsettled = reports.stream().mapToLong(ScrubReport::unsettled).sum();
        String open = unsettled == 0 ? "" : "; " + ofUnsettled(unsettled);
        if (faults > 0 && repair) {
            return "%,d differences are left, %,d were repaired; scrub with --repair again; if they remain, drop the index"
                            .formatted(faults, repaired)
                    + " and create it again" + open;
        }
        if (faults > 0) {
            return "%,d differences; nothing was changed; scrub with --repair to repair them".formatted(faults) + open;
        }
        String done =
                repaired > 0 ? "%,d differences were repaired".formatted(repaired) : "No other difference was found";
        if (unsettled > 0) {
            return done + open;
        }
        String indexes = (isOfAll ? "" : "other ") + "indexes of table " + table + " are correct";
        return repaired > 0 ? done + "; the " + indexes : "The " + indexes;
    }

    private static String ofUnsettled(long places) {
        return "%,d places were being written at every look, so nothing is known of them; scrub again when they are"
                        .formatted(places)
                + " written less often";
    }

    /**
     * Returns whether a table's indexes are correct: there is one, and all were compared and have no difference that
     * their schemes do not allow.
     */
    static boolean isClean(List<ScrubReport> reports, List<UnloadedIndex> unloaded) {
        return !reports.isEmpty() && unloaded.isEmpty() && reports.stream().allMatch(ScrubReport::isClean);
    }

    /** Returns a JSON object with an object for each index, compared or not; times in seconds. */
    static String json(TableName table, List<ScrubReport> reports, List<UnloadedIndex> unloaded) {
        JsonArray indexes = new JsonArray();
        reports.forEach(report -> indexes.add(object(report, isOneOfSeveral(report, reports))));
        JsonArray notCompared = new JsonArray();
        unloaded.forEach(index -> notCompared.add(object(index)));
        JsonObject object = new JsonObject();
        object.addProperty("table", table.getNameAsString());
        object.addProperty("clean", isClean(reports, unloaded));
        object.add("indexes", indexes);
        object.add("not_compared", notCompared);
        return new GsonBuilder()
                        .setPrettyPrinting()
                        .disableHtmlEscaping()
                        .create()
                        .toJson(object) + "\n";
    }

    private static JsonObject object(ScrubReport report, boolean isOneOfSeveral) {
        JsonObject object = new JsonObject();
        object.addProperty("index", report.index().logicalName());
        if (isOneOfSeveral) {
            object.addProperty("generation", report.index().name());
            object.addProperty("role", roleOf(report.index()));
        }
        object.addProperty("scheme", report.index().scheme().schemeName());
        report.changingTo().ifPresent(next -> object.addProperty("changing_to", next.schemeName()));
        object.addProperty("clean", report.isClean());
        object.addProperty("rows", report.rows());
        object.addProperty("entries", report.entries());
        JsonArray allowed = new JsonArray();
        for (Difference difference : Difference.values()) {
            object.addProperty(difference.label(), report.found(difference));
            if (report.isAllowed(difference)) {
                allowed.add(difference.label());
            }
        }
        object.add("allowed_by_scheme", allowed);
        JsonObject repaired = new JsonObject();
        report.repaired().keySet().stream()
                .sorted()
                .forEach(difference -> repaired.addProperty(difference.label(), report.repaired(difference)));
        object.add("repaired", repaired);
        object.addProperty("unsettled", report.unsettled());
        object.addProperty("seconds", seconds(report.time()));
        object.addProperty("rows_per_second", Math.round(rowsPerSecond(report)));
        JsonArray samples = new JsonArray();
        report.samples().forEach(found -> samples.add(object(found)));
        object.add("samples", samples);
        return object;
    }

    private static JsonObject object(UnloadedIndex index) {
        JsonObject object = new JsonObject();
        object.addProperty("index", index.logicalName());
        object.addProperty("problem", index.problem());
        return object;
    }

    private static JsonObject object(FoundDifference found) {
        JsonObject object = new JsonObject();
        object.addProperty("difference", found.difference().label());
        object.addProperty("row", found.row());
        object.addProperty("entry", found.entry());
        object.addProperty("expected", found.expected());
        return object;
    }
}
