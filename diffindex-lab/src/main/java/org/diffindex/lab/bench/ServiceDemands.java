package org.diffindex.lab.bench;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.apache.commons.math3.linear.Array2DRowRealMatrix;
import org.apache.commons.math3.linear.ArrayRealVector;
import org.apache.commons.math3.linear.DecompositionSolver;
import org.apache.commons.math3.linear.QRDecomposition;
import org.apache.commons.math3.linear.RealVector;
import org.diffindex.model.IndexScheme;

/**
 * What the parts that operations are made of take of the region servers' processors, by least squares from what whole
 * operations took. docs/scale.md has the equations. The relative errors are what is made small, so that a batch does not
 * outweigh all else.
 *
 * @param micros processor time of each part in microseconds
 * @param figures the operations that it follows from, as they were measured and as the parts add up
 */
record ServiceDemands(Map<Part, Double> micros, List<Figure> figures) {
    private static final int SERVERS = BenchTables.REGIONS;
    private static final int CLIENTS = 8;

    /** Copies the collections. */
    ServiceDemands {
        micros = Map.copyOf(micros);
        figures = List.copyOf(figures);
    }

    /** What operations are made of. */
    enum Part {
        /** A write call of a client, with its share of the WAL's sync. */
        CLIENT_CALL,
        /** A row of 1 KB within a write call. */
        ROW,
        /** A client's Get. */
        GET,
        /** A read of a row on its own server, before its entry changes. */
        BASE_READ,
        /** A call with index mutations from one region server to any, at both of them. */
        INDEX_CALL,
        /** A put or a delete of an index entry within a call. */
        ENTRY
    }

    /**
     * An operation.
     *
     * @param name which
     * @param counts how often it has each part
     * @param measured its processor time in microseconds
     * @param fitted what its parts add up to
     */
    record Figure(String name, Map<Part, Double> counts, double measured, double fitted) {
        /** Copies the map. */
        Figure {
            counts = Map.copyOf(counts);
        }
    }

    /** Those that follow from these results; empty unless update, batch and plain were run with what it takes. */
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

    /** Which parts the measured operations have. */
    private static final class Equations {
        private final List<ExperimentResult> results;
        private final List<Figure> figures = new ArrayList<>();

        private Equations(List<ExperimentResult> results) {
            this.results = results;
        }

        private List<Figure> figures() {
            plain(PlainWork.PUT, CLIENTS, Map.of(Part.CLIENT_CALL, 1.0, Part.ROW, 1.0));
            Map<Part, Double> withEntry = Map.of(Part.CLIENT_CALL, 2.0, Part.ROW, 1.0, Part.ENTRY, 1.0);
            plain(PlainWork.PUT_WITH_ENTRY, CLIENTS, withEntry);
            plain(PlainWork.PUT_THEN_ENTRY, CLIENTS, withEntry);
            plain(PlainWork.PUT_THEN_GET, CLIENTS, Map.of(Part.CLIENT_CALL, 1.0, Part.ROW, 1.0, Part.GET, 1.0));
            plain(PlainWork.PUT_THEN_ENTRIES, CLIENTS, Map.of(Part.CLIENT_CALL, 3.0, Part.ROW, 1.0, Part.ENTRY, 2.0));
            double rows = BatchExperiment.BATCH;
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
            value("update", async, CLIENTS, Measurement.PER_SECOND)
                    .ifPresent(rate -> put(async, FanOut.ofQueuedRow(rate / SERVERS, 2, SERVERS), 1, 2));
        }

        private void put(Contender contender, double calls, double reads, double entries) {
            add(
                    "update",
                    contender,
                    CLIENTS,
                    Map.of(
                            Part.CLIENT_CALL,
                            1.0,
                            Part.ROW,
                            1.0,
                            Part.INDEX_CALL,
                            calls,
                            Part.BASE_READ,
                            reads,
                            Part.ENTRY,
                            entries));
        }

        private void batches(double rows) {
            batch(Contender.NO_INDEX, rows, 0, 0);
            batch(Contender.of(IndexScheme.SYNC_INSERT), rows, 0, 1);
            batch(Contender.of(IndexScheme.SYNC_FULL), rows, 1, 2);
            batch(Contender.of(IndexScheme.ASYNC_SIMPLE), rows, 1, 2);
        }

        private void batch(Contender contender, double rows, double reads, double entries) {
            double calls = entries == 0 ? 0 : FanOut.ofBatch(rows, entries, SERVERS);
            add(
                    "batch",
                    contender,
                    rows,
                    Map.of(
                            Part.CLIENT_CALL,
                            (double) SERVERS,
                            Part.ROW,
                            rows,
                            Part.INDEX_CALL,
                            calls,
                            Part.BASE_READ,
                            reads * rows,
                            Part.ENTRY,
                            entries * rows));
        }

        private void plain(PlainWork work, int clients, Map<Part, Double> counts) {
            Cell cell = work.cell(clients);
            value("plain", cell::equals, Measurement.SERVER_CPU)
                    .ifPresent(micros -> figures.add(new Figure("plain: " + cell, counts, micros, 0)));
        }

        private void add(String experiment, Contender contender, double amount, Map<Part, Double> counts) {
            value(experiment, contender, amount, Measurement.SERVER_CPU)
                    .ifPresent(micros ->
                            figures.add(new Figure(experiment + ": " + contender.label(), counts, micros, 0)));
        }

        private OptionalDouble value(String experiment, Contender contender, double amount, String value) {
            return value(experiment, cell -> cell.contender().equals(contender) && cell.amount() == amount, value);
        }

        private OptionalDouble value(String experiment, Predicate<Cell> which, String value) {
            return results.stream()
                    .filter(result -> result.experiment().name().equals(experiment))
                    .flatMap(result -> result.cell(which).stream())
                    .flatMap(result -> result.spread(value).stream())
                    .mapToDouble(Spread::median)
                    .findFirst();
        }
    }
}
