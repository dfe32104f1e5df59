package org.diffindex.lab.demo;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code diffindex demo}: shows the four schemes on real flight data; fails if an index differs from its table. */
@Command(
        name = "demo",
        description = {
            "Start an HBase with three region servers on this machine, load real flights into one table per scheme and one"
                    + " without an index, run queries, measure, and compare every index with its table, entry by entry."
                    + " Needs nothing else to be running, and leaves nothing behind.",
            "Exit code 0 only if every index is complete and correct."
        })
public final class DemoCommand implements Callable<Integer> {
    /** With fewer rows, no day has enough departures to show. */
    private static final int FEWEST = 1_000;

    @Option(
            names = "--rows",
            paramLabel = "N",
            defaultValue = "" + Flights.SHIPPED,
            description = "Number of flights to load, from 1000 to ${DEFAULT-VALUE}. Default: all, ${DEFAULT-VALUE}.")
    private int rows;

    @Option(names = "--json", paramLabel = "FILE", description = "Also write the results to this file, as JSON.")
    private Path json;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        if (rows < FEWEST || rows > Flights.SHIPPED) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--rows " + rows + " is not between " + FEWEST + " and " + Flights.SHIPPED
                            + ", the number of flights included in the demo; nothing was run");
        }
        ReportFile file = json == null ? null : new ReportFile(json);
        if (file != null) {
            file.check();
        }
        DemoReport report = run();
        if (file != null) {
            file.write(report.results());
        }
        return report.exitCode();
    }

    private DemoReport run() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        StepLog steps = new StepLog(spec.commandLine().getErr(), System::nanoTime);
        Flights flights = Flights.first(rows);
        steps.step("starting an HBase with three region servers on this machine");
        try (DemoCluster cluster = DemoCluster.start()) {
            DemoReport report = new Demo(cluster.connection(), flights, out, steps).run();
            steps.step("done; stopping HBase");
            print(report, out);
            return report;
        }
    }

    /** Prints the table, the meaning of its columns, and the verdict. */
    static void print(DemoReport report, PrintWriter out) {
        out.println();
        ReportTable.render(report.results()).forEach(out::println);
        out.printf(
                "%nput: one client changes the origin of one row; ratio: to the median of the table without an index.%n");
        out.printf("get: getByIndex of one row by its exact (origin, date), median.%n");
        out.printf("staleness: from such a put until its index update was durable; none if the put waits for it.%n");
        out.printf(
                Locale.ROOT,
                "read: the %,d flights of one airport; ratio: filtered full scan to read by index.%n%n",
                report.rowsRead());
        if (report.faults().isEmpty()) {
            out.printf(
                    "Every index matches its table exactly: %d compared.%n",
                    report.comparisons().size());
        } else {
            out.println("FAULTS:");
            report.faults().forEach(fault -> out.println("  " + fault));
        }
        out.flush();
    }
}
