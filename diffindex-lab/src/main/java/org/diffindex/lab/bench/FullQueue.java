package org.diffindex.lab.bench;

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
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.ServerSetting;
import org.diffindex.ycsb.Items;

/**
 * A table of one region whose AUQ is filled, by writing while its index table is disabled, as far as it gets: at half of the
 * bound a server puts the AUQ of an index that does not answer on disk, so the filling ends short of that. For one thread.
 */
final class FullQueue {
    private static final double FULL = 0.45;
    private static final int BATCH = 1_000;
    private static final int MOST_ROWS_BETWEEN_LOOKS = 4_000;

    private final Bench bench;
    private final BenchTable table;
    private int written;

    FullQueue(Bench bench, Contender contender, String suffix) {
        this.bench = bench;
        this.table = new BenchTable(contender, suffix, BATCH, 1, 1);
    }

    BenchTable table() {
        return table;
    }

    /** The table, and its index's if it has one. */
    List<TableName> tables() {
        List<TableName> tables = new ArrayList<>(List.of(table.name()));
        tables.addAll(indexTables());
        return tables;
    }

    private List<TableName> indexTables() {
        return table.definitions().stream().map(IndexDefinition::indexTable).toList();
    }

    /** How many bytes are a full AUQ. */
    private long bytesOfFull() throws IOException {
        ServerSetting bound = ServerSetting.QUEUE_MAX_BYTES;
        String bytes = bench.cluster().configuration().get(bound.key(), bound.valueUnlessSet());
        return (long) (Long.parseLong(bytes) * FULL);
    }

    /** Makes the table, empty. */
    void create() throws IOException {
        table.create(bench.connection());
    }

    /**
     * Writes new rows until the AUQ is full; the index table is disabled after it.
     *
     * @return how many bytes it takes, as the server counts
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
                write(rowsUntilNextLook(status.queuedBytes(), full));
                status = indexes.status(table.name());
                if (status.spilledFiles() > 0) {
                    throw new IOException("The AUQ of " + table.name() + " went to disk when it held " + written
                            + " rows, before it was full; the server's memory for index updates is used by others");
                }
            }
            return status.queuedBytes();
        }
    }

    /** Few at first; then as many as are missing by what the others take, if that is not too many. */
    private int rowsUntilNextLook(long queued, long full) {
        if (queued == 0) {
            return BATCH;
        }
        long missing = (full - queued) * written / queued + 1;
        return (int) Math.min(missing, MOST_ROWS_BETWEEN_LOOKS);
    }

    /** Writes as many rows as another one took, to a table without index. */
    void writeAsMany(int rows) throws IOException {
        write(rows);
    }

    private void write(int more) throws IOException {
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

    /** Some row that was written. */
    byte[] someRow() {
        return BenchTable.key(0);
    }

    /** How many rows were written. */
    int written() {
        return written;
    }

    /** Enables the index table, so that the AUQ can be delivered. */
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
