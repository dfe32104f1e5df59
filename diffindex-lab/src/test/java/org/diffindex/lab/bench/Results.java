package org.diffindex.lab.bench;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.DoubleStream;
import org.diffindex.model.IndexScheme;

/** Results of experiments that were not run, for the tests of what is made of them. */
final class Results {
    static final Contender FULL = Contender.of(IndexScheme.SYNC_FULL);
    static final Contender INSERT = Contender.of(IndexScheme.SYNC_INSERT);
    static final Contender ASYNC = Contender.of(IndexScheme.ASYNC_SIMPLE);

    private Results() {}

    static BenchOptions options(int rows) {
        return new BenchOptions(
                Path.of("out"),
                Optional.empty(),
                "1g",
                rows,
                rows,
                List.of(1, 8),
                List.of(),
                1,
                3,
                Experiments.names(),
                List.of(FULL, INSERT, ASYNC, Contender.of(IndexScheme.ASYNC_SESSION)),
                1,
                true);
    }

    /** What describes an experiment of that name; it cannot run. */
    static Experiment experiment(String name) {
        Bench bench = new Bench(null, null, options(40_000), null);
        return Experiments.of(bench).stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** A cell with one value, one number for each round. */
    static CellResult cell(Contender contender, double amount, String value, double... rounds) {
        return measured(new Cell(contender, amount + " of it", amount), value, rounds);
    }

    /** A cell with one value, one number for each round. */
    static CellResult measured(Cell cell, String value, double... rounds) {
        return new CellResult(
                cell,
                DoubleStream.of(rounds)
                        .mapToObj(each -> Measurement.empty().with(value, each))
                        .toList());
    }

    static ExperimentResult result(String name, CellResult... cells) {
        return new ExperimentResult(experiment(name), List.of(cells), Optional.empty());
    }
}
