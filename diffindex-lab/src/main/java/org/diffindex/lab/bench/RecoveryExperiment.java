package org.diffindex.lab.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.cluster.ProcessStatus;
import org.diffindex.lab.bench.Plot.Quantity;
import org.diffindex.model.IndexDefinition;
import org.diffindex.verify.IndexComparison;
import org.diffindex.verify.ScrubReport;

/** The time from the death of a region server with a full AUQ until its region is back and its index has everything. */
final class RecoveryExperiment implements Experiment {
    static final String DRAINED = "drained_s";

    private final Bench bench;

    /** How many rows filled the AUQ, the first cell's of the first round and since then. */
    private int rowsOfFull;

    RecoveryExperiment(Bench bench) {
        this.bench = bench;
    }

    @Override
    public String name() {
        return "recovery";
    }

    @Override
    public String title() {
        return "Recovery with a full AUQ";
    }

    @Override
    public String source() {
        return "beyond the paper; section 5.3 has the protocol";
    }

    @Override
    public String explanation() {
        return "A region server is killed with SIGKILL while its AUQ is as full as it gets in memory: seconds until its"
                + " region serves again, and until the index has every row, after which both are compared. \"No index\" has"
                + " as many rows in its WAL, and is left out in haste. ZooKeeper takes "
                + BenchCluster.SESSION.toSeconds()
                + " s of it to notice the death.";
    }

    @Override
    public List<Cell> cells() {
        List<Cell> cells = new ArrayList<>();
        bench.options().asynchronous().stream()
                .limit(1)
                .forEach(contender -> cells.add(new Cell(contender, "full AUQ", 1)));
        if (!cells.isEmpty() && !bench.options().quick()) {
            cells.add(new Cell(Contender.NO_INDEX, "full AUQ", 1));
        }
        return cells;
    }

    @Override
    public List<Plot> plots() {
        return List.of(Plot.byLoad(
                "recovery",
                "Recovery with a full AUQ",
                Quantity.linear(DRAINED, "seconds from the kill to the last index entry")));
    }

    @Override
    public List<String> columns() {
        return List.of("online_s", DRAINED, "rows");
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
        return BenchCluster.SESSION.toSeconds() + 20;
    }

    @Override
    public Measurement run(Cell cell, int round, double seconds) throws IOException {
        FullQueue queue = new FullQueue(bench, cell.contender(), "_recovery" + round);
        queue.create();
        Placement placement = new Placement(bench.cluster(), bench.connection());
        placement.part(queue.tables());
        ProcessStatus server = placement.processOf(queue.table().name());
        try {
            if (cell.contender().isAsynchronous()) {
                long unused = queue.fill();
                rowsOfFull = queue.written();
            } else {
                queue.writeAsMany(rowsOfFull);
            }
            Measurement measured = recover(queue, server);
            compare(queue.table());
            return measured;
        } finally {
            queue.release();
            restart(server.name());
        }
    }

    private Measurement recover(FullQueue queue, ProcessStatus server) throws IOException {
        long start = System.nanoTime();
        bench.cluster().kill(server.name());
        queue.release();
        try (Table table = bench.connection().getTable(queue.table().name())) {
            if (table.get(new Get(queue.someRow())).isEmpty()) {
                throw new IOException("A row of " + queue.table().name() + " is gone after the death of its server");
            }
        }
        double online = (System.nanoTime() - start) / 1e9;
        queue.table().drain(bench.connection());
        double drained = (System.nanoTime() - start) / 1e9;
        return Measurement.empty()
                .with("online_s", online)
                .with(DRAINED, drained)
                .with("rows", queue.written());
    }

    private void compare(BenchTable table) throws IOException {
        try (DiffIndexAdmin admin = new DiffIndexAdmin(bench.connection())) {
            for (IndexDefinition definition : admin.listIndexes(table.name())) {
                ScrubReport report = IndexComparison.compare(bench.connection(), definition);
                if (!report.isClean()) {
                    throw new IOException("After the recovery the index differs from its table: " + report);
                }
            }
        }
    }

    private void restart(String process) throws IOException {
        boolean down = bench.cluster().status().stream()
                .anyMatch(status -> status.name().equals(process) && !status.isUp());
        if (down) {
            bench.cluster().restart(process);
        }
    }
}
