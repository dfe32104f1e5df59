package org.diffindex.lab.bench;

import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The highest rate of updates of each contender: what clients reach in a closed loop, with the time to drain counted. For one
 * thread.
 */
final class HighestRates {
    private final Bench bench;
    private final String experiment;
    private final int clients;
    private final Map<Contender, Double> perSecond = new HashMap<>();

    /**
     * Nothing is measured yet.
     *
     * @param experiment for which they are
     */
    HighestRates(Bench bench, String experiment, int clients) {
        this.bench = bench;
        this.experiment = experiment;
        this.clients = clients;
    }

    /** Measures the contenders, each in each of some turns. */
    void measure(List<Contender> contenders, int turns, double seconds) throws IOException {
        for (int turn = 0; turn < turns; turn++) {
            for (Contender contender : contenders) {
                BenchTable table = bench.tables().of(contender);
                Load.Done done =
                        Load.closed(clients, seconds).run(bench.updates(table, experiment, "highest", clients, turn));
                bench.drained(done, table).value(Measurement.PER_SECOND).ifPresent(rate -> add(contender, rate));
            }
        }
    }

    /** Takes in a rate; the highest counts. */
    void add(Contender contender, double rate) {
        perSecond.merge(contender, rate, Math::max);
    }

    /** That of a contender that was measured. */
    double of(Contender contender) {
        return perSecond.get(contender);
    }

    /** That of the slowest contender that was measured: all others reach it too. */
    double lowest() {
        return Collections.min(perSecond.values());
    }
}
