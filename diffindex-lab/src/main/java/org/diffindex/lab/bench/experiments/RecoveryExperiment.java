package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.cluster.ProcessStatus;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.bench.statistics.ExperimentDescription;
import org.diffindex.lab.bench.statistics.Measurement;
import org.diffindex.lab.bench.statistics.Plot;
import org.diffindex.lab.bench.statistics.Plot.Quantity;
import org.diffindex.model.IndexDefinition;
import org.diffindex.verify.IndexComparison;
import org.diffindex.verify.ScrubReport;

/**
 * The time from the death of a region server with a full AUQ until its region serves again and its index is complete.
 */
final class RecoveryExperiment implements Experiment {
    private static final ExperimentDescription DESCRIPTION = new ExperimentDescription(
            "recovery",
            "Recovery with a full AUQ",
            "beyond the paper; section 5.3 has the protocol",
            "A region server is killed with SIGKILL while its AUQ is as full as it gets in memory: seconds until its region"
                    + " serves again, and until the index holds every row, after which index and table are compared. \"No index\""
                    + " has as many rows in its WAL; a quick run leaves it out. Of this time "
                    + Bench.SESSION_TIMEOUT.toSeconds() + " s pass until ZooKeeper expires the session.",
            List.of(Plot.byLoad(
                    "recovery",
                    "Recovery with a full AUQ",
                    Quantity.linear(Measurement.DRAINED, "seconds from the kill to the last index entry"))),
            List.of(Measurement.ONLINE, Measurement.DRAINED, "rows"));

    private final Bench bench;

    /** The number of rows that filled the AUQ most recently; the table without an index receives as many. */
    private int rowsOfFull;

    RecoveryExperiment(Bench bench) {
        this.bench = bench;
    }

    @Override
    public ExperimentDescription description() {
        return DESCRIPTION;
    }

    @Override
    public List<BenchCell> cells() {
        List<BenchCell> cells = new ArrayList<>(FullQueue.cells(bench));
        if (!cells.isEmpty() && !bench.options().quick()) {
            cells.add(FullQueue.cell(Contender.NO_INDEX));
        }
        return cells;
    }

    @Override
    public Procedure procedure() {
        return FullQueue.PROCEDURE;
    }

    @Override
    public double expectedSeconds() {
        return Bench.SESSION_TIMEOUT.toSeconds() + 20;
    }

    @Override
    public Measurement run(BenchCell cell, int round, double seconds) throws IOException {
        FullQueue queue = new FullQueue(bench, cell.contender(), "_recovery" + round);
        ProcessStatus server = queue.create();
        try {
            if (cell.contender().isAsynchronous()) {
                long unused = queue.fill();
                rowsOfFull = queue.written();
            } else {
                queue.write(rowsOfFull);
            }
            Measurement measured = recover(queue, server);
            requireComplete(queue);
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
                throw new IOException("A row of " + queue.table().name() + " is lost after the death of its server");
            }
        }
        double online = (System.nanoTime() - start) / 1e9;
        queue.table().drain(bench.connection());
        double drained = (System.nanoTime() - start) / 1e9;
        return Measurement.empty()
                .with(Measurement.ONLINE, online)
                .with(Measurement.DRAINED, drained)
                .with("rows", queue.written());
    }

    private void requireComplete(FullQueue queue) throws IOException {
        BenchTable table = queue.table();
        if (table.contender().scheme().isEmpty()) {
            requireRows(queue.count(), queue.written(), table.name().toString());
            return;
        }
        List<ScrubReport> reports = new ArrayList<>();
        try (DiffIndexAdmin admin = new DiffIndexAdmin(bench.connection())) {
            for (IndexDefinition definition : admin.listIndexes(table.name())) {
                reports.add(IndexComparison.compare(bench.connection(), definition));
            }
        }
        requireComplete(reports, queue.written());
    }

    /**
     * Checks comparisons of the indexes with their table after a recovery.
     *
     * @param written the number of rows that were acknowledged before
     * @throws IOException if a row is lost, an index differs from its table, or none was compared
     */
    static void requireComplete(List<ScrubReport> reports, int written) throws IOException {
        if (reports.isEmpty()) {
            throw new IOException("No index was compared with its table after the recovery");
        }
        for (ScrubReport report : reports) {
            if (!report.isClean()) {
                throw new IOException("The index differs from its table after the recovery: " + report);
            }
            requireRows(report.rows(), written, report.toString());
        }
    }

    private static void requireRows(long rows, int written, String where) throws IOException {
        if (rows != written) {
            throw new IOException("%,d rows were acknowledged, but %,d are there after the recovery: %s"
                    .formatted(written, rows, where));
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
