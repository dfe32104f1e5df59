package org.diffindex.server;

import java.util.Objects;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.diffindex.server.local.LocalRegion;

/** Finds the parts that the regions of a server share. */
final class ServerParts {
    private ServerParts() {}

    /**
     * Returns the parts of the region's own server; HBase's shared data holds those of other servers of the JVM too.
     */
    static ServerIndexing of(LocalRegion local) {
        RegionCoprocessorEnvironment environment =
                local.region().getCoprocessorHost().findCoprocessorEnvironment(IndexObserver.class.getName());
        Object shared = environment.getSharedData().get(PerServer.keyOf(environment, ServerIndexing.class));
        return Objects.requireNonNull(PerServer.valueOf(shared, ServerIndexing.class), "The region is closed");
    }
}
