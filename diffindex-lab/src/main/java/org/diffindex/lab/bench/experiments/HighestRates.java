package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.Measurement;

/**
 * The highest rate of updates of each contender: the throughput of a closed loop, draining included. For one thread.
 */
final class HighestRates {
    /** The number of turns in which the rates are measured; the first also compiles the code and fills the caches. */
    static final int TURNS = 2;

    private final Bench bench;
    private final String experiment;
    private final int clients;
    private final Map<Contender, Double> perSecond = new HashMap<>();

    /**
     * Creates an object that knows no rate yet.
     *
     * @param experiment the name of the experiment that measures, which determines the clients' choices
     * @param clients the number of clients
     */
    HighestRates(Bench bench, String experiment, int clients) {
        this.bench = bench;
        this.experiment = experiment;
        this.clients = clients;
    }

    /** Measures each contender {@value #TURNS} times, for {@code seconds} each time; keeps the highest rates. */
    void measure(List<Contender> contenders, double seconds) throws IOException {
        for (int turn = 0; turn < TURNS; turn++) {
            for (Contender contender : contenders) {
                BenchTable table = bench.tables().of(contender);
                Load.Done done =
                        Load.closed(clients, seconds).run(bench.updates(table, experiment, "highest", clients, turn));
                bench.drained(done, table).value(Measurement.PER_SECOND).ifPresent(rate -> add(contender, rate));
            }
        }
    }

    /** Adds a measured rate; only the highest rate of a contender is kept. */
    void add(Contender contender, double rate) {
        perSecond.merge(contender, rate, Math::max);
    }

    /** Returns the highest rate of a contender that was measured. */
    double of(Contender contender) {
        return perSecond.get(contender);
    }

    /** Returns the highest rate of the slowest contender, which all others reach too. */
    double lowest() {
        return Collections.min(perSecond.values());
    }
}
