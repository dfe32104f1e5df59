package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentDescription;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Plot;
import org.diffindex.lab.bench.statistics.Plot.Quantity;
import org.diffindex.lab.steps.Interruption;

/**
 * The latency and throughput of clients that make plain calls in place of an index. These are not bounds for an index.
 */
final class PlainExperiment implements Experiment {
    private static final ExperimentDescription DESCRIPTION = new ExperimentDescription(
            "plain",
            "Plain calls in place of an index",
            "beyond the paper",
            "The figures of clients that make plain calls in place of an index, on tables without one. They are not bounds: an index"
                    + " writes from the row's server and may overlap its calls differently, but it also reads, locks and logs."
                    + " \"put with entry\": a put of a row, and concurrently a put of a row of an entry's size to another table."
                    + " \"put, then entry\": the entry after the put. \"put, then Get\": after the put, a Get that returns"
                    + " nothing. \"put, then 2 entries\": after the put, a put and a delete of entries, concurrently. \"put,"
                    + " entries later\": a put; another thread writes its two entries together with those of the surrounding"
                    + " milliseconds. \"batch, then entries\": 1,000 rows, then the puts and deletes of 2,000 entries. \"Gets,"
                    + " batch, entries\": the same after a batch of Gets of the rows' old titles. \"Get, then Get\": two reads of"
                    + " a column, one after the other; \"no index\" is one.",
            List.of(Plot.byLoad(
                    "plain", "Plain calls in place of an index", Quantity.millis(Measurement.P50, "median time, ms"))),
            Measurement.OF_CLOSED_LOOP);

    /**
     * The share of its time for which a quick run measures a cell: there are many, and earlier experiments warmed up.
     */
    private static final double SHARE_IN_QUICK_RUN = 0.4;

    private static final int MOST_ROUNDS_IN_QUICK_RUN = 2;

    private final Bench bench;
    private final EntryTable entries = new EntryTable("entries");
    private final Map<BenchCell, PlainWork> works = new LinkedHashMap<>();
    private AsyncConnection asynchronous;

    PlainExperiment(Bench bench) {
        this.bench = bench;
        for (PlainWork.Kind kind : PlainWork.Kind.values()) {
            for (int clients : kind.clients()) {
                kind.works().stream()
                        .filter(work -> !bench.options().quick() || work.isOfAGoal())
                        .forEach(work -> works.put(work.cell(clients), work));
            }
        }
    }

    @Override
    public ExperimentDescription description() {
        return DESCRIPTION;
    }

    @Override
    public List<BenchCell> cells() {
        return List.copyOf(works.keySet());
    }

    @Override
    public double expectedSeconds() {
        return bench.options().seconds() * bench.options().share(SHARE_IN_QUICK_RUN);
    }

    @Override
    public double share(BenchCell cell) {
        return bench.options().shareOf(works.get(cell).isOfAGoal());
    }

    @Override
    public Procedure procedure() {
        return bench.options().quick() ? Procedure.SETTLED.withMostRounds(MOST_ROUNDS_IN_QUICK_RUN) : Procedure.SETTLED;
    }

    @Override
    public double secondsToPrepare() {
        return 2;
    }

    @Override
    public void prepare() throws IOException {
        entries.create(bench.connection());
        try {
            asynchronous = ConnectionFactory.createAsyncConnection(
                            bench.connection().getConfiguration())
                    .get();
        } catch (ExecutionException e) {
            throw new IOException("The asynchronous connection to the cluster failed", e.getCause());
        } catch (InterruptedException e) {
            throw Interruption.of(e);
        }
    }

    @Override
    public void finish() throws IOException {
        if (asynchronous != null) {
            asynchronous.close();
        }
    }

    @Override
    public Measurement run(BenchCell cell, int round, double seconds) throws IOException {
        BenchTable table = bench.tables().of(Contender.NO_INDEX);
        int clients = (int) cell.amount();
        Load.Done done;
        try (LaterEntries later = new LaterEntries(bench.connection().getTable(entries.name()))) {
            done = Load.closed(clients, seconds * bench.options().share(SHARE_IN_QUICK_RUN))
                    .run(thread -> {
                        Random random = bench.random(name(), cell.load(), round, thread);
                        return new PlainClient(
                                works.get(cell),
                                bench.connection(),
                                asynchronous,
                                later,
                                table,
                                entries,
                                ItemChoice.even(table, clients, thread, random),
                                random);
                    });
        }
        return done.measurement();
    }
}
