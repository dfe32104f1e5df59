package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.security.Superusers;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.security.access.GetUserPermissionsRequest;
import org.apache.hadoop.hbase.security.access.NamespacePermission;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.hbase.security.access.TablePermission;
import org.apache.hadoop.hbase.security.access.UserPermission;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests who may read and own the table of an index, by the permissions on its base table. */
class IndexGrantsTest {
    private static final TableName BASE = TableName.valueOf("ns:flights");
    private static final byte[] F = Bytes.toBytes("f");
    private static final byte[] G = Bytes.toBytes("g");
    private static final IndexDefinition INDEX = IndexDefinition.builder(BASE, "by_route")
            .column("f", "origin", ColumnTypes.STRING)
            .column("g", "destination", ColumnTypes.STRING)
            .build()
            .withId("id-1");
    private static final TableName INDEX_TABLE = INDEX.indexTable();

    private final List<TableDescriptor> tables = new ArrayList<>();
    private final List<UserPermission> granted = new ArrayList<>();
    /** The permissions on namespaces, and on everything. */
    private final List<UserPermission> wide = new ArrayList<>();
    /** Runs once a look has listed the tables. */
    private Runnable afterListing = () -> {};

    private final Admin admin = mock();
    private final Connection connection = mock();
    private final IndexGrants grants =
            new IndexGrants(connection, user -> user.equals("member") ? List.of("staff", "admins") : List.of("staff"));

    @BeforeEach
    void indexTheTable() throws IOException {
        tables.add(IndexDefinitions.with(base(), INDEX));
        tables.add(indexTable(INDEX));
        when(connection.getAdmin()).thenReturn(admin);
        when(admin.listTableDescriptors()).thenAnswer(call -> {
            List<TableDescriptor> listed = List.copyOf(tables);
            afterListing.run();
            return listed;
        });
        when(admin.getDescriptor(any())).thenAnswer(call -> tables.stream()
                .filter(table -> table.getTableName().equals(call.getArgument(0)))
                .findFirst()
                .orElseThrow(() -> new TableNotFoundException(call.<TableName>getArgument(0))));
        when(admin.getUserPermissions(any())).thenAnswer(call -> permissions(call.getArgument(0)));
        doAnswer(call -> grant(call.getArgument(0))).when(admin).grant(any(UserPermission.class), eq(true));
        doAnswer(call -> {
                    UserPermission permission = call.getArgument(0);
                    replace(
                            permission,
                            new TreeSet<>(List.of(permission.getPermission().getActions())));
                    return null;
                })
                .when(admin)
                .grant(any(UserPermission.class), eq(false));
        doAnswer(call -> revoke(call.getArgument(0))).when(admin).revoke(any());
    }

