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
 * Checks that the caller of an endpoint has one of the permissions on the table that the call requires. The permissions
 * are those of HBase's AccessController; where that does not run, every caller passes. Thread-safe.
 */
final class CallPermissions {
    /** Permissions to write the table; each allows waiting for its index updates. */
    static final Action[] WRITERS = {Action.WRITE, Action.CREATE, Action.ADMIN};

    /** Permissions to use the table; each allows reading the definitions of its indexes. */
    static final Action[] USERS = {Action.READ, Action.WRITE, Action.CREATE, Action.ADMIN};

    /** Permissions to change the table's descriptor; each allows maintaining its indexes. */
    static final Action[] OWNERS = {Action.CREATE, Action.ADMIN};

    private final TableName table;
    private final Supplier<Optional<AccessChecker>> checker;

    /**
     * Creates the checks for a table.
     *
     * @param checker returns HBase's access checker; empty if it controls no access
     */
    CallPermissions(TableName table, Supplier<Optional<AccessChecker>> checker) {
        this.table = table;
        this.checker = checker;
    }

    /** Returns the checks for the table of a region. */
    static CallPermissions of(RegionCoprocessorEnvironment env) {
        return new CallPermissions(env.getRegionInfo().getTable(), checkerOf(env));
    }

    /** Returns a supplier of the access checker of a region's server; it supplies empty if HBase controls no access. */
    static Supplier<Optional<AccessChecker>> checkerOf(RegionCoprocessorEnvironment env) {
        boolean controlled = isControlled(env.getConfiguration());
        return () -> controlled && env.getOnlineRegions() instanceof RegionServerServices server
                ? Optional.ofNullable(server.getAccessChecker())
                : Optional.empty();
    }

    /** Returns whether HBase's own AccessController runs; the permissions of any other coprocessor are unknown. */
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

    /** Returns whether the caller may read the table, or any part of it. */
    boolean mayRead() throws IOException {
        Optional<AccessChecker> present = checker.get();
        return present.isEmpty() || present.get().getAuthManager().accessUserTable(caller(), table, Action.READ);
    }

    private static User caller() throws IOException {
        Optional<User> caller = RpcServer.getRequestUser();
        return caller.isPresent() ? caller.get() : User.getCurrent();
    }
}
