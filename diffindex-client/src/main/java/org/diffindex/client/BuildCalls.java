package org.diffindex.client;

import java.io.IOException;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.diffindex.protocol.DiffIndexProtos.BuildRequest;
import org.diffindex.protocol.DiffIndexProtos.BuildResponse;
import org.diffindex.tasks.RegionCalls;

/**
 * Asks about the builds of indexes, and orders something for them. The master builds, but HBase admits only users with ADMIN
 * on the whole cluster to calls to a master; so the first region of the base table answers by what the build has recorded.
 */
final class BuildCalls {
    private final Connection connection;

    BuildCalls(Connection connection) {
        this.connection = connection;
    }

    /** Returns how far the build of an index is; empty if the index is not BUILDING. */
    Optional<BuildStatus> status(IndexDefinition index) throws IOException {
        return order(index, request -> request);
    }

    /** Orders something for the build of an index; returns how far it is, empty if the index is not BUILDING. */
    Optional<BuildStatus> order(IndexDefinition index, UnaryOperator<BuildRequest.Builder> orders) throws IOException {
        BuildRequest request = orders.apply(
                        BuildRequest.newBuilder().setIndex(index.name()).setIndexId(index.id()))
                .build();
        BuildResponse response = new RegionCalls(connection, index.table())
                .call(HConstants.EMPTY_START_ROW, service -> service.build(null, request));
        return response.getBuilding() ? Optional.of(statusOf(response)) : Optional.empty();
    }

    private static BuildStatus statusOf(BuildResponse response) {
        return new BuildStatus(
                response.getRows(),
                response.getEntries(),
                response.getLeftOut(),
                response.getRangesDone(),
                response.getRanges(),
                response.getPaused(),
                response.getRowsPerSecond() > 0
                        ? OptionalDouble.of(response.getRowsPerSecond())
                        : OptionalDouble.empty(),
                response.hasJob() ? Optional.of(response.getJob()) : Optional.empty(),
                response.hasProblem() ? Optional.of(response.getProblem()) : Optional.empty(),
                response.hasFailing() ? Optional.of(response.getFailing()) : Optional.empty());
    }

    /**
     * Returns the status of a build that has ended.
     *
     * @throws org.apache.hadoop.hbase.DoNotRetryIOException if no master has begun it
     */
    static BuildStatus ended(Admin admin, IndexDefinition index) throws IOException {
        Optional<TableDescriptor> own = Descriptors.findVisible(admin, index.indexTable());
        if (own.filter(BuildWait::isLeftToAClient).isPresent()) {
            throw CreationChecks.refusal(
                    "Index " + index.name() + " of " + index.table() + " is BUILDING, but " + BuildWait.LEFT_TO_A_CLIENT
                            + ". Create it again with the same definition, and the master builds it");
        }
        if (own.filter(found -> IndexDefinitions.stateOf(found) == IndexState.DISABLED)
                .isPresent()) {
            throw CreationChecks.refusal("Index " + index.name() + " of " + index.table()
                    + " is being disabled, or its disabling was interrupted: disable it again, or enable it");
        }
        if (own.filter(IndexDefinitions::isDropping).isPresent()) {
            throw CreationChecks.refusal("Index " + index.name() + " of " + index.table()
                    + " is being dropped, or its drop was interrupted: drop it again");
        }
        return BuildStatus.complete(own.flatMap(BuildFamily::totals).orElse(BuildFamily.Totals.NONE));
    }
}
