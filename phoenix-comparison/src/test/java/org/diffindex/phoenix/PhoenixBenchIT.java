package org.diffindex.phoenix;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;
import org.diffindex.cli.DiffIndex;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs {@code bench --against phoenix} on a real cluster, as briefly as possible, and checks that the report has the
 * figures of Phoenix beside those of plain HBase and Diff-Index. Every read checks its rows itself.
 */
class PhoenixBenchIT {
    private static final List<String> CONTENDERS =
            List.of("no index", "sync-full", "Phoenix, no index", "Phoenix, strong", "Phoenix, uncovered");

    @TempDir
    Path dir;

    @Test
    void theReportHasTheFiguresOfPhoenix() throws IOException {
        Path report = dir.resolve("report");
        StringWriter out = new StringWriter();
        int exitCode = DiffIndex.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8))
                .execute(
                        "bench",
                        "--quick",
                        "--against=phoenix",
                        "--experiments=update,read,range,batch",
                        "--schemes=sync-full",
                        "--out=" + report,
                        "--dir=" + dir.resolve("cluster"),
                        "--rows=2000",
                        "--threads=1,8",
                        "--seconds=0.1",
                        "--rounds=1");

        assertThat(exitCode).as(out + logs()).isZero();
        JsonObject results = JsonParser.parseString(Files.readString(report.resolve("results.json")))
                .getAsJsonObject();
        assertThat(results.getAsJsonObject("machine").get("phoenix").getAsString())
                .isEqualTo("5.2.1");
        assertCells(results);
        assertGoals(results);
        assertThat(Files.readString(report.resolve("report.html"))).contains(CONTENDERS);
        assertThat(out.toString()).contains("Relative to no index", "update, 8 clients: per_second");
    }

    private static void assertCells(JsonObject results) {
        assertThat(results.getAsJsonArray("experiments")).hasSize(4);
        for (JsonElement experiment : results.getAsJsonArray("experiments")) {
            String name = text(experiment, "name");
            assertThat(experiment.getAsJsonObject().has("failure")).as(name).isFalse();
            List<JsonElement> cells =
                    experiment.getAsJsonObject().getAsJsonArray("cells").asList();
            assertThat(cells)
                    .as(name)
                    .hasSizeGreaterThanOrEqualTo(CONTENDERS.size())
                    .extracting(cell -> text(cell, "scheme"))
                    .startsWith(CONTENDERS.toArray(String[]::new));
            assertThat(cells).as(name).allSatisfy(cell -> {
                JsonObject median = cell.getAsJsonObject().getAsJsonObject("median");
                assertThat(median.get("p50_us").getAsDouble()).isPositive();
                assertThat(median.get("operations").getAsDouble()).isPositive();
            });
        }
    }

    private static void assertGoals(JsonObject results) {
        List<JsonElement> goals = results.getAsJsonArray("goals").asList().stream()
                .filter(goal -> text(goal, "figure").endsWith("Phoenix's strong index"))
                .toList();
        assertThat(goals)
                .extracting(goal -> text(goal, "goal"))
                .containsExactly("at least 3 times as fast", "at least 3 times as fast", "at least 8 times as fast");
        assertThat(goals).allSatisfy(goal -> assertThat(
                        goal.getAsJsonObject().get("measured").getAsDouble())
                .isPositive());
    }

    private static String text(JsonElement object, String name) {
        return object.getAsJsonObject().get(name).getAsString();
    }

    /** Returns the last lines of the logs of the servers, which explain a failure. */
    private String logs() throws IOException {
        Path folder = dir.resolve("cluster").resolve("logs");
        if (!Files.exists(folder)) {
            return "";
        }
        StringBuilder text = new StringBuilder();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.sorted().toList()) {
                List<String> lines = Files.readAllLines(file);
                text.append('\n').append(file.getFileName()).append(":\n");
                text.append(String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size())));
            }
        }
        return text.toString();
    }
}
