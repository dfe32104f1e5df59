package org.diffindex.server;

import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionServerCoprocessorEnvironment;
import org.apache.hadoop.hbase.ipc.RpcServer;
import org.apache.hadoop.hbase.regionserver.OnlineRegions;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessChecker;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.security.access.AuthManager;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.diffindex.model.IndexedColumn;

/**
 * Checks the permissions of a caller on a table, as HBase's AccessController knows them. Where the AccessController
 * does not run, every check passes. Thread-safe.
 */
final class CallPermissions {
    /**
     * The permissions of which one is needed to wait for the table's index updates: to write the table, or to own it.
     */
    static final Action[] WRITERS = {Action.WRITE, Action.CREATE, Action.ADMIN};

    /**
     * The permissions of which one is needed to read the definitions and the status of the table's indexes and to
     * report stale entries: to read or write the table, or to own it.
     */
    static final Action[] USERS = {Action.READ, Action.WRITE, Action.CREATE, Action.ADMIN};

    /**
     * The permissions of which one is needed to backfill and repair the table's indexes: those that allow a user to
     * change the table's descriptor.
     */
    static final Action[] OWNERS = {Action.CREATE, Action.ADMIN};

    /** The settings that name the coprocessors of all regions, and of all regions of users' tables. */
    private static final List<String> REGION_COPROCESSORS =
            List.of(CoprocessorHost.REGION_COPROCESSOR_CONF_KEY, CoprocessorHost.USER_REGION_COPROCESSOR_CONF_KEY);

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

    /**
     * Returns a supplier of the access checker of a region's server. It supplies empty if the AccessController does not
     * run there, as decided by the server's configuration when this method is called.
     */
    static Supplier<Optional<AccessChecker>> checkerOf(RegionCoprocessorEnvironment env) {
        return checkerOf(PerServer.configuration(env), env::getOnlineRegions);
    }

    /** Returns a supplier of the access checker of a region server, likewise. */
    static Supplier<Optional<AccessChecker>> checkerOf(RegionServerCoprocessorEnvironment env) {
        return checkerOf(env.getConfiguration(), env::getOnlineRegions);
    }

    private static Supplier<Optional<AccessChecker>> checkerOf(Configuration conf, Supplier<OnlineRegions> regions) {
        boolean controlled = isControlled(conf);
        return () -> controlled && regions.get() instanceof RegionServerServices server
                ? Optional.ofNullable(server.getAccessChecker())
                : Optional.empty();
    }

    /**
     * Returns whether servers with a configuration run HBase's own AccessController for every table of a user. The
     * permissions that another coprocessor checks, or a subclass of the AccessController, are unknown here.
     */
    static boolean isControlled(Configuration conf) {
        return AccessChecker.isAuthorizationSupported(conf)
                && REGION_COPROCESSORS.stream()
                        .flatMap(setting -> Arrays.stream(conf.getStrings(setting, new String[0])))
                        .map(CallPermissions::classOf)
                        .anyMatch(AccessController.class.getName()::equals);
    }

    /** Returns the class that an element of such a setting names: {@code CLASS}, or {@code CLASS|PRIORITY|PATH}. */
    static String classOf(String coprocessor) {
        return coprocessor.split("\\|", 2)[0].trim();
    }

    /**
     * Requires that the caller has one of the permissions on the table, on its namespace, on any part of it, or
     * globally.
     *
     * @param request the name of the call, for HBase's audit log
     * @param anyOf the permissions; at least one
     * @throws org.apache.hadoop.hbase.security.AccessDeniedException if the caller has none of them
     * @throws IOException if the caller cannot be determined
     */
    void require(String request, Action... anyOf) throws IOException {
        Optional<AccessChecker> present = checker.get();
        if (present.isPresent()) {
            present.get().requireAccess(caller(), "diffindex " + request, table, anyOf);
        }
    }

    /** Returns whether the caller may read the table, or any part of it; true if the AccessController does not run. */
    boolean mayRead() throws IOException {
        Optional<AccessChecker> present = checker.get();
        return present.isEmpty() || present.get().getAuthManager().accessUserTable(caller(), table, Action.READ);
    }

    /** Returns whether the caller may change the table's descriptor; true if the AccessController does not run. */
    boolean mayOwn() throws IOException {
        Optional<AccessChecker> present = checker.get();
        if (present.isEmpty()) {
            return true;
        }
        User caller = caller();
        AuthManager known = present.get().getAuthManager();
        return Arrays.stream(OWNERS).anyMatch(action -> known.accessUserTable(caller, table, action));
    }

    /** Returns whether the caller may read these columns in every row; true if the AccessController does not run. */
    boolean mayRead(Collection<IndexedColumn> columns) throws IOException {
        Optional<AccessChecker> present = checker.get();
        if (present.isEmpty()) {
            return true;
        }
        User caller = caller();
        AuthManager known = present.get().getAuthManager();
        return columns.stream()
                .allMatch(column ->
                        known.authorizeUserTable(caller, table, column.family(), column.qualifier(), Action.READ));
    }

    /** Returns the user of the current call; the server's own user outside of calls. */
    static User caller() throws IOException {
        Optional<User> caller = RpcServer.getRequestUser();
        return caller.isPresent() ? caller.get() : User.getCurrent();
    }
}
