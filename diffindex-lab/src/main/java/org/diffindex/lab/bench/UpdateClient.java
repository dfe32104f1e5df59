package org.diffindex.lab.bench;

import java.io.IOException;
import java.util.Optional;
import java.util.Random;
import java.util.function.IntSupplier;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.client.IndexedTable;
import org.diffindex.client.Session;

/** A client that gives items new titles: whole rows, one at a time; under async-session in a session of its own. */
final class UpdateClient implements Load.Client {
    private final BenchTable target;
    private final IntSupplier items;
    private final Random random;
    private final Table table;
    private final Optional<Session> session;

    UpdateClient(Connection connection, BenchTable target, IntSupplier items, Random random) throws IOException {
        this.target = target;
        this.items = items;
        this.random = random;
        this.table = connection.getTable(target.name());
        this.session = target.contender().isInSession()
                ? Optional.of(new IndexedTable(connection, target.name()).openSession())
                : Optional.empty();
    }

    @Override
    public void operate() throws IOException {
        Put put = target.nextVersion(items.getAsInt(), random);
        if (session.isPresent()) {
            session.get().put(put);
        } else {
            table.put(put);
        }
    }

    @Override
    public void close() throws IOException {
        try (table) {
            if (session.isPresent()) {
                session.get().close();
            }
        }
    }
}
