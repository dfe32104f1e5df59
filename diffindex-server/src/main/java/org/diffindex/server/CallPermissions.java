package org.diffindex.server;

import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessChecker;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.security.access.Permission.Action;

/**
 * Checks that the caller of an endpoint has one of the permissions on the table that the call needs. The permissions are those
 * of HBase's AccessController; where it does not run, every caller passes. Safe for use by many threads.
 */
final class CallPermissions {
    /** Whoever may write the table may wait for its index updates. */
    static final Action[] WRITERS = {Action.WRITE, Action.CREATE, Action.ADMIN};

    /** Whoever may use the table may know its indexes. */
    static final Action[] USERS = {Action.READ, Action.WRITE, Action.CREATE, Action.ADMIN};

    /** Whoever may change the table's descriptor may maintain its indexes. */
    static final Action[] OWNERS = {Action.CREATE, Action.ADMIN};

    private final TableName table;
    private final Supplier<Optional<AccessChecker>> checker;

    /**
     * Those on a table.
     *
     * @param checker what HBase knows of permissions; empty if it controls no access
     */
    CallPermissions(TableName table, Supplier<Optional<AccessChecker>> checker) {
        this.table = table;
        this.checker = checker;
    }

    /** Those on the table of a region. */
    static CallPermissions of(RegionCoprocessorEnvironment env) {
        return new CallPermissions(env.getRegionInfo().getTable(), checkerOf(env));
    }

    /** What the server of a region knows of permissions; empty if it controls no access. */
    static Supplier<Optional<AccessChecker>> checkerOf(RegionCoprocessorEnvironment env) {
        boolean controlled = isControlled(env.getConfiguration());
        return () -> controlled && env.getOnlineRegions() instanceof RegionServerServices server
                ? Optional.ofNullable(server.getAccessChecker())
                : Optional.empty();
    }

    /** Whether HBase's own AccessController runs; of what another coprocessor permits nothing is known. */
    static boolean isControlled(Configuration conf) {
        return AccessChecker.isAuthorizationSupported(conf)
                && Arrays.asList(conf.getTrimmedStrings(CoprocessorHost.REGION_COPROCESSOR_CONF_KEY))
                        .contains(AccessController.class.getName());
    }

    /**
     * Requires that the caller has one of the permissions on the table, or on any part of it.
     *
     * @param request the name of the call, for HBase's audit log
     * @throws org.apache.hadoop.hbase.security.AccessDeniedException if the caller has none of them
     */
    void require(String request, Action... anyOf) throws IOException {
        Optional<AccessChecker> present = checker.get();
        if (present.isPresent()) {
            present.get().requireAccess(caller(), "diffindex " + request, table, anyOf);
        }
    }

    /** Whether the caller may read the table, or any part of it. */
    boolean mayRead() throws IOException {
        Optional<AccessChecker> present = checker.get();
        return present.isEmpty() || present.get().getAuthManager().accessUserTable(caller(), table, Action.READ);
    }

    private static User caller() throws IOException {
        Optional<User> caller = RpcServer.getRequestUser();
        return caller.isPresent() ? caller.get() : User.getCurrent();
    }
}
