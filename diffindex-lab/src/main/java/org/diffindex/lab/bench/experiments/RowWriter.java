package org.diffindex.lab.bench.experiments;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.client.IndexedTable;
import org.diffindex.client.Session;

/** Writes rows of a table: under async-session in a session of its own, otherwise with plain puts. For one thread. */
final class RowWriter implements Closeable {
    private final Table table;
    private final IndexedTable indexed;
    private final Optional<Session> session;

    RowWriter(Connection connection, BenchTable target) throws IOException {
        this.table = connection.getTable(target.name());
        this.indexed = new IndexedTable(connection, target.name());
        this.session = target.contender().isInSession() ? Optional.of(indexed.openSession()) : Optional.empty();
    }

    /** Writes one row. */
    void put(Put row) throws IOException {
        if (session.isPresent()) {
            session.get().put(row);
        } else {
            table.put(row);
        }
    }

    /** Writes several rows in one call. */
    void put(List<Put> rows) throws IOException {
        if (session.isPresent()) {
            session.get().put(rows);
        } else {
            table.put(rows);
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
