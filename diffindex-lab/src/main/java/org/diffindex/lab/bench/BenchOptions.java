package org.diffindex.lab.bench;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What a run is asked for. Immutable.
 *
 * @param out where the results go
 * @param dir the cluster's folder; empty for a temporary one
 * @param heap of each region server of a new cluster, as for {@code -Xmx}
 * @param rows rows of each table
 * @param scanRows rows of the table of the full scan
 * @param threads how many clients there are at a time, one number for each load
 * @param rates how many operations a second there are where latency is measured at given rates; none for shares of the highest
 * @param seconds how long each cell is measured in a round
 * @param rounds how many rounds count
 * @param experiments the names of the experiments, in the order in which they run
 * @param schemes whom to compare with no index
 * @param seed what the choice of rows follows from
 * @param quick whether all is to end within five minutes
 */
record BenchOptions(
        Path out,
        Optional<Path> dir,
        String heap,
        int rows,
        int scanRows,
        List<Integer> threads,
        List<Integer> rates,
        double seconds,
        int rounds,
        List<String> experiments,
        List<Contender> schemes,
        long seed,
        boolean quick) {
    /** Copies the lists. */
    BenchOptions {
        threads = List.copyOf(threads);
        rates = List.copyOf(rates);
        experiments = List.copyOf(experiments);
        schemes = List.copyOf(schemes);
    }

    /** No index, and the schemes. */
    List<Contender> contenders() {
        return Contender.withNoIndex(schemes);
    }

    /** The share of its time for which a cell is measured: all of it, or in haste the given one. */
    double share(double inHaste) {
        return quick ? inHaste : 1;
    }

    /** The schemes that are asynchronous. */
    List<Contender> asynchronous() {
        return schemes.stream().filter(Contender::isAsynchronous).toList();
    }
}
