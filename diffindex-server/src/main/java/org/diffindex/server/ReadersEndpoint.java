package org.diffindex.server;

import com.google.protobuf.RpcCallback;
import com.google.protobuf.RpcController;
import java.io.IOException;
import java.security.PrivilegedAction;
import java.security.PrivilegedExceptionAction;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.ipc.CoprocessorRpcUtils;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.Superusers;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessChecker;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.diffindex.protocol.DiffIndexProtos.PermissionService;
import org.diffindex.protocol.DiffIndexProtos.ReadersRequest;
import org.diffindex.protocol.DiffIndexProtos.ReadersResponse;

/**
 * The endpoint of a region server that tells which users and groups may not read a table as far as the server knows: HBase's
 * servers learn from ZooKeeper of a permission that was granted, each in its own time. Answers superusers only, as one of whom the
 * master asks. Thread-safe if the given supplier is.
 */
final class ReadersEndpoint extends PermissionService {
    private final Supplier<Optional<AccessChecker>> checker;

    /**
     * Creates the endpoint of a server.
     *
     * @param checker returns HBase's access checker; empty if it controls no access, so that everybody may read everything
     */
    ReadersEndpoint(Supplier<Optional<AccessChecker>> checker) {
        this.checker = checker;
    }

    @Override
    public void readers(RpcController controller, ReadersRequest request, RpcCallback<ReadersResponse> done) {
        ReadersResponse response = null;
        try {
            RequestFields.requireKnown(request);
            requireSuperuser();
            response = lacking(request);
        } catch (IOException e) {
            CoprocessorRpcUtils.setControllerException(controller, e);
        } catch (RuntimeException e) {
            CoprocessorRpcUtils.setControllerException(
                    controller, new DoNotRetryIOException("Diff-Index failed unexpectedly: " + e, e));
        }
        done.run(response);
    }

    private static void requireSuperuser() throws IOException {
        User caller = CallPermissions.caller();
        if (!Superusers.isSuperUser(caller)) {
            throw new AccessDeniedException("User " + caller.getShortName()
                    + " may not ask who may read a table; only superusers of HBase may");
        }
    }

    private ReadersResponse lacking(ReadersRequest request) {
        ReadersResponse.Builder response = ReadersResponse.newBuilder();
        Optional<AccessChecker> present = checker.get();
        if (present.isPresent()) {
            TableName table = TableName.valueOf(request.getTable());
            request.getReadersList().stream()
                    .filter(reader ->
                            !present.get().getAuthManager().authorizeUserTable(new Grantee(reader), table, Action.READ))
                    .forEach(response::addLacking);
        }
        return response.build();
    }

    /** A user without groups, or a group, as HBase's permissions name them. Nothing runs as it. */
    private static final class Grantee extends User {
        private final String name;

        Grantee(String name) {
            this.name = name;
        }

        @Override
        public String getName() {
            return name;
        }

        @Override
        public String getShortName() {
            return name;
        }

        @Override
        public String[] getGroupNames() {
            return new String[0];
        }

        @Override
        public <T> T runAs(PrivilegedAction<T> action) {
            throw new UnsupportedOperationException();
        }

        @Override
        public <T> T runAs(PrivilegedExceptionAction<T> action) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Grantee grantee && grantee.name.equals(name);
        }

        @Override
        public int hashCode() {
            return name.hashCode();
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
