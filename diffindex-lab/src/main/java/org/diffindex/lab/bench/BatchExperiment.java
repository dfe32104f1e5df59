package org.diffindex.lab.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.client.IndexedTable;
import org.diffindex.client.Session;
import org.diffindex.lab.bench.Plot.Quantity;

/** The time of batches of 1,000 rows. */
final class BatchExperiment implements Experiment {
    /** Rows of a batch. */
    static final int BATCH = 1_000;

    private final Bench bench;

    BatchExperiment(Bench bench) {
        this.bench = bench;
    }

    @Override
    public String name() {
        return "batch";
    }

    @Override
    public String title() {
        return "Batches";
    }

    @Override
    public String source() {
        return "beyond the paper";
    }

    @Override
    public String explanation() {
        return "One client gives 1,000 items new titles with one call of Table.put(List). Batches per second count the"
                + " time until asynchronous indexes have every row.";
    }

    @Override
    public List<Cell> cells() {
        return bench.options().contenders().stream()
                .map(contender -> new Cell(contender, "%,d rows".formatted(BATCH), BATCH))
                .toList();
    }

    @Override
    public List<Plot> plots() {
        return List.of(Plot.byLoad(
                "batch", "Batches of 1,000 rows", Quantity.millis(Measurement.P50, "median time of a batch, ms")));
    }

    @Override
    public List<String> columns() {
        return List.of(
                Measurement.P50,
                Measurement.P95,
                Measurement.PER_SECOND,
                "drain_s",
                Measurement.CLIENT_CPU,
                Measurement.SERVER_CPU);
    }

    @Override
    public double expectedSeconds() {
        return bench.options().seconds() * 1.2;
    }

    @Override
    public boolean warmsUpUntilSettled() {
        return true;
    }

    @Override
    public Measurement run(Cell cell, int round, double seconds) throws IOException {
        BenchTable target = bench.tables().of(cell.contender());
        Random random = bench.random(name(), cell.load(), round, 0);
        try (Table table = bench.connection().getTable(target.name());
                IndexedTable indexed = new IndexedTable(bench.connection(), target.name())) {
            Optional<Session> session =
                    target.contender().isInSession() ? Optional.of(indexed.openSession()) : Optional.empty();
            try {
                Load.Done done = Load.closed(1, seconds).run(thread -> () -> {
                    List<Put> puts = batch(target, random);
                    if (session.isPresent()) {
                        session.get().put(puts);
                    } else {
                        table.put(puts);
                    }
                });
                return bench.drained(done, target);
            } finally {
                if (session.isPresent()) {
                    session.get().close();
                }
            }
        }
    }

    private static List<Put> batch(BenchTable target, Random random) {
        List<Put> puts = new ArrayList<>(BATCH);
        items(target, random).forEach(item -> puts.add(target.nextVersion(item, random)));
        return puts;
    }

    /** Different items; their row keys are spread over the table, however near their numbers are. */
    static IntStream items(BenchTable target, Random random) {
        int first = random.nextInt(target.evenItems());
        return IntStream.range(first, first + BATCH).map(item -> item % target.evenItems());
    }
}
