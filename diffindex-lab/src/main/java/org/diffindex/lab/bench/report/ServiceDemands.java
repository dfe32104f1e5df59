package org.diffindex.lab.bench.report;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.ArrayRealVector;
import org.apache.commons.math3.linear.DecompositionSolver;
import org.apache.commons.math3.linear.QRDecomposition;
import org.apache.commons.math3.linear.RealVector;
import org.diffindex.lab.bench.experiments.BenchTables;
import org.diffindex.lab.bench.experiments.GoalLoads;
import org.diffindex.lab.bench.experiments.PlainWork;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.RunResults;
import org.diffindex.lab.bench.statistics.Spread;
import org.diffindex.model.IndexScheme;

/**
 * The service demand of each part of an operation: its CPU time on the region servers, estimated by least squares from
 * the CPU times of whole operations. The equations are in docs/scale.md. The fit minimizes relative errors, so that
 * batches do not dominate.
 *
 * @param micros the CPU time of each part, in microseconds
 * @param figures the operations used, as measured and as fitted
 */
record ServiceDemands(Map<Part, Double> micros, List<Figure> figures) {
    private static final int SERVERS = BenchTables.REGIONS;
    private static final int CLIENTS = 8;

    /** Copies the collections. */
    ServiceDemands {
        micros = Map.copyOf(micros);
        figures = List.copyOf(figures);
    }

    /** The parts of operations. */
    enum Part {
        /** A write call of a client, with its share of the WAL's sync. */
        CLIENT_CALL,
        /** A row of 1 KB in a write call. */
        ROW,
        /** A client's Get. */
        GET,
        /** A read of a row on its own server, to find the old entry. */
        BASE_READ,
        /** A call with index mutations from one region server to another or to itself; the cost at both ends. */
        INDEX_CALL,
        /** A put or a delete of an index entry in a call. */
        ENTRY
    }

    /**
     * An operation.
     *
     * @param name the experiment and the cell
     * @param counts the number of occurrences of each part in the operation
     * @param measured its CPU time, in microseconds
     * @param fitted the sum of the service demands of its parts, in microseconds
     */
    record Figure(String name, Map<Part, Double> counts, double measured, double fitted) {
        /** Copies the map. */
        Figure {
            counts = Map.copyOf(counts);
        }
    }

    /**
     * Estimates the service demands; empty unless update, batch and plain were run, did not fail, and have the cells that determine
     * them.
     */
    static Optional<ServiceDemands> of(List<ExperimentResult> results) {
        List<Figure> figures = new Equations(results).figures();
        Part[] parts = Part.values();
        if (figures.size() < parts.length || !hasAllExperiments(figures)) {
            return Optional.empty();
        }
        Array2DRowRealMatrix counts = new Array2DRowRealMatrix(figures.size(), parts.length);
        for (int row = 0; row < figures.size(); row++) {
            Figure figure = figures.get(row);
            for (int column = 0; column < parts.length; column++) {
                counts.setEntry(row, column, figure.counts().getOrDefault(parts[column], 0.0) / figure.measured());
            }
        }
        DecompositionSolver solver = new QRDecomposition(counts, 1e-12).getSolver();
        if (!solver.isNonSingular()) {
            return Optional.empty();
        }
        RealVector solution = solver.solve(new ArrayRealVector(figures.size(), 1.0));
        Map<Part, Double> micros = new EnumMap<>(Part.class);
        for (int column = 0; column < parts.length; column++) {
            micros.put(parts[column], solution.getEntry(column));
        }
        return Optional.of(new ServiceDemands(
                micros,
                figures.stream()
                        .map(figure -> new Figure(
                                figure.name(), figure.counts(), figure.measured(), sum(figure.counts(), micros)))
                        .toList()));
    }

    private static boolean hasAllExperiments(List<Figure> figures) {
        return Stream.of("update", "batch", "plain").allMatch(experiment -> figures.stream()
                .anyMatch(figure -> figure.name().startsWith(experiment + ":")));
    }

    private static double sum(Map<Part, Double> counts, Map<Part, Double> micros) {
        return counts.entrySet().stream()
                .mapToDouble(each -> each.getValue() * micros.get(each.getKey()))
                .sum();
    }

    /** The parts of each measured operation. */
    private static final class Equations {
        private final RunResults results;
        private final List<Figure> figures = new ArrayList<>();

        private Equations(List<ExperimentResult> results) {
            this.results = new RunResults(results).completed();
        }

