package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.client.IndexedTable;
import org.diffindex.client.Session;
import org.diffindex.lab.bench.rivals.ItemRow;
import org.diffindex.lab.bench.rivals.ItemWriter;

/** Writes rows of a table: under async-session in a session of its own, otherwise with plain puts. For one thread. */
final class RowWriter implements ItemWriter {
    private final Table table;
    private final IndexedTable indexed;
    private final Optional<Session> session;

    RowWriter(Connection connection, BenchTable target) throws IOException {
        this.table = connection.getTable(target.name());
        this.indexed = new IndexedTable(connection, target.name());
        this.session = target.contender().isInSession() ? Optional.of(indexed.openSession()) : Optional.empty();
    }

    @Override
    public void put(ItemRow row) throws IOException {
        Put put = BenchTable.put(row);
        if (session.isPresent()) {
            session.get().put(put);
        } else {
            table.put(put);
        }
    }

    /** Writes several rows in one call. */
    @Override
    public void put(List<ItemRow> rows) throws IOException {
        List<Put> puts = new ArrayList<>(rows.size());
        rows.forEach(row -> puts.add(BenchTable.put(row)));
        if (session.isPresent()) {
            session.get().put(puts);
        } else {
            table.put(puts);
        }
    }

    @Override
    public void close() throws IOException {
        try (table;
                indexed) {
            if (session.isPresent()) {
                session.get().close();
            }
        }
    }
}
