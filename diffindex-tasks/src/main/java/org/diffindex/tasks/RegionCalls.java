package org.diffindex.tasks;

import com.google.protobuf.ByteString;
import com.google.protobuf.ServiceException;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.protocol.DiffIndexProtos.DiffIndexService;

/**
 * Calls the endpoints of the regions of an indexed table. A call is routed by a row key; if its region moves, splits or
 * restarts, HBase's client retries as configured. Safe for use by many threads.
 */
public final class RegionCalls {
    private final Connection connection;
    private final TableName table;

    /** Creates the calls to the regions of a table. */
    public RegionCalls(Connection connection, TableName table) {
        this.connection = connection;
        this.table = table;
    }

    /** One call of the endpoint. */
    @FunctionalInterface
    public interface Call<R> {
        R on(DiffIndexService.BlockingInterface service) throws ServiceException;
    }

    /** Covers all rows of the table with calls, of which a few are made at a time. */
    public void walk(int threads, RegionWalk.Step step, RegionWalk.Progress progress) throws IOException {
        walk(List.of(KeyRange.ALL), threads, step, progress);
    }

    /** Covers the rows of some ranges, which do not overlap. */
    public void walk(Collection<KeyRange> ranges, int threads, RegionWalk.Step step, RegionWalk.Progress progress)
            throws IOException {
        try (RegionLocator locator = connection.getRegionLocator(table)) {
            new RegionWalk(locator, threads).run(ranges, step, progress);
        }
    }

    /**
     * Calls the region that holds a row.
     *
     * @throws DoNotRetryIOException if a retry cannot succeed
     * @throws IOException if the call failed otherwise
     */
    public <R> R call(byte[] row, Call<R> call) throws IOException {
        try (Table base = connection.getTable(table)) {
            return call.on(DiffIndexService.newBlockingStub(base.coprocessorService(row)));
        } catch (ServiceException e) {
            throw failure(row, e.getCause() == null ? e : e.getCause());
        }
    }

    private IOException failure(byte[] row, Throwable cause) {
        String message = "A call to the region of " + table + " that holds row '" + Bytes.toStringBinary(row)
                + "' failed: " + Messages.of(cause);
        return Retries.isFinal(cause) ? new DoNotRetryIOException(message, cause) : new IOException(message, cause);
    }

    /**
     * Returns the end key that a region has reported.
     *
     * @throws DoNotRetryIOException if it has reported none
     */
    public byte[] endOf(boolean known, ByteString end) throws IOException {
        if (!known) {
            throw new DoNotRetryIOException(
                    "A region server of " + table
                            + " does not report where its region ends; it runs an older version of Diff-Index, upgrade it first");
        }
        return end.toByteArray();
    }
}