        private List<Figure> figures() {
            plain(PlainWork.PUT, CLIENTS, Map.of(Part.CLIENT_CALL, 1.0, Part.ROW, 1.0));
            Map<Part, Double> withEntry = Map.of(Part.CLIENT_CALL, 2.0, Part.ROW, 1.0, Part.ENTRY, 1.0);
            plain(PlainWork.PUT_WITH_ENTRY, CLIENTS, withEntry);
            plain(PlainWork.PUT_THEN_ENTRY, CLIENTS, withEntry);
            plain(PlainWork.PUT_THEN_GET, CLIENTS, Map.of(Part.CLIENT_CALL, 1.0, Part.ROW, 1.0, Part.GET, 1.0));
            plain(PlainWork.PUT_THEN_ENTRIES, CLIENTS, Map.of(Part.CLIENT_CALL, 3.0, Part.ROW, 1.0, Part.ENTRY, 2.0));
            double rows = GoalLoads.BATCH_ROWS;
            plain(PlainWork.BATCH, 1, Map.of(Part.CLIENT_CALL, (double) SERVERS, Part.ROW, rows));
            plain(
                    PlainWork.BATCH_THEN_ENTRIES,
                    1,
                    Map.of(Part.CLIENT_CALL, 2.0 * SERVERS, Part.ROW, rows, Part.ENTRY, 2 * rows));
            puts();
            batches(rows);
            return figures;
        }

        private void puts() {
            put(Contender.NO_INDEX, 0, 0, 0);
            put(Contender.of(IndexScheme.SYNC_INSERT), 1, 0, 1);
            put(Contender.of(IndexScheme.SYNC_FULL), FanOut.reached(2, SERVERS), 1, 2);
            Contender async = Contender.of(IndexScheme.ASYNC_SIMPLE);
            value(results.cell("update", async, CLIENTS), Measurement.PER_SECOND)
                    .ifPresent(rate -> put(async, FanOut.ofQueuedRow(rate / SERVERS, 2, SERVERS), 1, 2));
        }

        private void put(Contender contender, double calls, double reads, double entries) {
            add("update", contender, CLIENTS, counts(1, 1, calls, reads, entries));
        }

        private void batches(double rows) {
            batch(Contender.NO_INDEX, rows, 0, 0);
            batch(Contender.of(IndexScheme.SYNC_INSERT), rows, 0, 1);
            batch(Contender.of(IndexScheme.SYNC_FULL), rows, 1, 2);
            batch(Contender.of(IndexScheme.ASYNC_SIMPLE), rows, 1, 2);
        }

        private void batch(Contender contender, double rows, double reads, double entries) {
            double calls = entries == 0 ? 0 : FanOut.ofBatch(rows, entries, SERVERS);
            add("batch", contender, rows, counts(SERVERS, rows, calls, reads * rows, entries * rows));
        }

        private static Map<Part, Double> counts(
                double clientCalls, double rows, double indexCalls, double reads, double entries) {
            return Map.of(
                    Part.CLIENT_CALL,
                    clientCalls,
                    Part.ROW,
                    rows,
                    Part.INDEX_CALL,
                    indexCalls,
                    Part.BASE_READ,
                    reads,
                    Part.ENTRY,
                    entries);
        }

        private void plain(PlainWork work, int clients, Map<Part, Double> counts) {
            BenchCell cell = work.cell(clients);
            value(results.cell("plain", cell::equals), Measurement.SERVER_CPU)
                    .ifPresent(micros -> figures.add(new Figure("plain: " + cell, counts, micros, 0)));
        }

        private void add(String experiment, Contender contender, double amount, Map<Part, Double> counts) {
            Optional<CellResult> cell = results.cell(experiment, contender, amount);
            value(cell, Measurement.SERVER_CPU)
                    .ifPresent(micros -> figures.add(
                            new Figure(experiment + ": " + contender.label(), withReadsMade(counts, cell), micros, 0)));
        }

        /** Leaves out the base reads of rows that the regions remembered. */
        private static Map<Part, Double> withReadsMade(Map<Part, Double> counts, Optional<CellResult> cell) {
            double made = 1 - value(cell, Measurement.ROW_MEMORY_HIT_SHARE).orElse(0.0);
            Map<Part, Double> all = new EnumMap<>(counts);
            all.computeIfPresent(Part.BASE_READ, (part, reads) -> reads * made);
            return all;
        }

        private static Optional<Double> value(Optional<CellResult> cell, String name) {
            return cell.flatMap(result -> result.spread(name)).map(Spread::median);
        }
    }
}
