package org.diffindex.lab.demo;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.lab.steps.Parallel;
import org.diffindex.model.IndexDefinition;
import org.diffindex.verify.IndexComparison;
import org.diffindex.verify.ScrubReport;

/** The demo, from the first table to the last comparison, on a running cluster. For one use, by one thread. */
final class Demo {
    private static final int THREADS = 3;

    private final Connection connection;
    private final Flights flights;
    private final PrintWriter out;
    private final StepLog steps;
    private final List<FlightTable> tables = FlightTable.all();

    Demo(Connection connection, Flights flights, PrintWriter out, StepLog steps) {
        this.connection = connection;
        this.flights = flights;
        this.out = out;
        this.steps = steps;
    }

    /** Runs everything, prints the story and returns the findings. */
    DemoReport run() throws IOException {
        steps.step("creating a table without an index, and for each scheme a table with two indexes");
        Parallel.run(THREADS, tables.stream().map(this::creation).toList());
        load();
        Story story = new Story(connection, flights, tables, out);
        story.tell();
        List<String> broken = story.changeOfOrigin();
        FlightTimes times = new FlightBenchmark(connection, flights, tables).run(steps);

        steps.step("comparing every index with its table, entry by entry");
        List<List<ScrubReport>> comparisons =
                Parallel.run(THREADS, tables.stream().map(this::comparison).toList());
        List<SchemeResult> results = new ArrayList<>();
        for (int i = 0; i < tables.size(); i++) {
            results.add(times.result(tables.get(i), flights.size(), comparisons.get(i)));
        }
        List<ScrubReport> all = comparisons.stream().flatMap(List::stream).toList();
        return new DemoReport(results, all, broken, times.rowsRead());
    }

    private Callable<Void> creation(FlightTable table) {
        return () -> {
            table.create(connection, flights);
            return null;
        };
    }

    /**
     * Loads the tables one after the other, waiting each time for the indexes, so that the times of the tables are
     * comparable.
     */
    private void load() throws IOException {
        try (DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            for (FlightTable table : tables) {
                double start = steps.seconds();
                table.load(connection, flights);
                double loaded = steps.seconds();
                table.drain(admin);
                steps.step(String.format(
                        Locale.ROOT,
                        "loaded %,d rows into %s in %.1f s%s",
                        flights.size(),
                        table.name(),
                        loaded - start,
                        drained(table, steps.seconds() - loaded)));
            }
        }
    }

    private static String drained(FlightTable table, double seconds) {
        boolean behind = table.scheme().isPresent() && table.scheme().get().isAsynchronous();
        return behind ? String.format(Locale.ROOT, "; its indexes were complete %.1f s later", seconds) : "";
    }

    private Callable<List<ScrubReport>> comparison(FlightTable table) {
        return () -> {
            List<ScrubReport> reports = new ArrayList<>();
            try (DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
                table.drain(admin);
                for (IndexDefinition index : admin.listIndexes(table.name())) {
                    reports.add(IndexComparison.compare(connection, index));
                }
            }
            return reports;
        };
    }
}
