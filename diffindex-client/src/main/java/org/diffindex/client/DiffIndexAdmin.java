package org.diffindex.client;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.model.IndexDefinition;

/** Makes, drops, lists and watches indexes. */
@SuppressWarnings("DoNotCallSuggester")
public final class DiffIndexAdmin implements Closeable {
    /** An admin that works through a connection, which it does not close. */
    public DiffIndexAdmin(Connection connection) throws IOException {}

    /** As {@link #createIndex(IndexDefinition, FillListener)}, with nobody listening. */
    public void createIndex(IndexDefinition definition) throws IOException {
        createIndex(definition, FillListener.NONE);
    }

    /** Makes an index. */
    public void createIndex(IndexDefinition definition, FillListener progress) throws IOException {
        throw new UnsupportedOperationException();
    }

    /** Drops an index. */
    public void dropIndex(TableName table, String index) throws IOException {
        throw new UnsupportedOperationException();
    }

    /** The indexes of a table, by name. */
    public List<IndexDefinition> listIndexes(TableName table) throws IOException {
        throw new UnsupportedOperationException();
    }

    /** The indexes of all tables, by table and name. */
    public List<IndexDefinition> listIndexes() throws IOException {
        throw new UnsupportedOperationException();
    }

    /** One index. */
    public IndexDefinition describeIndex(TableName table, String index) throws IOException {
        throw new UnsupportedOperationException();
    }

    /** Waits until every index update that was accepted before the call is delivered; returns how many are not. */
    public long drain(TableName table, Duration timeout) throws IOException {
        throw new UnsupportedOperationException();
    }

    /** The upkeep of a table's indexes. */
    public IndexStatus status(TableName table) throws IOException {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() throws IOException {}
}
