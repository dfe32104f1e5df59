package org.diffindex.lab.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;
import org.diffindex.cluster.ClusterOptions;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.cluster.ProcessStatus;
import org.diffindex.lab.bench.experiments.Experiments;
import org.diffindex.lab.bench.experiments.Results;
import org.diffindex.lab.bench.report.BenchReport;
import org.diffindex.lab.bench.report.ReportFiles;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Contender;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Tests the command's messages about wrong options; no execution starts anything. */
class BenchCommandTest {
    @TempDir
    Path dir;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private CommandLine command() {
        return new CommandLine(new BenchCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true));
    }

    private int execute(String... options) {
        List<String> args =
                new ArrayList<>(List.of("--out", dir.resolve("report").toString()));
        args.addAll(Arrays.asList(options));
        return command().execute(args.toArray(String[]::new));
    }

    @Test
    void listsTheKnownExperimentsAndSchemes() {
        assertThat(execute("--experiments", "update,sleep")).isEqualTo(2);
        assertThat(err.toString()).contains("'sleep'", "staleness", "recovery", "nothing was run");
        assertThat(execute("--schemes", "sync-some")).isEqualTo(2);
        assertThat(err.toString()).contains("sync-some", "async-session");
        assertThat(dir).isEmptyDirectory();
    }

    @Test
    void refusesNumbersOutOfRange() {
        assertThat(execute("--rows", "10", "--threads", "1,0", "--seconds", "0", "--rounds", "0"))
                .isEqualTo(2);
        assertThat(err.toString())
                .contains("--rows must be from 2000", "--threads", "--seconds", "--rounds", "nothing was run");
        assertThat(execute("--threads", "8,8")).isEqualTo(2);
        assertThat(execute("--rates", "500,0")).isEqualTo(2);
        assertThat(err.toString()).contains("--rates must be distinct numbers from 1", "not [500, 0]");
        assertThat(execute("--rates", "500,500")).isEqualTo(2);
    }

    /** Otherwise the run would succeed without having measured anything. */
    @Test
    void refusesExperimentsOfWhichNoneMeasuresTheSchemes() {
        assertThat(execute("--experiments", "staleness,heap", "--schemes", "sync-full"))
                .isEqualTo(2);
        assertThat(err.toString())
                .contains("with --schemes sync-full there is nothing to measure in staleness, heap", "nothing was run");
        assertThat(dir).isEmptyDirectory();
    }

    @Test
    void refusesAHeapAndASettingForAnExistingCluster() throws IOException {
        assertThat(execute("--heap", "much")).isEqualTo(2);
        assertThat(err.toString()).contains("not much", "nothing was run");
        Path folder = dir.resolve("cluster");
        LocalCluster.create(folder, ClusterOptions.defaults());
        assertThat(execute("--dir", folder.toString(), "--heap", "2g")).isEqualTo(2);
        assertThat(err.toString()).contains("--heap is for a new cluster", "holds an existing one");
        assertThat(execute("--dir", folder.toString(), "--set", "diffindex.aps.linger.ms=20"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("--set is for a new cluster");
        assertThat(LocalCluster.open(folder).regionServerHeap()).isEqualTo(ClusterOptions.DEFAULT_HEAP);
    }

    @Test
    void aSystemThatIsNotOnTheClassPathIsNamedWithTheCommandThatBuildsIt() {
        assertThat(execute("--against", "phoenix")).isEqualTo(2);
        assertThat(err.toString())
                .contains(
                        "--against phoenix needs a comparison that is not built",
                        "built are: fake",
                        "mvn -Pphoenix -DskipTests -pl phoenix-comparison -am package",
                        "nothing was run");
        assertThat(dir).isEmptyDirectory();
    }

    @Test
    void aSystemIsNotComparedInExperimentsThatDoNotMeasureIt() {
        assertThat(execute("--against", "fake", "--experiments", "staleness,scan"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("update, read, range and batch only", "not only staleness, scan");
        assertThat(dir).isEmptyDirectory();
    }

    @Test
    void aClusterWithoutThePropertiesOfTheOtherSystemIsNotStarted() throws IOException {
        Path folder = dir.resolve("cluster");
        LocalCluster.create(folder, ClusterOptions.defaults());
        assertThat(execute("--against", "fake", "--dir", folder.toString())).isEqualTo(1);
        assertThat(err.toString()).contains("was created without fake.codec=Fake", "nothing was started");
        assertThat(LocalCluster.open(folder).status()).noneMatch(ProcessStatus::isUp);
    }

    @Test
    void failsIfTheFolderCannotBeCreated() throws IOException {
        Files.writeString(dir.resolve("report"), "a file");
        assertThat(execute("--quick")).isEqualTo(1);
        assertThat(dir.resolve("report")).hasContent("a file");
    }

    private int compare(Path a, Path b, String... options) {
        List<String> args = new ArrayList<>(List.of("--compare", a.toString(), b.toString()));
        args.addAll(Arrays.asList(options));
        return command().execute(args.toArray(String[]::new));
    }

    /** Writes a report with this latency of sync-full, relative to no index, in every round. */
    private Path report(String name, double ratio, int rounds) throws IOException {
        CellResult none = Results.cell(Contender.NO_INDEX, 1, "p50_us", rounds(rounds, 100));
        CellResult full = Results.cell(Results.FULL, 1, "p50_us", rounds(rounds, 100 * ratio));
        Path folder = Files.createDirectory(dir.resolve(name));
        new ReportFiles(folder)
                .write(new BenchReport(
                        Map.of(), Results.options(2_000), 1, List.of(Results.result("update", none, full))));
        return folder;
    }

    private static double[] rounds(int rounds, double value) {
        return DoubleStream.generate(() -> value).limit(rounds).toArray();
    }

    @Test
    void theExitCodeOfAComparisonSaysWhetherAFigureIsWorse() throws IOException {
        Path two = report("two", 2, 3);
        Path three = report("three", 3, 3);
        assertThat(compare(two, three)).isEqualTo(1);
        assertThat(compare(three, two.resolve("results.json"))).isZero();
        assertThat(compare(two, two)).isZero();
        assertThat(out.toString())
                .containsSubsequence(
                        "0 better, 1 worse, 0 within the spread",
                        "1 better, 0 worse, 0 within the spread",
                        "0 better, 0 worse, 1 within the spread");
    }

    @Test
    void anExperimentThatFailedOnlyInTheLaterRunIsWorse() throws IOException {
        Path two = report("two", 2, 3);
        Path failed = Files.writeString(
                dir.resolve("failed"),
                "{\"experiments\": [{\"name\": \"update\", \"failure\": \"no server\", \"cells\": []}], \"goals\": []}");
        assertThat(compare(two, failed)).isEqualTo(1);
        assertThat(compare(failed, two)).isEqualTo(2);
        assertThat(out.toString()).contains("1 experiment worse: failed in B and completed in A.");
    }

    @Test
    void printsAComparisonAsJson() throws IOException {
        Path two = report("two", 2, 3);
        assertThat(compare(two, two, "--json")).isZero();
        assertThat(JsonParser.parseString(out.toString())
                        .getAsJsonObject()
                        .get("compared")
                        .getAsInt())
                .isEqualTo(1);
    }

    @Test
    void reportsThatCannotBeComparedAreWrongUsage() throws IOException {
        Path two = report("two", 2, 3);
        assertThat(compare(two, dir)).isEqualTo(2);
        assertThat(err.toString()).contains(dir.resolve("results.json") + " does not exist", "nothing was compared");
        assertThat(compare(Files.writeString(dir.resolve("text"), "no report"), two))
                .isEqualTo(2);
        assertThat(err.toString()).contains(dir.resolve("text") + " is not JSON");
        assertThat(compare(two, report("short", 3, 2))).isEqualTo(2);
        assertThat(err.toString()).contains("no figure in common that has enough rounds");
    }

    @Test
    void goalsAreComparedEvenIfNoFigureIs() throws IOException {
        Path met = goal("met", true);
        Path missed = goal("missed", false);
        assertThat(compare(met, missed)).isEqualTo(1);
        assertThat(compare(missed, met)).isZero();
        assertThat(err.toString()).isEmpty();
    }

    private Path goal(String name, boolean met) throws IOException {
        String goal = "{\"figure\": \"put\", \"goal\": \"at most 1.3\", \"met\": " + met + "}";
        return Files.writeString(dir.resolve(name), "{\"experiments\": [], \"goals\": [" + goal + "]}");
    }

    @Test
    void aComparisonTakesTwoReportsAndNoOptionOfARun() throws IOException {
        Path two = report("two", 2, 3);
        assertThat(command().execute("--compare", two.toString())).isEqualTo(2);
        assertThat(compare(two, two, two.toString())).isEqualTo(2);
        assertThat(compare(two, two, "--compare", two.toString())).isEqualTo(2);
        assertThat(compare(two, two, "--rows", "5000")).isEqualTo(2);
        assertThat(compare(two, two, "--out", dir.resolve("report").toString())).isEqualTo(2);
        assertThat(execute("--json")).isEqualTo(2);
        assertThat(command().execute("--quick")).isEqualTo(2);
        assertThat(command().execute()).isEqualTo(2);
        assertThat(dir.resolve("report")).doesNotExist();
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void helpContainsExamplesAndEveryExperiment() {
        assertThat(new CommandLine(new BenchCommand()).getUsageMessage())
                .contains("Examples:", "Exit code")
                .contains(Experiments.names());
    }
}
