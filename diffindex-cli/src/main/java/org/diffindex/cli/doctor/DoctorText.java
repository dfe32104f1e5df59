package org.diffindex.cli.doctor;

import java.io.PrintWriter;
import java.util.List;
import org.apache.hbase.thirdparty.com.google.gson.GsonBuilder;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;

/** Formats the findings of {@code diffindex doctor}. */
final class DoctorText {
    private DoctorText() {}

    /** Prints a line for each finding, another for its advice, and a conclusion. */
    static void print(List<Finding> findings, PrintWriter out) {
        int widest =
                findings.stream().mapToInt(each -> each.check().length()).max().orElse(0);
        for (Finding finding : findings) {
            String head = "%-7s  %-" + Math.max(1, widest) + "s  ";
            out.println(head.formatted(finding.level().label(), finding.check()) + finding.state());
            if (!finding.advice().isEmpty()) {
                out.println(head.formatted("", "") + "-> " + finding.advice());
            }
        }
        out.println(conclusion(findings));
    }

    private static String conclusion(List<Finding> findings) {
        long problems = count(findings, Level.PROBLEM);
        long warnings = count(findings, Level.WARNING);
        if (problems + warnings == 0) {
            return "No problem and no warning was found; nothing was changed";
        }
        return "%d problems, %d warnings; nothing was changed".formatted(problems, warnings);
    }

    private static long count(List<Finding> findings, Level level) {
        return findings.stream().filter(finding -> finding.level() == level).count();
    }

    /** Returns a JSON object with an array of all findings. */
    static String json(List<Finding> findings) {
        JsonArray array = new JsonArray();
        for (Finding finding : findings) {
            JsonObject object = new JsonObject();
            object.addProperty("level", finding.level().label());
            object.addProperty("check", finding.check());
            object.addProperty("state", finding.state());
            object.addProperty("advice", finding.advice());
            array.add(object);
        }
        JsonObject object = new JsonObject();
        object.addProperty("problems", count(findings, Level.PROBLEM));
        object.addProperty("warnings", count(findings, Level.WARNING));
        object.add("findings", array);
        return new GsonBuilder()
                .setPrettyPrinting()
                .disableHtmlEscaping()
                .create()
                .toJson(object);
    }
}
