package org.diffindex.server.build;

import java.io.IOException;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.IndexDefinition;
import org.diffindex.protocol.DiffIndexProtos.BuildRequest;
import org.diffindex.protocol.DiffIndexProtos.BuildResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers clients that follow the build of an index, or order something for it, by the build's record. */
public final class BuildRequests {
    private static final Logger LOG = LoggerFactory.getLogger(BuildRequests.class);

    private BuildRequests() {}

    /** Returns whether a request orders something. */
    public static boolean isOrder(BuildRequest request) {
        return request.hasPaused() || request.hasRowsPerSecond() || request.getRetry();
    }

    /**
     * Records what a request orders, which the master follows soon, and returns how far the build is.
     *
     * @param connection acts as the server
     * @throws IOException if the index's table cannot be read or written
     */
    public static BuildResponse answer(Connection connection, IndexDefinition index, BuildRequest request)
            throws IOException {
        try {
            BuildRecord record = BuildRecord.of(connection, index);
            if (isOrder(request)) {
                record.order(request);
            }
            return response(record.read());
        } catch (NoSuchColumnFamilyException e) {
            LOG.debug("{} is not BUILDING any more", index, e);
            return BuildResponse.newBuilder().setBuilding(false).build();
        }
    }

    private static BuildResponse response(BuildRecord.State state) {
        BuildOrders orders = state.orders();
        BuildFamily.Totals totals = state.progress().totals();
        BuildResponse.Builder response = BuildResponse.newBuilder()
                .setBuilding(true)
                .setRows(totals.rows())
                .setEntries(totals.entries())
                .setLeftOut(totals.leftOut())
                .setRanges(state.progress().ranges())
                .setRangesDone(state.progress().rangesDone())
                .setPaused(orders.isPaused())
                .setRowsPerSecond(orders.rowsPerSecond().orElse(0));
        state.problem().ifPresent(response::setProblem);
        state.failing().ifPresent(response::setFailing);
        return response.build();
    }
}
