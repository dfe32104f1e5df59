package org.diffindex.lab.bench;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.diffindex.lab.bench.Plot.Quantity;

/** Measures clients that make plain calls in place of an index. What they reach is not a bound for an index. */
final class PlainExperiment implements Experiment {
    /** In haste each cell is measured for so much of the time: there are many, which the other experiments have warmed. */
    private static final double SHARE_IN_HASTE = 0.4;

    private static final int MOST_ROUNDS_IN_HASTE = 2;

    private final Bench bench;
    private final EntryTable entries = new EntryTable();
    private final Map<Cell, PlainWork> works = new LinkedHashMap<>();
    private AsyncConnection beside;

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
    public String name() {
        return "plain";
    }

    @Override
    public String title() {
        return "Plain calls in place of an index";
    }

    @Override
    public String source() {
        return "beyond the paper";
    }

    @Override
    public String explanation() {
        return "What clients reach that make plain calls in place of an index, on tables without one. It is no bound: an index"
                + " writes from the row's server and may overlap its calls otherwise, and it reads, locks and logs besides."
                + " \"put with entry\": a put of a row, and beside it that of a row of an entry's size to another table. \"put,"
                + " then entry\": the entry when the put has ended; \"put, then Get\": instead of it a Get that returns nothing;"
                + " \"put, then 2 entries\": a put and a delete of entries beside each other. \"put, entries later\": a put, whose"
                + " two entries one more thread writes with those of the milliseconds before and after. \"batch, then entries\":"
                + " 1,000 rows, then the puts and deletes of 2,000 entries. \"Gets, batch, entries\": before it a batch of Gets of"
                + " the rows' old titles. \"Get, then Get\": two reads of a column, one after the other; \"no index\" is one.";
    }

    @Override
    public List<Cell> cells() {
        return List.copyOf(works.keySet());
    }

    @Override
    public List<Plot> plots() {
        return List.of(Plot.byLoad(
                "plain", "Plain calls in place of an index", Quantity.millis(Measurement.P50, "median time, ms")));
    }

    @Override
    public List<String> columns() {
        return Measurement.OF_CLOSED_LOOP;
    }

    @Override
    public double expectedSeconds() {
        return bench.options().seconds() * bench.options().share(SHARE_IN_HASTE);
    }

    @Override
    public boolean warmsUpUntilSettled() {
        return true;
    }

    @Override
    public int rounds(int asked) {
        return bench.options().quick() ? Math.min(asked, MOST_ROUNDS_IN_HASTE) : asked;
    }

    @Override
    public double secondsToPrepare() {
        return 2;
    }

    @Override
    public void prepare() throws IOException {
        entries.create(bench.connection());
        try {
            beside = ConnectionFactory.createAsyncConnection(bench.connection().getConfiguration())
                    .get();
        } catch (ExecutionException e) {
            throw new IOException("No second connection to the cluster could be made", e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("The run was interrupted", e);
        }
    }

    @Override
    public void finish() throws IOException {
        if (beside != null) {
            beside.close();
        }
    }

    @Override
    public Measurement run(Cell cell, int round, double seconds) throws IOException {
        BenchTable table = bench.tables().of(Contender.NO_INDEX);
        int threads = (int) cell.amount();
        Load.Done done;
        try (LaterEntries later = new LaterEntries(bench.connection().getTable(entries.name()))) {
            done = Load.closed(threads, seconds * bench.options().share(SHARE_IN_HASTE))
                    .run(thread -> {
                        var random = bench.random(name(), cell.load(), round, thread);
                        return new PlainClient(
                                works.get(cell),
                                bench.connection(),
                                beside,
                                later,
                                table,
                                entries,
                                ItemChoice.even(table, threads, thread, random),
                                random);
                    });
        }
        return Measurement.of(done, done.secondsUntilNow());
    }
}
