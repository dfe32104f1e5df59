package org.diffindex.server.deliver;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Table;

/**
 * Writes index updates with HBase's client: one batched call for each index table, the tables side by side. Always
 * batched, since on a region server's short path a batch runs as the server, a single put as the calling user.
 */
public final class IndexWriter implements IndexSink {
    /** Opens the connection on first use, off the path that opens regions. */
    public interface Connections {
        Connection get() throws IOException;
    }

    private final Connections connections;
    private final ExecutorService pool;

    /** A writer that runs calls on the given pool when it writes to more than one index table. */
    public IndexWriter(Connections connections, ExecutorService pool) {
        this.connections = connections;
        this.pool = pool;
    }

    @Override
    public void write(List<IndexUpdate> updates) throws IOException {
        Map<TableName, List<Mutation>> byTable = new LinkedHashMap<>();
        for (IndexUpdate update : updates) {
            byTable.computeIfAbsent(update.table(), table -> new ArrayList<>()).add(update.mutation());
        }
        List<Future<?>> others = new ArrayList<>();
        Map.Entry<TableName, List<Mutation>> own = null;
        for (Map.Entry<TableName, List<Mutation>> each : byTable.entrySet()) {
            if (own == null) {
                own = each;
            } else {
                others.add(pool.submit(() -> {
                    writeTable(each.getKey(), each.getValue());
                    return null;
                }));
            }
        }
        if (own != null) {
            writeAll(own, others);
        }
    }

    /** Writes one table on this thread; whatever comes of it, waits for the others. */
    private void writeAll(Map.Entry<TableName, List<Mutation>> own, List<Future<?>> others) throws IOException {
        IOException failure = null;
        try {
            writeTable(own.getKey(), own.getValue());
        } catch (IOException e) {
            failure = e;
        }
        for (Future<?> other : others) {
            try {
                other.get();
            } catch (ExecutionException e) {
                failure = new IOException(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw (IOException) new InterruptedIOException("Interrupted while writing index updates").initCause(e);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void writeTable(TableName table, List<Mutation> mutations) throws IOException {
        try (Table indexTable = connections.get().getTable(table)) {
            mutations.sort(
                    Comparator.comparing(Delete.class::isInstance)); // HBase gives what follows a put its priority
            indexTable.batch(mutations, new Object[mutations.size()]);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("Interrupted while writing to " + table).initCause(e);
        }
    }
}
