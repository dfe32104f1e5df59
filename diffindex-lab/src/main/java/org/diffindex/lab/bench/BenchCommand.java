package org.diffindex.lab.bench;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.diffindex.lab.bench.compare.ReportComparison;
import org.diffindex.lab.bench.experiments.Bench;
import org.diffindex.lab.bench.experiments.BenchOptions;
import org.diffindex.lab.bench.experiments.BenchTables;
import org.diffindex.lab.bench.experiments.Experiments;
import org.diffindex.lab.bench.report.BenchReport;
import org.diffindex.lab.bench.report.ReportFiles;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code diffindex bench}: runs the experiments of the paper and compares their figures with the goals, or compares two
 * reports.
 */
@Command(
        name = "bench",
        description = {
            "Start a local cluster of real processes and run the experiments of section 8 of the Diff-Index paper, and some"
                    + " beyond it, with the paper's item table. They compare no index with the four schemes. Writes a report"
                    + " with plots and prints the figures next to the goals.",
            "The contenders take turns in short rounds; figures are medians over rounds.",
            "With --against, tables of another system take turns with them in update, read, range and batch.",
            "Exit code 0 if every experiment completed, whether or not the goals are met; 1 if one failed.",
            "With --compare, compare two reports instead, and start no cluster. Figures are compared as ratios to no index in"
                    + " the same round; a change counts only if the 95%% intervals of the rounds do not overlap. Exit code 0 if"
                    + " nothing is worse; 1 if a figure or a goal is, or if an experiment failed in AFTER that completed in"
                    + " BEFORE; 2 if a report cannot be read or nothing can be compared."
        },
        footer = {
            "",
            "Experiments: update, read, range, staleness (figures 7, 8, 9 and 11 of the paper), update-rate and read-rate"
                    + " (latency at target rates), read-rows (whole rows), rewritten (reads after ten updates of each row), batch"
                    + " (1,000 rows), plain (plain calls in place of an index), indexes (several per table), skewed (zipfian"
                    + " updates), scan (query by index and full scan), backfill (creating an index of a table with rows), flush"
                    + " (the delay caused by draining), heap (of a full AUQ), recovery (with a full AUQ).",
            "",
            "Files in the folder: report.html, results.json, and an SVG for each plot. docs/benchmarks.md explains them.",
            "",
            "Examples:",
            "  diffindex bench --quick --out /tmp/bench",
            "  diffindex bench --out /tmp/bench --experiments update,read --threads 1,8,32 --rounds 9",
            "  diffindex bench --out /tmp/bench --against phoenix --experiments update,read,range,batch",
            "  diffindex bench --compare /tmp/bench-before /tmp/bench-after"
        })
public final class BenchCommand implements Callable<Integer> {
    /** The limit of a quick run; the rest of the five minutes is for the report and for stopping the cluster. */
    private static final Duration QUICK = Duration.ofSeconds(272);

    @ArgGroup(multiplicity = "1")
    private Task task;

    @Spec
    private CommandSpec spec;

    /** What to do: either of the two. */
    private static final class Task {
        @ArgGroup(exclusive = false)
        private RunArguments run;

        @ArgGroup(exclusive = false)
        private CompareArguments compare;
    }

    @Override
    public Integer call() throws IOException {
        return task.compare == null ? run(task.run) : compare(task.compare);
    }

    private int compare(CompareArguments arguments) {
        ReportComparison comparison = comparison(arguments);
        PrintWriter out = spec.commandLine().getOut();
        if (arguments.json()) {
            out.println(comparison.json());
        } else {
            comparison.print(out);
        }
        out.flush();
        if (comparison.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "The reports have no figure in common that has enough rounds at the same rate in both, and no goal"
                            + " that is decided in both, and no experiment that failed only in the later one; nothing was"
                            + " compared");
        }
        return comparison.hasWorse() ? 1 : 0;
    }

    private ReportComparison comparison(CompareArguments arguments) {
        try {
            return ReportComparison.of(
                    ReportFiles.resultsAt(arguments.before()), ReportFiles.resultsAt(arguments.after()));
        } catch (IOException e) {
            throw wrong(e.getMessage() + "; nothing was compared", e);
        }
    }

    private int run(RunArguments arguments) throws IOException {
        BenchOptions options = options(arguments);
        ReportFiles files = new ReportFiles(options.out());
        files.check();
        BenchReport report = run(options, files);
        print(report, files.page());
        return report.isComplete() ? 0 : 1;
    }

    private BenchOptions options(RunArguments arguments) {
        try {
            return arguments.options();
        } catch (IllegalArgumentException e) {
            throw wrong(e.getMessage() + "; nothing was run", e);
        }
    }

    private ParameterException wrong(String message, Exception cause) {
        return new ParameterException(spec.commandLine(), message, cause);
    }

    /**
     * Runs the experiments. Writes the report before it stops the cluster, so that a failure to stop does not lose the
     * report.
     */
    private BenchReport run(BenchOptions options, ReportFiles files) throws IOException {
        Map<String, String> machine = new LinkedHashMap<>(Machine.facts());
        options.rival().ifPresent(rival -> machine.putAll(rival.facts()));
        Map<String, String> properties = new LinkedHashMap<>();
        options.rival().ifPresent(rival -> properties.putAll(rival.siteProperties()));
        properties.putAll(options.settings());
        ProgressLine progress = new ProgressLine(spec.commandLine().getErr(), Boolean.getBoolean("diffindex.terminal"));
        Timetable timetable = new Timetable(System::nanoTime, options.quick() ? Optional.of(QUICK) : Optional.empty());
        progress.tell("starting a cluster of three region servers");
        try (BenchCluster cluster = BenchCluster.start(options.dir(), options.heap(), properties)) {
            machine.put("region_server_heap", cluster.cluster().regionServerHeap());
            Bench bench = new Bench(
                    cluster.cluster(), cluster.connection(), options, new BenchTables(cluster.connection(), options));
            List<ExperimentResult> results = new BenchRun(bench, timetable, progress).run(Experiments.of(bench));
            BenchReport report = new BenchReport(machine, options, timetable.secondsSinceStart(), results);
            files.write(report);
            progress.tell("stopping the cluster");
            return report;
        }
    }

    private void print(BenchReport report, Path page) {
        PrintWriter print = spec.commandLine().getOut();
        report.print(print);
        print.println("Report: " + page.toAbsolutePath());
        print.flush();
    }
}
