package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;
import org.diffindex.cli.DiffIndex;
import org.diffindex.cluster.ClusterOptions;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.cluster.ProcessStatus;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs every experiment of {@code diffindex bench} on a real cluster, each as briefly as possible, and checks that the
 * results are complete.
 */
@Order(1)
@Tag("proof")
@Tag("release")
class BenchIT {
    private static final Set<String> EXPERIMENTS = Set.of(
            "update",
            "read",
            "rewritten",
            "range",
            "staleness",
            "batch",
            "plain",
            "read-rows",
            "update-rate",
            "read-rate",
            "indexes",
            "skewed",
            "scan",
            "backfill",
            "flush",
            "heap",
            "recovery");

    /** The experiments that also report the rate of plain calls. */
    private static final Set<String> COMPARED = Set.of(
            "put p50, 1 client, sync-insert / no index",
            "put p50, 1 client, sync-full / no index",
            "puts/s, 8 clients, sync-insert / no index",
            "puts/s, 8 clients, sync-full / no index",
            "1,000-row batches, sync-full / no index, time",
            "getByIndex of one row p50, sync-insert / Get of the same cell");

    /** A small queue, so that it fills quickly. */
    private static final int AUQ_BYTES = 16 << 20;

    @TempDir
    Path dir;

    @RegisterExtension
    final ClusterLogs logs = new ClusterLogs(() -> dir);

    @Test
    void everyExperimentRunsAndTheReportIsComplete() throws IOException {
        Path report = dir.resolve("report");
        Path cluster = dir.resolve("cluster");
        LocalCluster.create(
                cluster,
                ClusterOptions.defaults()
                        .withSessionTimeout(Duration.ofSeconds(10))
                        .with("diffindex.auq.max.bytes", Integer.toString(AUQ_BYTES)));
        StringWriter out = new StringWriter();
        int exitCode = DiffIndex.commandLine()
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(System.err, true, StandardCharsets.UTF_8))
                .execute(
                        "bench",
                        "--quick",
                        "--out=" + report,
                        "--dir=" + cluster,
                        "--rows=2000",
                        "--threads=1,8",
                        "--seconds=0.1",
                        "--rounds=1");

        assertThat(exitCode).as(out.toString()).isZero();
        assertThat(LocalCluster.open(cluster).status()).noneMatch(ProcessStatus::isUp);
        JsonObject results = JsonParser.parseString(Files.readString(report.resolve("results.json")))
                .getAsJsonObject();
        assertThat(results.getAsJsonObject("machine").get("cores").getAsInt()).isPositive();
        assertExperiments(results.getAsJsonArray("experiments"));
        assertGoals(results.getAsJsonArray("goals"));
        assertPlots(report);
    }

    private static void assertExperiments(JsonArray experiments) {
        assertThat(experiments).extracting(each -> text(each, "name")).containsExactlyInAnyOrderElementsOf(EXPERIMENTS);
        for (JsonElement experiment : experiments) {
            String name = text(experiment, "name");
            assertThat(experiment.getAsJsonObject().has("failure")).as(name).isFalse();
            JsonArray cells = experiment.getAsJsonObject().getAsJsonArray("cells");
            assertThat(cells).as(name).isNotEmpty();
            for (JsonElement cell : cells) {
                JsonObject median = cell.getAsJsonObject().getAsJsonObject("median");
                assertThat(cell.getAsJsonObject().getAsJsonArray("rounds"))
                        .as(name)
                        .isNotEmpty();
                assertThat(median.keySet()).as(name).isNotEmpty();
                if (median.has("p50_us")) {
                    assertThat(median.get("p50_us").getAsDouble()).as(name).isPositive();
                    assertThat(median.get("operations").getAsDouble()).as(name).isPositive();
                }
                if (name.equals("update") && text(cell, "scheme").equals("sync-full")) {
                    assertThat(median.get("row_memory_hit_share").getAsDouble()).isBetween(0.0, 1.0);
                }
            }
        }
    }

    private static void assertGoals(JsonArray goals) {
        assertThat(goals).hasSize(22);
        for (JsonElement goal : goals) {
            String figure = text(goal, "figure");
            assertThat(goal.getAsJsonObject().get("measured").getAsDouble())
                    .as(figure)
                    .isPositive();
            if (COMPARED.contains(figure)) {
                assertThat(goal.getAsJsonObject().get("plain").getAsDouble())
                        .as(figure)
                        .isPositive();
            }
            // One round cannot tell whether a goal is met; the report says so.
            assertThat(goal.getAsJsonObject().get("met").isJsonNull())
                    .as(figure)
                    .isTrue();
            assertThat(text(goal, "note")).as(figure).isNotBlank();
        }
    }

    private static void assertPlots(Path report) throws IOException {
        String page = Files.readString(report.resolve("report.html"));
        List<Path> plots;
        try (Stream<Path> files = Files.list(report)) {
            plots = files.filter(file -> file.toString().endsWith(".svg")).toList();
        }
        assertThat(plots).hasSizeGreaterThanOrEqualTo(EXPERIMENTS.size());
        for (Path plot : plots) {
            String svg = Files.readString(plot);
            assertThat(svg).contains("<circle");
            assertThat(page).as(plot.toString()).contains(svg);
        }
    }

    private static String text(JsonElement object, String name) {
        return object.getAsJsonObject().get(name).getAsString();
    }
}
