package org.diffindex.client;

import java.io.Closeable;
import java.io.IOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;

/** A table that is read by its indexes. */
@SuppressWarnings("DoNotCallSuggester")
public final class IndexedTable implements Closeable {
    public IndexedTable(Connection connection, TableName table) {}

    /** Reads by an index. */
    public IndexScanner getByIndex(IndexQuery query) throws IOException {
        throw new UnsupportedOperationException();
    }

    /** Opens a session with {@link SessionOptions#DEFAULT}. */
    public Session openSession() throws IOException {
        return openSession(SessionOptions.DEFAULT);
    }

    /** Opens a session. */
    public Session openSession(SessionOptions options) throws IOException {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() throws IOException {}
}
