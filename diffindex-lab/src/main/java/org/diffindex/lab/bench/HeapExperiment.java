package org.diffindex.lab.bench;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.client.Admin;
import org.diffindex.lab.bench.Plot.Quantity;

/** The heap that a full AUQ takes on a region server, beside what the server counts towards the bound. */
final class HeapExperiment implements Experiment {
    static final String RATIO = "heap_per_counted_byte";

    private final Bench bench;

    HeapExperiment(Bench bench) {
        this.bench = bench;
    }

    @Override
    public String name() {
        return "heap";
    }

    @Override
    public String title() {
        return "Heap of a full AUQ";
    }

    @Override
    public String source() {
        return "beyond the paper";
    }

    @Override
    public String explanation() {
        return "The live objects of the region server, after a collection, with the AUQ as full as it gets in memory and"
                + " again after it was delivered. The ratio to what the server counts is what the bound may be exceeded by.";
    }

    @Override
    public List<Cell> cells() {
        return bench.options().asynchronous().stream()
                .limit(1)
                .map(contender -> new Cell(contender, "full AUQ", 1))
                .toList();
    }

    @Override
    public List<Plot> plots() {
        return List.of(Plot.byLoad(
                "heap", "Heap of a full AUQ", Quantity.linear(RATIO, "bytes of heap for each byte that is counted")));
    }

    @Override
    public List<String> columns() {
        return List.of(RATIO, "heap_bytes", "counted_bytes", "rows");
    }

    @Override
    public boolean warmsUp() {
        return false;
    }

    @Override
    public boolean usesSharedTables() {
        return false;
    }

    @Override
    public int rounds(int asked) {
        return Math.min(asked, 3);
    }

    @Override
    public double expectedSeconds() {
        return 15;
    }

    @Override
    public Measurement run(Cell cell, int round, double seconds) throws IOException {
        FullQueue queue = new FullQueue(bench, cell.contender(), "_heap" + round);
        queue.create();
        Placement placement = new Placement(bench.cluster(), bench.connection());
        placement.part(queue.tables());
        long pid = placement.processOf(queue.table().name()).pid().orElseThrow();
        try {
            long counted = queue.fill();
            long full = LiveHeap.bytesOf(pid);
            queue.release();
            queue.table().drain(bench.connection());
            long empty = LiveHeap.bytesOf(pid);
            return Measurement.empty()
                    .with(RATIO, (double) (full - empty) / counted)
                    .with("heap_bytes", (double) (full - empty))
                    .with("counted_bytes", (double) counted)
                    .with("rows", queue.written());
        } finally {
            queue.release();
            // The memstore is not to be in the way of the next round.
            try (Admin admin = bench.connection().getAdmin()) {
                admin.flush(queue.table().name());
            }
        }
    }
}
