package org.diffindex.ycsb;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.client.Session;

/** {@link ItemIndexes} of a cluster, through Diff-Index's client. */
final class ClusterItemIndexes implements ItemIndexes {
    private final byte[] family;
    private final Table base;
    private final IndexedTable indexed;
    private final Optional<Session> session;

    private ClusterItemIndexes(byte[] family, Table base, IndexedTable indexed, Optional<Session> session) {
        this.family = family;
        this.base = base;
        this.indexed = indexed;
        this.session = session;
    }

    static ClusterItemIndexes open(Connection connection, ItemProperties properties) throws IOException {
        Table base = connection.getTable(properties.table());
        IndexedTable indexed = new IndexedTable(connection, properties.table());
        try {
            Optional<Session> session = properties.session() ? Optional.of(indexed.openSession()) : Optional.empty();
            return new ClusterItemIndexes(Bytes.toBytes(properties.family()), base, indexed, session);
        } catch (IOException e) {
            indexed.close();
            base.close();
            throw e;
        }
    }

    @Override
    public void read(IndexQuery query, HitConsumer hits) throws IOException {
        try (IndexScanner scanner = session.isPresent() ? session.get().getByIndex(query) : indexed.getByIndex(query)) {
            for (IndexHit hit = scanner.next(); hit != null; hit = scanner.next()) {
                hits.accept(hit.row(), hit.values().get(0));
            }
        }
    }

    @Override
    public Optional<byte[]> titleOf(byte[] row) throws IOException {
        byte[] title = Bytes.toBytes(Items.TITLE);
        return Optional.ofNullable(
                base.get(new Get(row).addColumn(family, title)).getValue(family, title));
    }

    @Override
    public boolean inSession() {
        return session.isPresent();
    }

    @Override
    public void put(Put put) throws IOException {
        openSession().put(put);
    }

    @Override
    public void delete(Delete delete) throws IOException {
        openSession().delete(delete);
    }

    private Session openSession() {
        return session.orElseThrow(() -> new IllegalStateException("The workload runs without a session"));
    }

    @Override
    public void close() throws IOException {
        if (session.isPresent()) {
            session.get().close();
        }
        indexed.close();
        base.close();
    }
}
