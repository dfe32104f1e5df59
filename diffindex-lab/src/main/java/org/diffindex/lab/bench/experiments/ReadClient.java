package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.client.Session;

/**
 * A client that reads single items: by title, or by row key from the table without an index. A read fails unless it
 * returns exactly the expected cells of the item.
 */
final class ReadClient implements Load.Client {
    private final BenchTable target;
    private final Projection projection;
    private final IntSupplier items;
    private final Table table;
    private final IndexedTable indexed;
    private final Optional<Session> session;

    ReadClient(Connection connection, BenchTable target, Projection projection, IntSupplier items) throws IOException {
        this.target = target;
        this.projection = projection;
        this.items = items;
        this.table = connection.getTable(target.name());
        this.indexed = new IndexedTable(connection, target.name());
        this.session = target.contender().isInSession() ? Optional.of(indexed.openSession()) : Optional.empty();
    }

    @Override
    public void operate() throws IOException {
        int item = items.getAsInt();
        byte[] row = BenchTable.key(item);
        if (target.contender().scheme().isPresent()) {
            readByTitle(row, target.title(item));
        } else {
            readByKey(row, target.title(item));
        }
    }

    private void readByKey(byte[] row, byte[] title) throws IOException {
        Result result = table.get(projection.get(row));
        if (!projection.isOf(result, row, title)) {
            throw new IOException("A Get of " + target.name() + " did not return the row of title "
                    + Bytes.toString(title) + ": " + result);
        }
    }

    private void readByTitle(byte[] row, byte[] title) throws IOException {
        var query = projection.query(title);
        try (IndexScanner scanner = session.isPresent() ? session.get().getByIndex(query) : indexed.getByIndex(query)) {
            IndexHit hit = scanner.next();
            if (hit == null || !projection.isOf(hit, row, title) || scanner.next() != null) {
                throw new IOException(
                        "A read by index of " + target.name() + " did not return exactly the row of title "
                                + Bytes.toString(title) + ": " + (hit == null ? "nothing" : hit.toString()));
            }
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
