package org.diffindex.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.verify.Difference;
import org.diffindex.verify.ScrubReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class DemoReportTest {
    private static final Differences NONE = new Differences(0, 0, 0, 0);
    private static final List<SchemeResult> RESULTS = List.of(
            new SchemeResult("no index", 1_000, 412.3, 610, 1, 161.2, Optional.empty()),
            new SchemeResult(
                    "sync-full",
                    1_000,
                    1_210,
                    12_933,
                    2.935,
                    160,
                    Optional.of(new IndexResult(310.27, 4.1, Optional.empty(), NONE))),
            new SchemeResult(
                    "async-session",
                    1_000,
                    500.123,
                    700.25,
                    1.21,
                    159,
                    Optional.of(new IndexResult(309, 4, Optional.of(new Lag(5.25, 12_345)), NONE))));

    @TempDir
    Path dir;

    @Test
    void noDifferenceIsSuccess() {
        DemoReport report = new DemoReport(RESULTS, comparisons(comparison(1_000, 0)), List.of(), 5);
        assertThat(report.exitCode()).isZero();
        assertThat(printed(report)).contains("Every index matches its table exactly: 4 compared.");
    }

    @Test
    void aMissingEntryIsExitCodeOne() {
        DemoReport report = new DemoReport(RESULTS, comparisons(comparison(1_000, 1)), List.of(), 5);
        assertThat(report.exitCode()).isEqualTo(1);
        assertThat(printed(report)).contains("FAULTS:", "by_origin on flights", "1 missing");
    }

    @Test
    void lostRowsAndBrokenPromisesAreExitCodeOne() {
        assertThat(new DemoReport(RESULTS, comparisons(comparison(999, 0)), List.of(), 5).exitCode())
                .isEqualTo(1);
        assertThat(new DemoReport(RESULTS, comparisons(comparison(1_000, 0)), List.of("sync-full: late"), 5).exitCode())
                .isEqualTo(1);
    }

    @Test
    void exitsWithCodeOneIfAnIndexWasNotCompared() {
        DemoReport none = new DemoReport(RESULTS, List.of(), List.of(), 5);
        assertThat(none.exitCode()).isEqualTo(1);
        assertThat(printed(none)).contains("FAULTS:", "only 0 of 4 indexes were compared");
    }

    @Test
    void theTableIsAlignedAndFitsTheTerminal() {
        List<String> lines = ReportTable.render(RESULTS);
        assertThat(lines).hasSize(6).allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(100));
        assertThat(lines.stream().map(String::length).distinct()).hasSize(1);
        assertThat(lines.get(0).trim().split("  +"))
                .containsExactly(
                        "---- put, us -----",
                        "get, us",
                        "staleness, ms",
                        "--- read, ms ----",
                        "---- differences -----");
        assertThat(lines.get(4).split(" +"))
                .containsExactly(
                        "sync-full", "1210", "12933", "2.94", "310", "-", "-", "160", "4.10", "39.0", "0", "0", "0");
    }

    @Test
    void theFileContainsAnObjectForEachScheme() throws IOException {
        Path file = dir.resolve("demo.json");
        Files.writeString(file, "old");
        new ReportFile(file).write(RESULTS);
        JsonArray schemes = JsonParser.parseString(Files.readString(file)).getAsJsonArray();
        assertThat(schemes).hasSize(2);
        JsonObject session = schemes.get(1).getAsJsonObject();
        assertThat(session.keySet())
                .contains(
                        "scheme",
                        "rows",
                        "put_p50_us",
                        "put_p95_us",
                        "put_ratio_p50",
                        "get_by_index_p50_us",
                        "staleness_p99_ms",
                        "missing",
                        "dangling",
                        "stale");
        assertThat(schemes.get(0).getAsJsonObject().get("get_by_index_p50_us").getAsString())
                .isEqualTo("310.3");
        assertThat(session.get("put_p50_us").getAsString()).isEqualTo("500.1");
        assertThat(session.get("put_p95_us").getAsString()).isEqualTo("700.3");
        assertThat(session.get("scheme").getAsString()).isEqualTo("async-session");
        assertThat(session.get("staleness_p99_ms").getAsDouble()).isEqualTo(12_345);
        assertThat(dir).isDirectoryNotContaining(path -> path.toString().endsWith(".part"));
    }

    @Test
    void wrongArgumentsRunNothing() {
        StringWriter err = new StringWriter();
        CommandLine command = new CommandLine(new DemoCommand()).setErr(new PrintWriter(err));
        assertThat(command.execute("--rows", "100001")).isEqualTo(2);
        assertThat(command.execute("--rows", "0")).isEqualTo(2);
        assertThat(command.execute("--rows", "many")).isEqualTo(2);
        String missing = dir.resolve("none").resolve("demo.json").toString();
        assertThat(command.execute("--json", missing)).isEqualTo(1);
        assertThat(err.toString()).contains("--rows 100001 is not between", "nothing was run", missing);
    }

    private static String printed(DemoReport report) {
        StringWriter out = new StringWriter();
        DemoCommand.print(report, new PrintWriter(out));
        return out.toString();
    }

    /** Returns one comparison of each index, of which the last is given. */
    private static List<ScrubReport> comparisons(ScrubReport last) {
        ScrubReport clean = comparison(1_000, 0);
        return List.of(clean, clean, clean, last);
    }

    private static ScrubReport comparison(long rows, long missing) {
        IndexDefinition index = IndexDefinition.builder(TableName.valueOf("flights"), "by_origin")
                .column("f", "origin", ColumnTypes.STRING)
                .build();
        return new ScrubReport(
                index,
                rows,
                rows - missing,
                missing == 0 ? Map.of() : Map.of(Difference.MISSING, missing),
                Map.of(),
                0,
                List.of(),
                Duration.ZERO);
    }
}
