package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.client.Admin;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.ExperimentDescription;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Plot;
import org.diffindex.lab.bench.statistics.Plot.Quantity;

/** The heap that a full AUQ occupies on a region server, compared with the bytes that the server counts for it. */
final class HeapExperiment implements Experiment {
    private static final ExperimentDescription DESCRIPTION = new ExperimentDescription(
            "heap",
            "Heap of a full AUQ",
            "beyond the paper",
            "The live objects of the region server after a garbage collection, with the AUQ as full as it gets in memory and"
                    + " again after it is drained. The ratio of the difference to the bytes that the server counts says by how"
                    + " much the heap can exceed the bound.",
            List.of(Plot.byLoad(
                    "heap",
                    "Heap of a full AUQ",
                    Quantity.linear(Measurement.HEAP_RATIO, "bytes of heap per counted byte"))),
            List.of(Measurement.HEAP_RATIO, "heap_bytes", "counted_bytes", "rows"));

    private final Bench bench;

    HeapExperiment(Bench bench) {
        this.bench = bench;
    }

    @Override
    public ExperimentDescription description() {
        return DESCRIPTION;
    }

    @Override
    public List<BenchCell> cells() {
        return FullQueue.cells(bench);
    }

    @Override
    public Procedure procedure() {
        return FullQueue.PROCEDURE;
    }

    @Override
    public double expectedSeconds() {
        return 15;
    }

    @Override
    public Measurement run(BenchCell cell, int round, double seconds) throws IOException {
        FullQueue queue = new FullQueue(bench, cell.contender(), "_heap" + round);
        long pid = queue.create().pid().orElseThrow();
        try {
            long counted = queue.fill();
            long full = LiveHeap.bytesOf(pid);
            queue.release();
            queue.table().drain(bench.connection());
            long empty = LiveHeap.bytesOf(pid);
            return Measurement.empty()
                    .with(Measurement.HEAP_RATIO, (double) (full - empty) / counted)
                    .with("heap_bytes", (double) (full - empty))
                    .with("counted_bytes", (double) counted)
                    .with("rows", queue.written());
        } finally {
            queue.release();
            // Flush, so that this round's memstore does not count in the next round's heap.
            try (Admin admin = bench.connection().getAdmin()) {
                admin.flush(queue.table().name());
            }
        }
    }
}
