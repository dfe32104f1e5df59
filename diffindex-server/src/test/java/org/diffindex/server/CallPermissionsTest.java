package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Message;
import java.io.IOException;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.Superusers;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessChecker;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.hbase.security.access.PermissionStorage;
import org.apache.hadoop.hbase.security.access.UserPermission;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.common.collect.ArrayListMultimap;
import org.apache.hbase.thirdparty.com.google.common.collect.ListMultimap;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexedColumn;
import org.diffindex.protocol.DiffIndexProtos.BuildRequest;
import org.diffindex.protocol.DiffIndexProtos.DiffIndexService;
import org.diffindex.protocol.DiffIndexProtos.Repair;
import org.diffindex.protocol.DiffIndexProtos.RepairRequest;
import org.diffindex.server.local.Flights;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests that every call of the endpoint requires a suitable permission and has bounds. */
class CallPermissionsTest {
    private static final Map<Action, Set<String>> ALLOWED = Map.of(
            Action.READ, Set.of("Status", "Definitions", "ReportStale", "Check", "Build"),
            Action.WRITE, Set.of("Status", "Definitions", "ReportStale", "Check", "Build", "Drain"),
            Action.CREATE, Set.of("Status", "Definitions", "ReportStale", "Check", "Build", "Drain", "Fill", "Repair"),
            Action.ADMIN, Set.of("Status", "Definitions", "ReportStale", "Check", "Build", "Drain", "Fill", "Repair"),
            Action.EXEC, Set.of());

    private final Configuration conf = new Configuration(false);
    private AccessChecker checker;

    @BeforeEach
    void control() throws IOException {
        conf.setBoolean(User.HBASE_SECURITY_AUTHORIZATION_CONF_KEY, true);
        Superusers.initialize(conf);
        checker = new AccessChecker(conf);
    }

    private IndexEndpoint endpoint(Optional<AccessChecker> present) {
        return new IndexEndpoint(
                () -> null, () -> null, () -> null, () -> new CallPermissions(Flights.TABLE, () -> present));
    }

    private void grant(String user, Action action) throws IOException {
        grant(user, Permission.newBuilder(Flights.TABLE).withActions(action).build());
    }

    private void grant(String user, Permission permission) throws IOException {
        ListMultimap<String, UserPermission> permissions = ArrayListMultimap.create();
        permissions.put(user, new UserPermission(user, permission));
        checker.getAuthManager()
                .refreshTableCacheFromWritable(
                        Flights.TABLE, PermissionStorage.writePermissionsAsBytes(permissions, conf));
    }

    /** Returns the failure of each call of the endpoint, by its name, when a user makes it. */
    private Map<String, IOException> failures(String user, IndexEndpoint endpoint) throws Exception {
        Map<String, IOException> failures = new TreeMap<>();
        for (MethodDescriptor method : DiffIndexService.getDescriptor().getMethods()) {
            failures.put(method.getName(), failure(user, endpoint, method, endpoint.getRequestPrototype(method)));
        }
        return failures;
    }

    private IOException failure(String user, IndexEndpoint endpoint, MethodDescriptor method, Message request)
            throws Exception {
        ServerRpcController controller = new ServerRpcController();
        User.createUserForTesting(conf, user, new String[0]).runAs((PrivilegedExceptionAction<Void>) () -> {
            endpoint.callMethod(method, controller, request, answer -> {});
            return null;
        });
        return controller.getFailedOn();
    }

    private Set<String> allowed(String user) throws Exception {
        Set<String> allowed = new TreeSet<>();
        failures(user, endpoint(Optional.of(checker))).forEach((call, failure) -> {
            if (!(failure instanceof AccessDeniedException)) {
                allowed.add(call);
            }
        });
        return allowed;
    }

    @Test
    void refusesEveryCallOfAUserWithoutPermissions() throws Exception {
        assertThat(allowed("stranger")).isEmpty();
    }

    @Test
    void eachCallRequiresASuitablePermission() throws Exception {
        for (Map.Entry<Action, Set<String>> entry : ALLOWED.entrySet()) {
            grant("user", entry.getKey());
            assertThat(allowed("user")).as(entry.getKey().toString()).isEqualTo(entry.getValue());
        }
    }

    @Test
    void onlyOwnersOrderSomethingForABuild() throws Exception {
        grant("writer", Action.WRITE);
        assertThat(failuresOfOrders("writer"))
                .allSatisfy(failure -> assertThat(failure).isInstanceOf(AccessDeniedException.class));
        grant("owner", Action.CREATE);
        assertThat(failuresOfOrders("owner"))
                .noneSatisfy(failure -> assertThat(failure).isInstanceOf(AccessDeniedException.class));
    }

    private List<IOException> failuresOfOrders(String user) throws Exception {
        MethodDescriptor build = DiffIndexService.getDescriptor().findMethodByName("Build");
        BuildRequest nothing =
                BuildRequest.newBuilder().setIndex("i").setIndexId("id").build();
        List<IOException> failures = new ArrayList<>();
        for (BuildRequest order : List.of(
                nothing.toBuilder().setPaused(false).build(),
                nothing.toBuilder().setRowsPerSecond(0).build(),
                nothing.toBuilder().setRetry(true).build())) {
            failures.add(failure(user, endpoint(Optional.of(checker)), build, order));
        }
        return failures;
    }

