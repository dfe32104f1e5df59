package org.diffindex.verify;

import com.google.protobuf.ServiceException;
import java.io.IOException;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.protocol.DiffIndexProtos.DiffIndexService;
import org.diffindex.protocol.DiffIndexProtos.StatusRequest;
import org.diffindex.protocol.DiffIndexProtos.StatusResponse;

/** Asks the regions of a base table for the latest stamps that they have issued, with one call for each region. */
final class StampCalls {
    private final Connection connection;
    private final TableName name;

    StampCalls(Connection connection, TableName name) {
        this.connection = connection;
        this.name = name;
    }

    /**
     * Returns, for each row, a stamp that no write of the row has exceeded; {@link Long#MAX_VALUE} if its region does
     * not report one.
     */
    long[] latest(List<byte[]> rows) throws IOException {
        NavigableMap<byte[], Long> latest = new TreeMap<>(Bytes.BYTES_COMPARATOR);
        rows.forEach(row -> latest.put(row, Long.MAX_VALUE));
        try (Table base = connection.getTable(name)) {
            NavigableMap<byte[], Long> left = latest;
            while (!left.isEmpty()) {
                StatusResponse region = statusAt(base, left.firstKey());
                byte[] end = region.getRegionEnd().toByteArray();
                NavigableMap<byte[], Long> within = end.length == 0 ? left : left.headMap(end, false);
                if (within.isEmpty()) {
                    throw new IOException("A region of " + name + " was asked about row "
                            + Bytes.toStringBinary(left.firstKey()) + " but ends before it, at "
                            + Bytes.toStringBinary(end) + "; scrub again");
                }
                long stamp = region.hasLatestStamp() ? region.getLatestStamp() : Long.MAX_VALUE;
                within.replaceAll((row, unknown) -> stamp);
                left = end.length == 0 ? new TreeMap<>(Bytes.BYTES_COMPARATOR) : left.tailMap(end, true);
            }
        }
        return rows.stream().mapToLong(latest::get).toArray();
    }

    private StatusResponse statusAt(Table base, byte[] row) throws IOException {
        try {
            return DiffIndexService.newBlockingStub(base.coprocessorService(row))
                    .status(null, StatusRequest.getDefaultInstance());
        } catch (ServiceException e) {
            throw new IOException(
                    "The region of " + name + " that holds row '" + Bytes.toStringBinary(row)
                            + "' did not report its latest stamp: "
                            + (e.getCause() == null ? e : e.getCause()).getMessage() + "; scrub again",
                    e);
        }
    }
}
