package org.diffindex.server;

import com.google.protobuf.Service;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionServerCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionServerCoprocessorEnvironment;
import org.apache.hadoop.hbase.security.access.AccessChecker;

/**
 * The coprocessor of a region server: reports the server's versions and settings, even if the server has no region with
 * an index, and what it knows of permissions. A server that is configured to load it but lacks Diff-Index's jar does not start, so that no region of an
 * indexed table moves to a server that cannot maintain its indexes.
 */
public final class IndexServerEndpoint implements RegionServerCoprocessor {
    private volatile Inspection inspection;
    private volatile Supplier<Optional<AccessChecker>> checker = Optional::empty;

    @Override
    public Iterable<Service> getServices() {
        return Set.of(new InspectionEndpoint(() -> inspection), new ReadersEndpoint(() -> checker.get()));
    }

    @Override
    @SuppressWarnings("rawtypes") // as HBase declares it
    public void start(CoprocessorEnvironment env) {
        RegionServerCoprocessorEnvironment server = (RegionServerCoprocessorEnvironment) env;
        checker = CallPermissions.checkerOf(server);
        inspection = new Inspection(server.getServerName(), server.getConfiguration(), List.of());
    }
}
