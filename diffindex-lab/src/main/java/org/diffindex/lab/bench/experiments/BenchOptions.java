package org.diffindex.lab.bench.experiments;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.diffindex.lab.bench.rivals.Rival;
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
 * @param seconds the time for which each cell by which a goal is judged is measured in a round
 * @param rounds the number of measured rounds
 * @param experiments the names of the experiments, in the order in which they run
 * @param schemes the contenders to compare with no index
 * @param rival another system to compare with; empty for none
 * @param settings properties of the cluster's {@code hbase-site.xml}, by name
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
        Optional<Rival> rival,
        Map<String, String> settings,
        long seed,
        boolean quick) {
    /** The share of the time of a round for which a full run measures a cell by which no goal is judged. */
    private static final double SHARE_OF_OTHERS = 0.2;

    /** The experiments that also measure the contenders of a rival. */
    public static final Set<String> WITH_RIVAL = Set.of("update", "read", "range", "batch");

    /** Copies the lists, and sorts the settings. */
    public BenchOptions {
        threads = List.copyOf(threads);
        rates = List.copyOf(rates);
        experiments = List.copyOf(experiments);
        schemes = List.copyOf(schemes);
        settings = Collections.unmodifiableMap(new TreeMap<>(settings));
    }

    /** Returns {@link Contender#NO_INDEX}, followed by the schemes. */
    public List<Contender> contenders() {
        return Contender.withNoIndex(schemes);
    }

    /**
     * Returns the contenders of an experiment: those of {@link #contenders}, and in {@link #WITH_RIVAL} also those of
     * the rival.
     */
    List<Contender> contenders(String experiment) {
        List<Contender> all = new ArrayList<>(contenders());
        if (WITH_RIVAL.contains(experiment)) {
            all.addAll(ofRival());
        }
        return all;
    }

    /** Returns the contenders of the rival; empty without one. */
    public List<Contender> ofRival() {
        return rival.map(Rival::contenders).orElse(List.of());
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

    /**
     * Returns the share of its time for which a cell is measured: 1 if a goal is judged by it, or in a quick run, which
     * is short anyway.
     */
    double shareOf(boolean judged) {
        return judged || quick ? 1 : SHARE_OF_OTHERS;
    }
}
