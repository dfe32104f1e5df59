package org.diffindex.cli.bench;

import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.client.Session;

/**
 * A client that reads single items: by title, the row keys only, or, from the table without index, by row key the whole row.
 * A read that does not find its item and nothing else is an error.
 */
final class ReadClient implements Load.Client {
    private final BenchTable target;
    private final IntSupplier items;
    private final Table table;
    private final IndexedTable indexed;
    private final Optional<Session> session;

    ReadClient(Connection connection, BenchTable target, IntSupplier items) throws IOException {
        this.target = target;
        this.items = items;
        this.table = connection.getTable(target.name());
        this.indexed = new IndexedTable(connection, target.name());
        this.session = target.contender().isInSession() ? Optional.of(indexed.openSession()) : Optional.empty();
    }

    @Override
    public void operate() throws IOException {
        int item = items.getAsInt();
        if (target.contender().scheme().isPresent()) {
            readByTitle(item);
        } else if (table.get(new Get(BenchTable.key(item))).isEmpty()) {
            throw new IOException("There is no row of item " + item + " in " + target.name());
        }
    }

    private void readByTitle(int item) throws IOException {
        byte[] title = target.title(item);
        IndexQuery query =
                IndexQuery.index(BenchTable.BY_TITLE).equalTo((Object) title).build();
        try (IndexScanner scanner = session.isPresent() ? session.get().getByIndex(query) : indexed.getByIndex(query)) {
            IndexHit hit = scanner.next();
            if (hit == null || !Arrays.equals(hit.row(), BenchTable.key(item)) || scanner.next() != null) {
                throw new IOException("A read by index of " + target.name() + " does not find the one row of title "
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