    @Test
    void onlyUsersWithReadPermissionMayReadIfAccessIsControlled() throws Exception {
        grant("reader", Action.READ);
        assertThat(mayRead("reader", Optional.of(checker))).isTrue();
        grant("writer", Action.WRITE);
        assertThat(mayRead("writer", Optional.of(checker))).isFalse();
        assertThat(mayRead("stranger", Optional.empty())).isTrue();
    }

    private boolean mayRead(String user, Optional<AccessChecker> present) throws Exception {
        return User.createUserForTesting(conf, user, new String[0]).runAs((PrivilegedExceptionAction<Boolean>)
                () -> new CallPermissions(Flights.TABLE, () -> present).mayRead());
    }

    @Test
    void aCallerMayReadColumnsOnlyIfAllOfThemAreGranted() throws Exception {
        grant("table", reading().build());
        assertThat(mayReadColumns("table", Optional.of(checker))).isTrue();
        grant("family", reading().withFamily(Flights.F).build());
        assertThat(mayReadColumns("family", Optional.of(checker))).isTrue();
        grant(
                "column",
                reading()
                        .withFamily(Flights.F)
                        .withQualifier(Bytes.toBytes("origin"))
                        .build());
        assertThat(mayReadColumns("column", Optional.of(checker))).isFalse();
        assertThat(mayReadColumns("stranger", Optional.of(checker))).isFalse();
        assertThat(mayReadColumns("stranger", Optional.empty())).isTrue();
    }

    private static Permission.Builder reading() {
        return Permission.newBuilder(Flights.TABLE).withActions(Action.READ);
    }

    private boolean mayReadColumns(String user, Optional<AccessChecker> present) throws Exception {
        List<IndexedColumn> columns =
                Flights.byOriginAndDate(IndexScheme.SYNC_INSERT).readColumns();
        return User.createUserForTesting(conf, user, new String[0]).runAs((PrivilegedExceptionAction<Boolean>)
                () -> new CallPermissions(Flights.TABLE, () -> present).mayRead(columns));
    }

    @Test
    void allowsEveryCallWithoutAccessControl() throws Exception {
        assertThat(failures("stranger", endpoint(Optional.empty())).values())
                .noneMatch(AccessDeniedException.class::isInstance);
    }

    @Test
    void accessIsControlledIfTheAccessControllerRunsAndAuthorizationIsOn() {
        assertThat(CallPermissions.isControlled(conf)).isFalse();
        conf.setStrings(CoprocessorHost.REGION_COPROCESSOR_CONF_KEY, "another", AccessController.class.getName());
        assertThat(CallPermissions.isControlled(conf)).isTrue();
        conf.setBoolean(User.HBASE_SECURITY_AUTHORIZATION_CONF_KEY, false);
        assertThat(CallPermissions.isControlled(conf)).isFalse();
    }

    @Test
    void recognizesTheAccessControllerInEveryFormOfTheSettings() {
        for (String setting : List.of(
                CoprocessorHost.REGION_COPROCESSOR_CONF_KEY, CoprocessorHost.USER_REGION_COPROCESSOR_CONF_KEY)) {
            for (String form : List.of("%s", " %s ", "%s|1000", " %s |1000|", "%s||hdfs:/access.jar")) {
                Configuration named = new Configuration(conf);
                named.set(setting, "another," + form.formatted(AccessController.class.getName()));
                assertThat(CallPermissions.isControlled(named))
                        .as("%s = %s", setting, named.get(setting))
                        .isTrue();
            }
        }
    }

    /** HBase adds the values of a table to the configuration of its coprocessors. */
    @Test
    void aTableCannotTurnOffTheAccessControlOfItsServer() {
        conf.set(CoprocessorHost.REGION_COPROCESSOR_CONF_KEY, AccessController.class.getName());
        Configuration ofTable = new Configuration(conf);
        ofTable.setBoolean(User.HBASE_SECURITY_AUTHORIZATION_CONF_KEY, false);
        RegionServerServices server = mock();
        when(server.getConfiguration()).thenReturn(conf);
        when(server.getAccessChecker()).thenReturn(checker);
        RegionCoprocessorEnvironment region = mock();
        when(region.getConfiguration()).thenReturn(ofTable);
        when(region.getOnlineRegions()).thenReturn(server);
        assertThat(CallPermissions.checkerOf(region).get()).hasValue(checker);
    }

    @Test
    void boundsTheNumberOfRepairsAndTheLengthOfTheirKeys() {
        Repair repair = Repair.newBuilder().setRow(ByteString.copyFromUtf8("r")).build();
        RepairRequest.Builder many = RepairRequest.newBuilder().setIndex("i");
        for (int i = 0; i < IndexEndpoint.MAX_REPAIRS; i++) {
            many.addRepairs(repair);
        }
        assertThatCode(() -> IndexEndpoint.requireWithinBounds(many.build())).doesNotThrowAnyException();
        many.addRepairs(repair);
        byte[] tooLong = new byte[HConstants.MAX_ROW_LENGTH + 1];
        RepairRequest.Builder key = RepairRequest.newBuilder()
                .setIndex("i")
                .addRepairs(repair.toBuilder().setKey(ByteString.copyFrom(tooLong)));
        for (RepairRequest request : List.of(many.build(), key.build())) {
            assertThatThrownBy(() -> IndexEndpoint.requireWithinBounds(request))
                    .hasMessageContaining("nothing was done");
        }
    }
}
