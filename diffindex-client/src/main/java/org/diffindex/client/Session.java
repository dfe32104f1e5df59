package org.diffindex.client;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;

/** Writes and reads by index of one client that sees its own writes at once. */
@SuppressWarnings("DoNotCallSuggester")
public final class Session implements Closeable {
    Session() {}

    /** Writes a row. */
    public void put(Put put) throws IOException {
        throw new UnsupportedOperationException();
    }

    /** Writes rows, batched. */
    public void put(List<Put> puts) throws IOException {
        throw new UnsupportedOperationException();
    }

    /** Deletes. */
    public void delete(Delete delete) throws IOException {
        throw new UnsupportedOperationException();
    }

    /** Reads by an index. */
    public IndexScanner getByIndex(IndexQuery query) throws IOException {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() throws IOException {}
}