    private static TableDescriptor base() {
        return TableDescriptorBuilder.newBuilder(BASE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F))
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(G))
                .build();
    }

    private static TableDescriptor indexTable(IndexDefinition index) {
        TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(index.indexTable())
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(EntryFormat.FAMILY));
        return IndexDefinitions.markIndexTable(builder, index, IndexState.ACTIVE)
                .build();
    }

    private List<UserPermission> permissions(GetUserPermissionsRequest request) {
        if (request.getTableName() != null) {
            return permissionsOn(request.getTableName());
        }
        return wide.stream()
                .filter(present -> present.getPermission() instanceof NamespacePermission permission
                        ? permission.getNamespace().equals(request.getNamespace())
                        : request.getNamespace() == null)
                .toList();
    }

    private List<UserPermission> permissionsOn(TableName table) {
        return granted.stream()
                .filter(permission -> ((TablePermission) permission.getPermission())
                        .getTableName()
                        .equals(table))
                .toList();
    }

    /** Adds actions to those of a user, as HBase does. */
    private Void grant(UserPermission added) {
        Set<Action> actions = new TreeSet<>(List.of(added.getPermission().getActions()));
        granted.stream()
                .filter(present -> present.equalsExceptActions(added))
                .forEach(present ->
                        actions.addAll(List.of(present.getPermission().getActions())));
        replace(added, actions);
        return null;
    }

    /**
     * Takes actions as HBase's PermissionStorage does: without actions, the permission on exactly that part of the table; else
     * looks for what remains at the user's first permission on any part of the table, and leaves the one that is meant.
     */
    private Void revoke(UserPermission taken) {
        TableName table = ((TablePermission) taken.getPermission()).getTableName();
        if (taken.getPermission().getActions().length == 0) {
            granted.removeIf(present -> present.equalsExceptActions(taken));
            return null;
        }
        Optional<UserPermission> first = permissionsOn(table).stream()
                .filter(present -> present.getUser().equals(taken.getUser()))
                .min(Comparator.comparing(present -> ((TablePermission) present.getPermission()).hasFamily()));
        Set<Action> remaining = new TreeSet<>(first.map(UserPermission::getPermission)
                .map(Permission::getActions)
                .map(List::of)
                .orElse(List.of()));
        remaining.removeAll(List.of(taken.getPermission().getActions()));
        if (remaining.isEmpty()) {
            granted.removeIf(present -> present.equalsExceptActions(taken));
        } else {
            first.ifPresent(present -> replace(present, remaining));
        }
        return null;
    }

    private void replace(UserPermission permission, Set<Action> actions) {
        granted.removeIf(present -> present.equalsExceptActions(permission));
        if (!actions.isEmpty()) {
            TablePermission old = (TablePermission) permission.getPermission();
            granted.add(of(
                    permission.getUser(),
                    old.getTableName(),
                    old.getFamily(),
                    old.getQualifier(),
                    actions.toArray(new Action[0])));
        }
    }

    private static UserPermission of(String user, TableName table, byte[] family, byte[] qualifier, Action... actions) {
        return new UserPermission(
                user,
                Permission.newBuilder(table)
                        .withFamily(family)
                        .withQualifier(qualifier)
                        .withActions(actions)
                        .build());
    }

    private void given(String user, byte[] family, String qualifier, Action... actions) {
        granted.add(of(user, BASE, family, qualifier == null ? null : Bytes.toBytes(qualifier), actions));
    }

    private Set<String> readers() {
        grants.look();
        Set<String> readers = new TreeSet<>();
        for (UserPermission permission : permissionsOn(INDEX_TABLE)) {
            if (permission.getPermission().implies(Action.READ)) {
                readers.add(permission.getUser());
            }
        }
        return readers;
    }

    @Test
    void thoseReadAnIndexWhoMayReadAllItsColumns() {
        given("all", null, null, Action.READ, Action.WRITE);
        given("families", F, null, Action.READ);
        given("families", G, null, Action.READ);
        given("columns", F, "origin", Action.READ);
        given("columns", G, "destination", Action.READ);
        given("mixed", F, null, Action.READ);
        given("mixed", G, "destination", Action.READ);
        given("@group", null, null, Action.READ);
        given("one-family", F, null, Action.READ);
        given("other-column", F, null, Action.READ);
        given("other-column", G, "carrier", Action.READ);
        given("writer", null, null, Action.WRITE, Action.CREATE, Action.ADMIN);
        given("writes-one", F, null, Action.READ);
        given("writes-one", G, null, Action.WRITE);
        assertThat(readers()).containsExactly("@group", "all", "columns", "families", "mixed");
    }

    @Test
    void whoMayNotReadTheColumnsAnyMoreMayNotReadTheIndex() {
        given("reader", null, null, Action.READ);
        assertThat(readers()).containsExactly("reader");
        revoke(of("reader", BASE, null, null, Action.READ));
        assertThat(readers()).isEmpty();
        assertThat(granted).isEmpty();
    }

    @Test
    void aPermissionGivenByHandIsTakenAgain() {
        granted.add(of("intruder", INDEX_TABLE, null, null, Action.values()));
        granted.add(of("intruder", INDEX_TABLE, EntryFormat.FAMILY, null, Action.READ));
        granted.add(of("writer", INDEX_TABLE, null, null, Action.WRITE));
        assertThat(readers()).isEmpty();
        assertThat(granted).containsExactly(of("writer", INDEX_TABLE, null, null, Action.WRITE));
    }

    /** HBase would write back what remains of the permission that it has read before. */
    @Test
    void aPermissionThatIsRevokedMeanwhileDoesNotComeBack() throws IOException {
        granted.add(of("former", INDEX_TABLE, null, null, Action.values()));
        assertThat(readers()).isEmpty();
        verify(admin, never()).revoke(argThat(taken -> taken.getPermission().getActions().length > 0));
    }

    /** A look lists all tables first, and takes a while. */
    @Test
    void theTableOfALaterIndexGetsNoReadersOfTheFormer() {
        given("reader", null, null, Action.READ);
        afterListing = this::replaceTheIndex;
        assertThat(readers()).isEmpty();
        afterListing = () -> {};
        assertThat(readers()).as("of the whole table").containsExactly("reader");
    }

    @Test
    void whatWasGivenWhileTheIndexWasReplacedIsTakenAgain() throws IOException {
        given("reader", null, null, Action.READ);
        doAnswer(call -> {
                    replaceTheIndex();
                    return grant(call.getArgument(0));
                })
                .when(admin)
                .grant(any(UserPermission.class), eq(true));
        assertThat(readers()).isEmpty();
    }

    private void replaceTheIndex() {
        IndexDefinition later = IndexDefinition.builder(BASE, "by_route")
                .column("f", "secret", ColumnTypes.STRING)
                .build()
                .withId("id-2");
        tables.set(0, IndexDefinitions.with(base(), later));
        tables.set(1, indexTable(later));
    }

    @Test
    void whoEnablesAnIndexMayFollowItsBuild() {
        aDisabledIndexIsFollowedByTheDefinitionThatItsTableKeeps();
        given("enabler", null, null, Action.CREATE);
        granted.add(of("enabler", INDEX_TABLE, null, null, Action.values()));
        granted.add(of("former", INDEX_TABLE, null, null, Action.values()));
        assertThat(readers()).containsExactly("enabler", "reader");
        tables.set(1, IndexDefinitions.withState(tables.get(1), IndexState.BUILDING));
        granted.add(of("former", INDEX_TABLE, null, null, Action.values()));
        assertThat(readers()).as("before the base table defines it").containsExactly("enabler", "reader");
        assertThat(owners()).containsExactly("enabler");
    }

    /** The master takes what HBase gives them in person, and a group may own the index, but cannot read it. */
    @Test
    void thoseFollowTheBuildOfAnIndexWhoOwnItsTableThroughAGroupOrANamespace() {
        aDisabledIndexIsFollowedByTheDefinitionThatItsTableKeeps();
        given("@admins", null, null, Action.ADMIN);
        wide.add(new UserPermission(
                "of-namespace",
                Permission.newBuilder("ns").withActions(Action.CREATE).build()));
        wide.add(new UserPermission(
                "of-another",
                Permission.newBuilder("other").withActions(Action.CREATE).build()));
        wide.add(new UserPermission(
                "of-all", Permission.newBuilder().withActions(Action.ADMIN).build()));
        for (String user : List.of("member", "of-namespace", "of-another", "of-all", "former")) {
            granted.add(of(user, INDEX_TABLE, null, null, Action.values()));
        }
        assertThat(readers()).containsExactly("member", "of-all", "of-namespace", "reader");
        assertThat(readers()).as("at the next look").containsExactly("member", "of-all", "of-namespace", "reader");
        assertThat(owners()).containsExactly("@admins");
        tables.set(1, IndexDefinitions.withState(tables.get(1), IndexState.BUILDING));
        assertThat(readers()).as("of the build").containsExactly("member", "of-all", "of-namespace", "reader");
        tables.set(0, IndexDefinitions.with(base(), INDEX));
        tables.set(1, IndexDefinitions.withState(tables.get(1), IndexState.ACTIVE));
        assertThat(readers()).as("of the complete index").containsExactly("reader");
    }

    /** Later owners of the base table can enable or drop the index, and nobody else can. */
    @Test
    void thoseOwnADisabledIndexWhoOwnItsTable() {
        aDisabledIndexIsFollowedByTheDefinitionThatItsTableKeeps();
        given("owner", null, null, Action.READ, Action.CREATE);
        granted.add(of("former", INDEX_TABLE, null, null, Action.CREATE, Action.ADMIN));
        assertThat(owners()).containsExactly("owner");
        assertThat(permissionsOn(INDEX_TABLE)).contains(of("owner", INDEX_TABLE, null, null, Action.CREATE));
    }

    /** The master does not know its columns, and would take READ from all who have it on columns alone. */
    @Test
    void anIndexOfALaterBuildIsLeftAlone() {
        given("reader", F, null, Action.READ);
        given("reader", G, null, Action.READ);
        granted.add(of("reader", INDEX_TABLE, null, null, Action.READ));
        granted.add(of("former", INDEX_TABLE, null, null, Action.values()));
        TableDescriptor own = tables.get(1);
        tables.set(
                1,
                TableDescriptorBuilder.newBuilder(own)
                        .setValue("diffindex.format", "2")
                        .build());
        assertThat(readers()).containsExactly("former", "reader");
        tables.set(1, own);
        String key = "diffindex.index.by_route";
        String defined = tables.get(0).getValue(key);
        tables.set(
                0,
                TableDescriptorBuilder.newBuilder(tables.get(0))
                        .setValue(key, defined.replaceFirst("\\{", "{\"later\":1,"))
                        .build());
        assertThat(readers()).containsExactly("former", "reader");
        tables.set(0, IndexDefinitions.with(base(), INDEX));
        assertThat(readers()).containsExactly("reader");
    }

    /** Such a permission covers the entries, but not what a build remembers in another family. */
    @Test
    void aReaderOfOneFamilyOfTheIndexBecomesOneOfTheWholeTable() {
        given("reader", null, null, Action.READ);
        granted.add(of("reader", INDEX_TABLE, EntryFormat.FAMILY, null, Action.READ));
        assertThat(readers()).containsExactly("reader");
        assertThat(permissionsOn(INDEX_TABLE)).contains(of("reader", INDEX_TABLE, null, null, Action.READ));
    }

    @Test
    void whatIsAsItShouldBeIsNotWritten() throws IOException {
        given("reader", null, null, Action.READ);
        given("owner", null, null, Action.CREATE);
        granted.add(of("reader", INDEX_TABLE, null, null, Action.READ, Action.WRITE));
        granted.add(of("owner", INDEX_TABLE, null, null, Action.CREATE));
        assertThat(readers()).containsExactly("reader");
        verify(admin, never()).grant(any(UserPermission.class), eq(true));
        verify(admin, never()).revoke(any());
    }

    @Test
    void aDisabledIndexIsFollowedByTheDefinitionThatItsTableKeeps() {
        tables.set(0, base());
        tables.set(
                1,
                IndexDefinitions.disabled(
                        indexTable(INDEX),
                        IndexDefinitions.texts(IndexDefinitions.with(base(), INDEX))
                                .get("by_route")));
        granted.add(of("intruder", INDEX_TABLE, null, null, Action.READ));
        granted.add(of("reader", INDEX_TABLE, null, null, Action.READ));
        given("reader", null, null, Action.READ);
        assertThat(readers()).containsExactly("reader");
    }

    /** The base table was deleted, and another one has its name: the index holds values of the former. */
    @Test
    void aDisabledIndexGetsNoReaders() {
        aDisabledIndexIsFollowedByTheDefinitionThatItsTableKeeps();
        given("later", null, null, Action.READ);
        assertThat(readers()).containsExactly("reader");
        tables.set(0, IndexDefinitions.with(base(), INDEX.withId("id-2")));
        assertThat(readers()).as("of the table of an index of another id").containsExactly("reader");
    }

    @Test
    void whoMakesAnIndexMayFollowItsBuild() {
        tables.set(1, IndexDefinitions.withState(indexTable(INDEX), IndexState.BUILDING));
        given("maker", null, null, Action.CREATE);
        granted.add(of("maker", INDEX_TABLE, null, null, Action.values()));
        granted.add(of("former", INDEX_TABLE, null, null, Action.values()));
        granted.add(of("intruder", INDEX_TABLE, null, null, Action.READ));
        assertThat(readers()).as("not who owned the base table once").containsExactly("maker");
        assertThat(owners()).containsExactly("maker");
        tables.set(1, indexTable(INDEX));
        assertThat(readers()).isEmpty();
        assertThat(owners()).containsExactly("maker");
    }

    /** Those who own the base table may drop, disable and change an index, whoever made it. */
    @Test
    void thoseOwnAnIndexWhoOwnItsTable() {
        given("@admins", null, null, Action.ADMIN);
        given("creator", null, null, Action.READ, Action.CREATE);
        given("of-a-family", F, null, Action.ADMIN, Action.CREATE);
        granted.add(of("former", INDEX_TABLE, null, null, Action.WRITE, Action.CREATE, Action.ADMIN));
        assertThat(owners()).containsExactly("@admins", "creator");
        assertThat(permissionsOn(INDEX_TABLE))
                .containsExactlyInAnyOrder(
                        of("@admins", INDEX_TABLE, null, null, Action.ADMIN),
                        of("creator", INDEX_TABLE, null, null, Action.READ, Action.CREATE));
        granted.removeIf(permission ->
                permission.getUser().equals("@admins") && permissionsOn(BASE).contains(permission));
        assertThat(owners()).containsExactly("creator");
    }

    private Set<String> owners() {
        grants.look();
        Set<String> owners = new TreeSet<>();
        for (UserPermission permission : permissionsOn(INDEX_TABLE)) {
            if (permission.getPermission().implies(Action.CREATE)
                    || permission.getPermission().implies(Action.ADMIN)) {
                owners.add(permission.getUser());
            }
        }
        return owners;
    }

    /** HBase looks at the permission on the whole table first, and would leave that on the family. */
    @Test
    void readOnAFamilyIsTakenBesideAPermissionOnTheTable() {
        given("owner", null, null, Action.ADMIN);
        granted.add(of("owner", INDEX_TABLE, null, null, Action.WRITE, Action.ADMIN));
        granted.add(of("owner", INDEX_TABLE, EntryFormat.FAMILY, null, Action.READ, Action.ADMIN));
        assertThat(readers()).isEmpty();
        assertThat(permissionsOn(INDEX_TABLE))
                .containsExactlyInAnyOrder(
                        of("owner", INDEX_TABLE, null, null, Action.WRITE, Action.ADMIN),
                        of("owner", INDEX_TABLE, EntryFormat.FAMILY, null, Action.ADMIN));
    }

    /** Its drop was interrupted. */
    @Test
    void anIndexOfUnknownColumnsIsReadByThoseOnlyWhoReadTheWholeTable() {
        tables.set(0, base());
        tables.set(1, IndexDefinitions.withState(indexTable(INDEX), IndexState.DROPPING));
        given("all", null, null, Action.READ);
        given("columns", F, "origin", Action.READ);
        for (String user : List.of("all", "columns", "intruder")) {
            granted.add(of(user, INDEX_TABLE, null, null, Action.READ));
        }
        assertThat(readers()).containsExactly("all");
    }

    /** The user who creates it has to read its table, and nothing tells who owns that. */
    @Test
    void anIndexThatTheBaseTableIsYetToDefineIsLeftAlone() {
        tables.set(0, base());
        tables.set(1, IndexDefinitions.withState(indexTable(INDEX), IndexState.BUILDING));
        given("owner", null, null, Action.ADMIN);
        granted.add(of("creator", INDEX_TABLE, null, null, Action.values()));
        assertThat(readers()).containsExactly("creator");
        assertThat(owners()).containsExactly("creator");
    }

    /** Otherwise former owners of the base table could go on reading it, and its present ones could not complete the drop. */
    @ParameterizedTest
    @EnumSource(
            value = IndexState.class,
            names = {"ACTIVE", "BROKEN", "DROPPING"})
    void thoseOwnWhatADropHasLeftWhoOwnItsTable(IndexState state) {
        tables.set(0, base());
        tables.set(1, IndexDefinitions.withState(indexTable(INDEX), state));
        given("owner", null, null, Action.CREATE);
        given("@admins", null, null, Action.ADMIN);
        granted.add(of("owner", INDEX_TABLE, null, null, Action.values()));
        granted.add(of("former", INDEX_TABLE, null, null, Action.values()));
        granted.add(of("reader", INDEX_TABLE, null, null, Action.READ));
        assertThat(readers()).isEmpty();
        assertThat(owners()).containsExactly("@admins", "owner");
        assertThat(permissionsOn(INDEX_TABLE)).contains(of("@admins", INDEX_TABLE, null, null, Action.ADMIN));
    }

    /** The regions of an index that is DROPPING would refuse them; those of one whose drop was forced would answer. */
    @Test
    void whatAForcedDropHasLeftHasNoReaders() {
        tables.set(0, base());
        given("reader", null, null, Action.READ);
        granted.add(of("reader", INDEX_TABLE, null, null, Action.READ));
        assertThat(readers()).isEmpty();
    }

    /** A creation deletes what a drop has left, and then makes a table of that name, while a look takes a while. */
    @Test
    void theMakerOfALaterIndexKeepsItsTable() {
        tables.set(0, base());
        granted.add(of("maker", INDEX_TABLE, null, null, Action.values()));
        afterListing =
                () -> tables.set(1, IndexDefinitions.withState(indexTable(INDEX.withId("id-2")), IndexState.BUILDING));
        assertThat(readers()).containsExactly("maker");
    }

    @Test
    void otherTablesAreLeftAlone() {
        tables.clear();
        tables.add(base());
        granted.add(of("reader", INDEX_TABLE, null, null, Action.READ));
        assertThat(readers()).containsExactly("reader");
    }

    @Test
    void aFailedLookIsFollowedByTheNextOne() throws IOException {
        given("reader", null, null, Action.READ);
        doThrow(new IOException("no hbase:acl"))
                .doAnswer(call -> grant(call.getArgument(0)))
                .when(admin)
                .grant(any(UserPermission.class), eq(true));
        assertThat(readers()).isEmpty();
        assertThat(readers()).containsExactly("reader");
    }

    /** The index table of that name may be in a transition for long. */
    @Test
    void aFailureAtOneTableDoesNotKeepTheLookFromTheOthers() throws IOException {
        IndexDefinition other = IndexDefinition.builder(TableName.valueOf("ns:airports"), "by_city")
                .column("f", "city", ColumnTypes.STRING)
                .build()
                .withId("id-2");
        tables.add(0, IndexDefinitions.with(TableDescriptorBuilder.copy(other.table(), base()), other));
        tables.add(1, indexTable(other));
        doAnswer(call -> {
                    TableName table =
                            call.<GetUserPermissionsRequest>getArgument(0).getTableName();
                    if (table.equals(other.table())) {
                        throw new IOException("no hbase:acl");
                    }
                    return permissionsOn(table);
                })
                .when(admin)
                .getUserPermissions(any());
        given("reader", null, null, Action.READ);
        assertThat(readers()).containsExactly("reader");
    }

    /** The region servers have the class, and answer readers. */
    @Test
    void anIndexOfATypeWhoseClassTheMasterLacksIsFollowed() {
        tables.set(
                0,
                TableDescriptorBuilder.newBuilder(base())
                        .setValue(
                                "diffindex.index.by_route",
                                "{\"columns\":[\"f:origin:class(no.such.Type)\"],\"scheme\":\"sync-full\","
                                        + "\"splits\":[],\"id\":\"id-1\"}")
                        .build());
        given("reader", F, "origin", Action.READ);
        given("other", F, "carrier", Action.READ);
        granted.add(of("other", INDEX_TABLE, null, null, Action.READ));
        assertThat(readers()).containsExactly("reader");
    }

    @Test
    void grantsAreFollowedWhereTheAccessControllerRunsUnlessThatIsSwitchedOff() {
        Configuration conf = new Configuration(false);
        assertThat(IndexGrants.areFollowed(conf)).isFalse();
        conf.set(CoprocessorHost.MASTER_COPROCESSOR_CONF_KEY, "other, " + AccessController.class.getName() + "|1");
        assertThat(IndexGrants.areFollowed(conf)).isFalse();
        conf.setBoolean(User.HBASE_SECURITY_AUTHORIZATION_CONF_KEY, true);
        assertThat(IndexGrants.areFollowed(conf)).isTrue();
        conf.setBoolean(IndexGrants.FOLLOW_KEY, false);
        assertThat(IndexGrants.areFollowed(conf)).isFalse();
    }

    private void change(String caller, UserPermission permission) throws IOException {
        change(Optional.of(User.createUserForTesting(new Configuration(false), caller, new String[0])), permission);
    }

    private void change(Optional<User> caller, UserPermission permission) throws IOException {
        Configuration conf = new Configuration(false);
        conf.set(Superusers.SUPERUSER_CONF_KEY, "operator");
        Superusers.initialize(conf);
        IndexGrants.refuse("grant", permission, caller, name -> tables.stream()
                .filter(table -> table.getTableName().equals(name))
                .findFirst());
    }

    @Test
    void refusesReadersThatAreGivenByHand() {
        for (UserPermission refused : List.of(
                of("bob", INDEX_TABLE, null, null, Action.READ),
                of("bob", INDEX_TABLE, EntryFormat.FAMILY, null, Action.WRITE, Action.READ),
                of("bob", INDEX_TABLE, null, null, Action.WRITE, Action.ADMIN),
                of("bob", INDEX_TABLE, null, null))) {
            assertThatThrownBy(() -> change("owner", refused))
                    .isInstanceOf(DoNotRetryIOException.class)
                    .hasMessageContaining(
                            "Cannot grant READ, CREATE or ADMIN on ns:flights.by_route, nothing was changed")
                    .hasMessageContaining("columns of ns:flights");
        }
        for (UserPermission admitted : List.of(
                of("bob", INDEX_TABLE, null, null, Action.WRITE, Action.EXEC),
                of("bob", BASE, null, null, Action.READ),
                new UserPermission(
                        "bob",
                        Permission.newBuilder("ns").withActions(Action.READ).build()))) {
            assertThatCode(() -> change("owner", admitted)).doesNotThrowAnyException();
        }
        UserPermission byTheMaster = of("bob", INDEX_TABLE, null, null, Action.READ);
        assertThatCode(() -> change("operator", byTheMaster)).doesNotThrowAnyException();
        assertThatCode(() -> change(Optional.empty(), byTheMaster)).doesNotThrowAnyException();
    }

    private static final ServerName RS1 = ServerName.valueOf("rs1", 16020, 1);
    private static final ServerName RS2 = ServerName.valueOf("rs2", 16020, 1);

    /** A region server's answer to the question who may not read the index yet, one for each time that it is asked. */
    private final Map<ServerName, Deque<List<String>>> answers = new TreeMap<>();

    private final Set<String> askedFor = new ConcurrentSkipListSet<>();
    private long clockMs;

    private GenerationReaders generation() {
        GenerationReaders.Servers servers = new GenerationReaders.Servers() {
            @Override
            public Collection<ServerName> live() {
                return List.copyOf(answers.keySet());
            }

            @Override
            public List<String> lacking(ServerName server, TableName table, Collection<String> readers)
                    throws IOException {
                assertThat(table).isEqualTo(INDEX_TABLE);
                askedFor.addAll(readers);
                Deque<List<String>> own = answers.get(server);
                if (own.isEmpty()) {
                    throw new IOException("no answer");
                }
                return own.size() == 1 ? own.peek() : own.poll();
            }
        };
        return new GenerationReaders(
                grants, servers, () -> TimeUnit.MILLISECONDS.toNanos(clockMs), millis -> clockMs += millis);
    }

    private void answers(ServerName server, List<List<String>> own) {
        answers.put(server, new ArrayDeque<>(own));
    }

    @Test
    void readersGoOverWhenTheyHaveReadAndAllServersKnowThat() throws IOException {
        given("reader", null, null, Action.READ);
        given("@staff", null, null, Action.READ);
        given("owner", null, null, Action.CREATE);
        answers(RS1, List.of(List.of("reader", "@staff"), List.of("@staff"), List.of()));
        answers(RS2, List.of(List.of()));
        generation().prepare(INDEX);
        assertThat(permissionsOn(INDEX_TABLE))
                .as("given at once, not by a later look")
                .contains(of("reader", INDEX_TABLE, null, null, Action.READ));
        assertThat(askedFor).as("an owner need not read").containsExactly("@staff", "reader");
        assertThat(answers.get(RS1)).as("asked until it knows").containsExactly(List.of());
    }

    @Test
    void readersDoNotGoOverWhileAServerDoesNotKnowThatTheyMay() {
        given("reader", null, null, Action.READ);
        answers(RS1, List.of(List.of("reader")));
        answers(RS2, List.of());
        assertThatThrownBy(() -> generation().prepare(INDEX))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("cannot go over to its new columns, nothing was changed")
                .hasMessageContaining("rs1,16020,1 does not know yet that reader may read " + INDEX_TABLE)
                .hasMessageContaining("rs2,16020,1 did not tell")
                .hasMessageContaining("no answer");
        assertThat(clockMs).isBetween(20_000L, 25_000L);
    }

    @Test
    void noServerIsAskedIfNobodyHasRead() throws IOException {
        given("owner", null, null, Action.CREATE);
        answers(RS1, List.of());
        generation().prepare(INDEX);
        assertThat(askedFor).isEmpty();
        tables.clear();
        generation().prepare(INDEX);
        assertThat(askedFor).isEmpty();
    }

    @Test
    void readersDoNotGoOverIfTheyCannotBeGivenRead() throws IOException {
        given("reader", null, null, Action.READ);
        doThrow(new IOException("hbase:acl is away")).when(admin).grant(any(UserPermission.class), eq(true));
        assertThatThrownBy(() -> generation().prepare(INDEX))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("cannot go over")
                .hasMessageContaining("hbase:acl is away");
    }
}
