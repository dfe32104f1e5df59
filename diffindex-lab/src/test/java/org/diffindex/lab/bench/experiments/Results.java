package org.diffindex.lab.bench.experiments;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.DoubleStream;
import org.diffindex.lab.bench.rivals.Rival;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.CellResult;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentResult;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.model.IndexScheme;

/** Creates options and results of experiments that were not run. */
public final class Results {
    public static final Contender FULL = Contender.of(IndexScheme.SYNC_FULL);
    public static final Contender INSERT = Contender.of(IndexScheme.SYNC_INSERT);
    public static final Contender ASYNC = Contender.of(IndexScheme.ASYNC_SIMPLE);
    public static final Contender SESSION = Contender.of(IndexScheme.ASYNC_SESSION);

    private Results() {}

    /** Returns the options of a quick run with tables of this many rows. */
    public static BenchOptions options(int rows) {
        return options(rows, List.of(), true);
    }

    /** Returns options with tables of this many rows. */
    public static BenchOptions options(int rows, List<Integer> rates, boolean quick) {
        return new BenchOptions(
                Path.of("out"),
                Optional.empty(),
                "1g",
                rows,
                rows,
                List.of(1, 8),
                rates,
                1,
                3,
                Experiments.names(),
                List.of(FULL, INSERT, ASYNC, SESSION),
                Optional.empty(),
                Map.of(),
                1,
                quick);
    }

    /** Returns the options of a quick run that also measures a rival. */
    public static BenchOptions optionsAgainst(Rival rival) {
        BenchOptions options = options(40_000);
        return new BenchOptions(
                options.out(),
                options.dir(),
                options.heap(),
                options.rows(),
                options.scanRows(),
                options.threads(),
                options.rates(),
                options.seconds(),
                options.rounds(),
                options.experiments(),
                options.schemes(),
                Optional.of(rival),
                Map.of(),
                options.seed(),
                options.quick());
    }

    /** Returns the experiment of this name in a quick run; it cannot run. */
    public static Experiment experiment(String name) {
        return experiment(name, options(40_000));
    }

    /** Returns the experiment of this name; it cannot run. */
    public static Experiment experiment(String name, BenchOptions options) {
        return Experiments.of(new Bench(null, null, options, null)).stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Returns a cell with one value, which has one number per round. */
    public static CellResult cell(Contender contender, double amount, String value, double... rounds) {
        return measured(new BenchCell(contender, "load " + amount, amount), value, rounds);
    }

    /** Returns a cell with one value, which has one number per round. */
    public static CellResult measured(BenchCell cell, String value, double... rounds) {
        return new CellResult(
                cell,
                DoubleStream.of(rounds)
                        .mapToObj(each -> Measurement.empty().with(value, each))
                        .toList());
    }

    /** Returns a result of the experiment of this name. */
    public static ExperimentResult result(String name, CellResult... cells) {
        return new ExperimentResult(experiment(name).description(), List.of(cells), Optional.empty());
    }
}
