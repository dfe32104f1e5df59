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
import org.diffindex.cluster.ClusterOptions;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.lab.bench.experiments.Experiments;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Tests the command's messages about wrong options; no execution starts anything. */
class BenchCommandTest {
    @TempDir
    Path dir;

    private final StringWriter err = new StringWriter();

    private int execute(String... options) {
        List<String> args =
                new ArrayList<>(List.of("--out", dir.resolve("report").toString()));
        args.addAll(Arrays.asList(options));
        return new CommandLine(new BenchCommand())
                .setErr(new PrintWriter(err, true))
                .execute(args.toArray(String[]::new));
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

    @Test
    void refusesAHeapForAnExistingCluster() throws IOException {
        assertThat(execute("--heap", "much")).isEqualTo(2);
        assertThat(err.toString()).contains("not much", "nothing was run");
        Path folder = dir.resolve("cluster");
        LocalCluster.create(folder, ClusterOptions.defaults());
        assertThat(execute("--dir", folder.toString(), "--heap", "2g")).isEqualTo(2);
        assertThat(err.toString()).contains("--heap is for a new cluster", "holds an existing one");
        assertThat(LocalCluster.open(folder).regionServerHeap()).isEqualTo(ClusterOptions.DEFAULT_HEAP);
    }

    @Test
    void failsIfTheFolderCannotBeCreated() throws IOException {
        Files.writeString(dir.resolve("report"), "a file");
        assertThat(execute("--quick")).isEqualTo(1);
        assertThat(dir.resolve("report")).hasContent("a file");
    }

    @Test
    void helpContainsExamplesAndEveryExperiment() {
        assertThat(new CommandLine(new BenchCommand()).getUsageMessage())
                .contains("Examples:", "Exit code")
                .contains(Experiments.names());
    }
}
