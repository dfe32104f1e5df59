package org.diffindex.server.build;

import com.google.protobuf.ByteString;
import java.io.IOException;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.regionserver.NoSuchColumnFamilyException;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.IndexDefinition;
import org.diffindex.protocol.DiffIndexProtos.BuildRequest;
import org.diffindex.protocol.DiffIndexProtos.BuildResponse;
import org.diffindex.protocol.DiffIndexProtos.RowRange;
import org.diffindex.tasks.KeyRange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers clients that follow the build of an index, order something for it, or take part in it, by the build's record. */
public final class BuildRequests {
    private static final Logger LOG = LoggerFactory.getLogger(BuildRequests.class);

    private BuildRequests() {}

    /** Returns whether a request changes something, or asks for ranges, whose ends are keys of rows. */
    public static boolean isOrder(BuildRequest request) {
        return isOrderForMaster(request) || request.hasBackfilled() || request.hasGapsWithin();
    }

    private static boolean isOrderForMaster(BuildRequest request) {
        return request.hasPaused()
                || request.hasRowsPerSecond()
                || request.getRetry()
                || request.hasBeginJob()
                || request.hasEndJob()
                || request.hasRanges();
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
            if (isOrderForMaster(request)) {
                record.order(request);
            }
            if (request.hasBackfilled()) {
                record.backfilled(request.getBackfilled());
            }
            BuildResponse.Builder response = response(record.read());
            if (request.hasGapsWithin()) {
                addGaps(record.coverage(), request.getGapsWithin(), response);
            }
            return response.build();
        } catch (NoSuchColumnFamilyException e) {
            LOG.debug("{} is not BUILDING any more", index, e);
            return BuildResponse.newBuilder().setBuilding(false).build();
        }
    }

    private static void addGaps(Coverage covered, RowRange within, BuildResponse.Builder response) {
        KeyRange asked =
                new KeyRange(within.getStart().toByteArray(), within.getEnd().toByteArray());
        for (KeyRange gap : covered.gapsWithin(asked)) {
            response.addGaps(RowRange.newBuilder()
                    .setStart(ByteString.copyFrom(gap.start()))
                    .setEnd(ByteString.copyFrom(gap.end())));
        }
    }

    private static BuildResponse.Builder response(BuildRecord.State state) {
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
                .setRowsPerSecond(orders.rowsPerSecond().orElse(0))
                .setChanges(state.claim().changes());
        state.problem().ifPresent(response::setProblem);
        state.failing().ifPresent(response::setFailing);
        state.claim().job().ifPresent(response::setJob);
        return response;
    }
}
