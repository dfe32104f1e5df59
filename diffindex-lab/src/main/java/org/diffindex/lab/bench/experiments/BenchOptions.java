package org.diffindex.lab.bench.experiments;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.model.IndexScheme;

/**
 * The options of a run. Immutable.
 *
 * @param out the folder of the report
 * @param dir the folder of the cluster; empty for a temporary one
 * @param heap the heap of each region server of a new cluster, as for {@code -Xmx}
 * @param rows the number of rows per table
 * @param scanRows the number of rows of the table that the full scan reads
 * @param threads the numbers of concurrent clients, one per load
 * @param rates the target rates in operations per second; empty for shares of the highest rate
 * @param seconds the time for which each cell is measured in a round
 * @param rounds the number of measured rounds
 * @param experiments the names of the experiments, in the order in which they run
 * @param schemes the contenders to compare with no index
 * @param seed the random seed for choosing rows
 * @param quick whether the run must end within five minutes
 */
public record BenchOptions(
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
    public BenchOptions {
        threads = List.copyOf(threads);
        rates = List.copyOf(rates);
        experiments = List.copyOf(experiments);
        schemes = List.copyOf(schemes);
    }

    /** Returns {@link Contender#NO_INDEX}, followed by the schemes. */
    public List<Contender> contenders() {
        return Contender.withNoIndex(schemes);
    }

    /** Returns the asynchronous schemes. */
    List<Contender> asynchronous() {
        return schemes.stream().filter(Contender::isAsynchronous).toList();
    }

    /** Returns the scheme of an experiment that needs only one: sync-full if it was chosen, otherwise the first. */
    Contender mainScheme() {
        Contender full = Contender.of(IndexScheme.SYNC_FULL);
        return schemes.contains(full) ? full : schemes.get(0);
    }

    /** Returns the share of its time for which a cell is measured: 1, or in a quick run the given share. */
    double share(double inQuickRun) {
        return quick ? inQuickRun : 1;
    }
}
