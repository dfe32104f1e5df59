package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.lab.bench.rivals.ItemRow;
import org.diffindex.lab.bench.rivals.ItemWriter;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.ExperimentDescription;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Plot;
import org.diffindex.lab.bench.statistics.Plot.Quantity;

/** The duration of batches of 1,000 rows. */
final class BatchExperiment implements Experiment {
    private static final ExperimentDescription DESCRIPTION = new ExperimentDescription(
            "batch",
            "Batches",
            "beyond the paper",
            "One client gives 1,000 items new titles with one call of Table.put(List). Batches per second include the time"
                    + " until asynchronous indexes hold every row.",
            List.of(Plot.byLoad(
                    "batch", "Batches of 1,000 rows", Quantity.millis(Measurement.P50, "median time of a batch, ms"))),
            List.of(
                    Measurement.P50,
                    Measurement.P95,
                    Measurement.PER_SECOND,
                    Measurement.DRAIN,
                    Measurement.CLIENT_CPU,
                    Measurement.SERVER_CPU,
                    Measurement.ROW_MEMORY_HIT_SHARE));

    private final Bench bench;

    BatchExperiment(Bench bench) {
        this.bench = bench;
    }

    @Override
    public ExperimentDescription description() {
        return DESCRIPTION;
    }

    @Override
    public List<BenchCell> cells() {
        return BenchCell.ofEach(
                bench.options().contenders(name()), "%,d rows".formatted(GoalLoads.BATCH_ROWS), GoalLoads.BATCH_ROWS);
    }

    @Override
    public double expectedSeconds() {
        return bench.options().seconds() * 1.2;
    }

    @Override
    public Procedure procedure() {
        return Procedure.SETTLED;
    }

    @Override
    public Optional<TableName> updatedTable(BenchCell cell) {
        return bench.tables().of(cell.contender()).maintained();
    }

    @Override
    public Measurement run(BenchCell cell, int round, double seconds) throws IOException {
        BenchTable target = bench.tables().of(cell.contender());
        Random random = bench.random(name(), cell.load(), round, 0);
        try (ItemWriter writer = target.writer(bench.connection())) {
            Load.Done done = Load.closed(1, seconds).run(thread -> () -> writer.put(batch(target, random)));
            return bench.drained(done, target);
        }
    }

    private static List<ItemRow> batch(BenchTable target, Random random) {
        List<ItemRow> rows = new ArrayList<>(GoalLoads.BATCH_ROWS);
        items(target, random).forEach(item -> rows.add(target.nextRow(item, random)));
        return rows;
    }

    /** Returns distinct items with consecutive numbers; their row keys are spread over the whole table. */
    static IntStream items(BenchTable target, Random random) {
        int first = random.nextInt(target.evenItems());
        return IntStream.range(first, first + GoalLoads.BATCH_ROWS).map(item -> item % target.evenItems());
    }
}
