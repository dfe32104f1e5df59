package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.Superusers;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessChecker;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.hbase.security.access.PermissionStorage;
import org.apache.hadoop.hbase.security.access.UserPermission;
import org.apache.hbase.thirdparty.com.google.common.collect.ArrayListMultimap;
import org.apache.hbase.thirdparty.com.google.common.collect.ListMultimap;
import org.diffindex.protocol.DiffIndexProtos.ReadersRequest;
import org.diffindex.protocol.DiffIndexProtos.ReadersResponse;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests what a region server tells of the permissions that it knows. */
class ReadersEndpointTest {
    private static final TableName TABLE = TableName.valueOf("ns:flights.by_origin.2");

    private final Configuration conf = new Configuration(false);
    private AccessChecker checker;

    @BeforeEach
    void control() throws IOException {
        conf.setBoolean(User.HBASE_SECURITY_AUTHORIZATION_CONF_KEY, true);
        conf.set(Superusers.SUPERUSER_CONF_KEY, "admin");
        Superusers.initialize(conf);
        checker = new AccessChecker(conf);
    }

    /** Lets the server know these permissions on the table. */
    private void known(UserPermission... permissions) throws IOException {
        ListMultimap<String, UserPermission> byUser = ArrayListMultimap.create();
        for (UserPermission permission : permissions) {
            byUser.put(permission.getUser(), permission);
        }
        checker.getAuthManager()
                .refreshTableCacheFromWritable(TABLE, PermissionStorage.writePermissionsAsBytes(byUser, conf));
    }

    private static UserPermission may(String user, Action... actions) {
        return new UserPermission(
                user, Permission.newBuilder(TABLE).withActions(actions).build());
    }

    private ReadersResponse ask(String caller, Optional<AccessChecker> present, String... readers) throws Exception {
        ReadersRequest request = ReadersRequest.newBuilder()
                .setTable("ns:flights.by_origin.2")
                .addAllReaders(List.of(readers))
                .build();
        ServerRpcController controller = new ServerRpcController();
        AtomicReference<ReadersResponse> response = new AtomicReference<>();
        User.createUserForTesting(conf, caller, new String[0]).runAs((PrivilegedExceptionAction<Void>) () -> {
            new ReadersEndpoint(() -> present).readers(controller, request, response::set);
            return null;
        });
        if (controller.failedOnException()) {
            throw controller.getFailedOn();
        }
        return response.get();
    }

    @Test
    void namesTheUsersAndGroupsOfWhichTheServerDoesNotKnowYetThatTheyMayRead() throws Exception {
        Optional<AccessChecker> present = Optional.of(checker);
        assertThat(ask("admin", present, "reader", "@staff").getLackingList()).containsExactly("reader", "@staff");
        known(may("reader", Action.READ), may("writer", Action.WRITE));
        assertThat(ask("admin", present, "reader", "writer", "@staff").getLackingList())
                .containsExactly("writer", "@staff");
        known(may("reader", Action.READ), may("@staff", Action.READ, Action.WRITE));
        assertThat(ask("admin", present, "reader", "@staff").getLackingList()).isEmpty();
    }

    @Test
    void everybodyMayReadIfNothingControlsAccess() throws Exception {
        assertThat(ask("admin", Optional.empty(), "reader").getLackingList()).isEmpty();
    }

    /** The permissions of others on a table are told to superusers only. */
    @Test
    void answersSuperusersOnly() throws Exception {
        known(may("reader", Action.READ));
        assertThatThrownBy(() -> ask("reader", Optional.of(checker), "reader"))
                .isInstanceOf(AccessDeniedException.class)
                .hasMessageContaining("reader may not ask");
    }
}
