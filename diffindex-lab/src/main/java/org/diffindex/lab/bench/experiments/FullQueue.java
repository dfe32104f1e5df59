package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexStatus;
import org.diffindex.cluster.ProcessStatus;
import org.diffindex.lab.bench.statistics.BenchCell;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.ServerSetting;
import org.diffindex.ycsb.Items;

/**
 * A table of one region whose AUQ is filled by writing while its index table is disabled. A server spills the AUQ of an
 * unavailable index to disk at half of the bound, so an AUQ slightly smaller than that counts as full. For one thread.
 */
final class FullQueue {
    /** The size of a full AUQ, as a share of the bound. */
    private static final double FULL = 0.45;

    /** The procedure of experiments with a full AUQ: few rounds, each of which creates its table and fills the AUQ. */
    static final Procedure PROCEDURE = new Procedure(Procedure.WarmUp.NONE, Procedure.Tables.OWN, 3);

    private static final int BATCH = 1_000;
    private static final int MOST_ROWS_BETWEEN_CHECKS = 4_000;

    private final Bench bench;
    private final BenchTable table;
    private int written;

    FullQueue(Bench bench, Contender contender, String suffix) {
        this.bench = bench;
        this.table = new BenchTable(contender, suffix, BATCH, 1, 1);
    }

    /** Returns the cell of a contender whose AUQ is full. */
    static BenchCell cell(Contender contender) {
        return new BenchCell(contender, "full AUQ", 1);
    }

    /** Returns the cell of the first asynchronous scheme; empty if there is none. */
    static List<BenchCell> cells(Bench bench) {
        return bench.options().asynchronous().stream()
                .limit(1)
                .map(FullQueue::cell)
                .toList();
    }

    BenchTable table() {
        return table;
    }

    private List<TableName> tables() {
        List<TableName> tables = new ArrayList<>(List.of(table.name()));
        tables.addAll(indexTables());
        return tables;
    }

    private List<TableName> indexTables() {
        return table.definitions().stream().map(IndexDefinition::indexTable).toList();
    }

    /** Returns the size of a full AUQ, in bytes. */
    private long bytesOfFull() throws IOException {
        ServerSetting bound = ServerSetting.QUEUE_MAX_BYTES;
        String bytes = bench.cluster().configuration().get(bound.key(), bound.valueUnlessSet());
        return (long) (Long.parseLong(bytes) * FULL);
    }

    /**
     * Creates the table, and moves its region and that of its index table to different servers.
     *
     * @return the process of the server that holds the table's region
     */
    ProcessStatus create() throws IOException {
        table.create(bench.connection());
        Placement placement = new Placement(bench.cluster(), bench.connection());
        placement.separate(tables());
        return placement.processOf(table.name());
    }

    /**
     * Disables the index table and writes new rows until the AUQ is full.
     *
     * @return the size of the AUQ in bytes, as the server counts it
     * @throws IOException if the AUQ is spilled to disk before it is full
     */
    long fill() throws IOException {
        try (DiffIndexAdmin indexes = new DiffIndexAdmin(bench.connection());
                Admin admin = bench.connection().getAdmin()) {
            for (TableName index : indexTables()) {
                admin.disableTable(index);
            }
            long full = bytesOfFull();
            IndexStatus status = indexes.status(table.name());
            while (status.queuedBytes() < full) {
                write(rowsUntilNextCheck(status.queuedBytes(), full));
                status = indexes.status(table.name());
                if (status.spilledFiles() > 0) {
                    throw new IOException("The AUQ of " + table.name() + " was spilled to disk at " + written
                            + " rows, before it was full: other tables use the server's memory for index updates");
                }
            }
            return status.queuedBytes();
        }
    }

    /** Returns the size of a batch at first; then the estimated rest, at most {@value #MOST_ROWS_BETWEEN_CHECKS}. */
    private int rowsUntilNextCheck(long queued, long full) {
        if (queued == 0) {
            return BATCH;
        }
        long missing = (full - queued) * written / queued + 1;
        return (int) Math.min(missing, MOST_ROWS_BETWEEN_CHECKS);
    }

    /** Writes that many new rows. */
    void write(int more) throws IOException {
        int end = written + more;
        try (Table rows = bench.connection().getTable(table.name())) {
            while (written < end) {
                List<Put> puts = new ArrayList<>(BATCH);
                while (puts.size() < BATCH && written < end) {
                    int item = written++;
                    puts.add(new Put(BenchTable.key(item))
                            .addColumn(BenchTable.FAMILY, Bytes.toBytes(Items.TITLE), Items.titleBytes(item, 0)));
                }
                rows.put(puts);
            }
        }
    }

    /** Returns the key of the first row that was written. */
    byte[] someRow() {
        return BenchTable.key(0);
    }

    /** Returns how many rows were written, each once. */
    int written() {
        return written;
    }

    /** Counts the rows that the table has. */
    long count() throws IOException {
        try (Table rows = bench.connection().getTable(table.name())) {
            return RowCount.of(rows);
        }
    }

    /** Enables the index table, so that the AUQ can be drained. */
    void release() throws IOException {
        try (Admin admin = bench.connection().getAdmin()) {
            for (TableName index : indexTables()) {
                if (admin.isTableDisabled(index)) {
                    admin.enableTable(index);
                }
            }
        }
    }
}
