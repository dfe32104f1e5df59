package org.diffindex.server;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.coprocessor.CoprocessorHost;
import org.apache.hadoop.hbase.security.Superusers;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.hbase.security.access.AccessChecker;
import org.apache.hadoop.hbase.security.access.AccessController;
import org.apache.hadoop.hbase.security.access.GetUserPermissionsRequest;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.hbase.security.access.TablePermission;
import org.apache.hadoop.hbase.security.access.UserPermission;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexedColumn;
import org.diffindex.server.build.Lookout;
import org.diffindex.tasks.DescriptorChange;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the permissions on the table of an index follow those on its base table. Gives the users and groups with READ on the base
 * table, or on every family or column that the index reads, READ on the index table, and those with CREATE or ADMIN on the base
 * table the same on the index table; takes these from others. Gives READ only while the base table defines the index: a later
 * table of that name has other values. CREATE and ADMIN follow the base table also on what a drop has left, so that its present
 * owners can drop that, and nobody else can; an index that the base table is yet to define belongs to its maker. A permission
 * of which nothing is left but WRITE or EXEC is taken as a whole; otherwise these, and permissions on namespaces and on the
 * whole cluster, which apply to index tables as to others, are left alone. Permissions of one user on some of the columns are
 * not added to those of that user's groups on the others. An index of a later build is left alone.
 *
 * <p>Looks when an index or a permission has changed, and every half minute, so that nothing is lost when a master ends; at one
 * index also when its readers are to go over to it ({@link GenerationReaders}).
 * Works on the active master, if HBase's AccessController runs there and {@value #FOLLOW_KEY} is not false. Thread-safe.
 */
final class IndexGrants implements Closeable {
    /** Whether permissions on index tables follow those on base tables; true by default. */
    static final String FOLLOW_KEY = "diffindex.grants.follow";

    private static final Logger LOG = LoggerFactory.getLogger(IndexGrants.class);
    private static final long LOOK_MS = 30_000;
    private static final Set<Action> FOLLOWED = EnumSet.of(Action.READ, Action.CREATE, Action.ADMIN);

    private final Connection connection;
    private final Function<String, List<String>> groups;
    private final Lookout looking = new Lookout("diffindex-grants");

    /**
     * Creates the grants, without a look.
     *
     * @param connection the master's own, of a user who may grant and revoke everything; not closed
     */
    IndexGrants(Connection connection) {
        this(connection, AccessChecker::getUserGroups);
    }

    /**
     * Creates the grants, without a look.
     *
     * @param groups returns the groups of a user
     */
    IndexGrants(Connection connection, Function<String, List<String>> groups) {
        this.connection = connection;
        this.groups = groups;
    }

    /** Returns whether a master with a configuration has grants to follow. */
    static boolean areFollowed(Configuration conf) {
        return conf.getBoolean(FOLLOW_KEY, true)
                && AccessChecker.isAuthorizationSupported(conf)
                && Arrays.stream(conf.getTrimmedStrings(CoprocessorHost.MASTER_COPROCESSOR_CONF_KEY))
                        .map(CallPermissions::classOf)
                        .anyMatch(AccessController.class.getName()::equals);
    }

    /**
     * Refuses to change by hand a permission on the table of an index that follows one on its base table, which the next look
     * would undo. Superusers and the master itself are not refused.
     *
     * @param verb what is to be done with the permission
     * @param caller the user who asks for it; empty if the master does
     * @throws DoNotRetryIOException if it is refused
     */
    static void refuse(String verb, UserPermission change, Optional<User> caller, DefinitionChange.Tables tables)
            throws IOException {
        if (change.getPermission() instanceof TablePermission permission
                && concernsFollowed(permission)
                && caller.filter(user -> !Superusers.isSuperUser(user)).isPresent()) {
            Optional<TableName> base = tables.find(permission.getTableName()).flatMap(IndexDefinitions::baseTableOf);
            if (base.isPresent()) {
                throw new DoNotRetryIOException("Cannot " + verb + " READ, CREATE or ADMIN on "
                        + permission.getTableName()
                        + ", nothing was changed: it is the table of an index; those have READ who may read"
                        + " the index's columns of " + base.get()
                        + ", and CREATE and ADMIN who have them on that table; "
                        + verb + " them there");
            }
        }
    }

    /** Returns whether a change of these actions changes one that follows the base table; none are all actions. */
    private static boolean concernsFollowed(Permission permission) {
        return permission.getActions().length == 0 || FOLLOWED.stream().anyMatch(permission::implies);
    }

    /** Begins to look. */
    void start() {
        looking.lookEvery(LOOK_MS, this::look);
    }

    /** Looks soon, because something has changed; does nothing once the master stops. */
    void lookSoon() {
        looking.lookSoon(this::look);
    }

    /** Looks at the permissions on all tables with indexes. A failure at one does not keep it from the others. */
    void look() {
        try (Admin admin = connection.getAdmin()) {
            Map<TableName, TableDescriptor> tables = admin.listTableDescriptors().stream()
                    .collect(Collectors.toMap(TableDescriptor::getTableName, Function.identity()));
            for (TableDescriptor table : tables.values()) {
                follow(admin, table, tables);
            }
        } catch (IOException e) {
            notLookedAt("index tables", e);
        }
    }

    /**
     * Lets the permissions on one index table follow those on its base table now.
     *
     * @return the users and groups that then have READ on the index table, because they may read its columns; none if there is no
     *     such table, or it is left alone
     * @throws IOException if the permissions could not be compared or changed
     */
    Set<String> follow(TableName indexTable) throws IOException {
        try (Admin admin = connection.getAdmin()) {
            Map<TableName, TableDescriptor> tables = new HashMap<>();
            Optional<TableDescriptor> own = DescriptorChange.find(admin, indexTable);
            Optional<TableName> base = own.flatMap(IndexDefinitions::baseTableOf);
            if (base.isPresent()) {
                DescriptorChange.find(admin, base.get()).ifPresent(found -> tables.put(base.get(), found));
            }
            Optional<FollowedIndex> index = own.isPresent() ? FollowedIndex.of(own.get(), tables) : Optional.empty();
            if (index.isEmpty()) {
                return Set.of();
            }
            adjust(admin, index.get());
            Map<String, Set<Action>> givable =
                    givable(entitled(permissions(admin, base.get()), index.get()), index.get());
            givable.values().removeIf(actions -> !actions.contains(Action.READ));
            return givable.keySet();
        }
    }

    private void follow(Admin admin, TableDescriptor table, Map<TableName, TableDescriptor> tables) {
        try {
            Optional<FollowedIndex> index = FollowedIndex.of(table, tables);
            if (index.isPresent()) {
                adjust(admin, index.get());
            }
        } catch (IOException | RuntimeException | StackOverflowError e) {
            notLookedAt(table.getTableName().getNameAsString(), e);
        }
    }

    private static void notLookedAt(String tables, Throwable failure) {
        LOG.warn(
                "The permissions on {} could not be compared with those on their base tables; next look in {} s",
                tables,
                LOOK_MS / 1_000,
                failure);
    }

    /** Takes and gives what differs. Synchronized, since HBase writes back what it has read. */
    private synchronized void adjust(Admin admin, FollowedIndex index) throws IOException {
        Map<String, Set<Action>> entitled = entitled(permissions(admin, index.base()), index);
        Map<String, Set<Action>> missing = givable(entitled, index);
        Map<UserPermission, Set<Action>> excess = new LinkedHashMap<>();
        for (UserPermission permission : permissions(admin, index.table())) {
            String user = permission.getUser();
            Set<Action> more = actions(permission);
            more.removeAll(entitled.getOrDefault(user, Set.of()));
            if (!more.isEmpty()) {
                more.removeAll(tolerated(admin, permission, index));
            }
            if (!more.isEmpty()) {
                excess.put(permission, more);
            }
            if (!((TablePermission) permission.getPermission()).hasFamily() && missing.containsKey(user)) {
                missing.get(user).removeAll(actions(permission));
            }
        }
        missing.values().removeIf(Set::isEmpty);
        if (!excess.isEmpty() && isStill(admin, index)) {
            take(admin, index, excess);
        }
        if (!missing.isEmpty() && isStill(admin, index)) {
            give(admin, index, missing);
        }
    }

    /** Returns what users and groups are to have on an index table, of the actions to which they are entitled. */
    private static Map<String, Set<Action>> givable(Map<String, Set<Action>> entitled, FollowedIndex index) {
        Map<String, Set<Action>> givable = new TreeMap<>();
        if (!index.isBeingEntered()) {
            entitled.forEach((user, actions) -> givable.put(user, EnumSet.copyOf(actions)));
        }
        if (!index.isDefined() || index.columns().isEmpty()) {
            givable.values().forEach(actions -> actions.remove(Action.READ));
        }
        return givable;
    }

    private static void take(Admin admin, FollowedIndex index, Map<UserPermission, Set<Action>> excess)
            throws IOException {
        for (Map.Entry<UserPermission, Set<Action>> taken : excess.entrySet()) {
            UserPermission permission = taken.getKey();
            if (taken.getValue().equals(actions(permission))) {
                admin.revoke(of(permission)); // HBase writes nothing back, which somebody else may be taking now
            } else {
                take(admin, permission, taken.getValue());
            }
            LOG.info("{} has no {} on {} any more", permission.getUser(), taken.getValue(), index.table());
        }
    }

    /** Gives permissions on an index table, and takes them again if it has become that of another index meanwhile. */
    private static void give(Admin admin, FollowedIndex index, Map<String, Set<Action>> missing) throws IOException {
        List<UserPermission> given = new ArrayList<>();
        for (Map.Entry<String, Set<Action>> user : missing.entrySet()) {
            Permission permission = Permission.newBuilder(index.table())
                    .withActions(user.getValue().toArray(new Action[0]))
                    .build();
            given.add(new UserPermission(user.getKey(), permission));
            admin.grant(given.get(given.size() - 1), true);
            LOG.info("{} has {} on {} now", user.getKey(), user.getValue(), index.table());
        }
        if (!isStill(admin, index)) {
            for (UserPermission permission : given) {
                admin.revoke(permission);
            }
            LOG.info("Taken again: {} is not the table of the same index any more", index.table());
        }
    }

    /** Returns whether a table is that of the same index as when the descriptors were listed, which may have taken long. */
    private static boolean isStill(Admin admin, FollowedIndex index) throws IOException {
        Map<TableName, TableDescriptor> now = new HashMap<>();
        for (TableName name : List.of(index.base(), index.table())) {
            DescriptorChange.find(admin, name).ifPresent(found -> now.put(name, found));
        }
        return now.containsKey(index.table())
                && FollowedIndex.of(now.get(index.table()), now).equals(Optional.of(index));
    }

    /** Returns the actions on an index table to which each user and group is entitled by the permissions on its base table. */
    private static Map<String, Set<Action>> entitled(List<UserPermission> onBase, FollowedIndex index) {
        Map<String, Set<Action>> entitled = new TreeMap<>();
        for (UserPermission permission : onBase) {
            if (!((TablePermission) permission.getPermission()).hasFamily()) {
                Set<Action> actions = actions(permission);
                actions.remove(Action.READ);
                entitled.put(permission.getUser(), actions);
            }
        }
        for (String reader : readers(onBase, index)) {
            entitled.computeIfAbsent(reader, user -> EnumSet.noneOf(Action.class))
                    .add(Action.READ);
        }
        return entitled;
    }

    /**
     * Returns the actions that a user keeps without being entitled to them. The user who makes an index owns its table before
     * the base table defines it. Owners of the base table who make or enable an index follow its build by reading its table:
     * HBase gives them READ in person when they change it, also if they own the base table through a group or its namespace.
     */
    private Set<Action> tolerated(Admin admin, UserPermission permission, FollowedIndex index) throws IOException {
        if (index.isBeingEntered()) {
            return owns(actions(permission)) ? FOLLOWED : Set.of();
        }
        return index.isWatched() && TableOwners.of(admin, index.base()).include(permission.getUser(), groups)
                ? Set.of(Action.READ)
                : Set.of();
    }

    private static boolean owns(Set<Action> actions) {
        return TableOwners.RIGHTS.stream().anyMatch(actions::contains);
    }

    /** Returns those actions of a permission that follow the base table. */
    private static Set<Action> actions(UserPermission permission) {
        Set<Action> actions = EnumSet.noneOf(Action.class);
        actions.addAll(List.of(permission.getPermission().getActions()));
        actions.retainAll(FOLLOWED);
        return actions;
    }

    /**
     * Takes actions from a permission on a table. Of one on a family or column takes everything first, because HBase looks for
     * the actions that remain at the user's permission on the whole table, if there is one.
     */
    private static void take(Admin admin, UserPermission permission, Set<Action> taken) throws IOException {
        TablePermission granted = (TablePermission) permission.getPermission();
        if (!granted.hasFamily()) {
            admin.revoke(of(permission, taken.toArray(new Action[0])));
            return;
        }
        admin.revoke(of(permission));
        Action[] others = Arrays.stream(granted.getActions())
                .filter(action -> !taken.contains(action))
                .toArray(Action[]::new);
        if (others.length > 0) {
            admin.grant(of(permission, others), false);
        }
    }

    /** Returns a permission of the same user on the same part of a table, for these actions. */
    private static UserPermission of(UserPermission permission, Action... actions) {
        TablePermission granted = (TablePermission) permission.getPermission();
        Permission.Builder part = Permission.newBuilder(granted.getTableName());
        if (granted.hasFamily()) {
            part.withFamily(granted.getFamily());
        }
        if (granted.hasQualifier()) {
            part.withQualifier(granted.getQualifier());
        }
        return new UserPermission(
                permission.getUser(), part.withActions(actions).build());
    }

    /** Returns the users and groups that may read an index table, by their permissions on its base table. */
    private static Set<String> readers(List<UserPermission> onBase, FollowedIndex index) {
        if (!index.mayHaveReaders()) {
            return Set.of();
        }
        return index.columns().isEmpty() ? readersOfAll(onBase) : readers(onBase, index.columns());
    }

    /** Returns the users and groups with READ on the whole of a table. */
    private static Set<String> readersOfAll(List<UserPermission> permissions) {
        return permissions.stream()
                .filter(permission -> permission.getPermission().implies(Action.READ)
                        && !((TablePermission) permission.getPermission()).hasFamily())
                .map(UserPermission::getUser)
                .collect(Collectors.toSet());
    }

    private static List<UserPermission> permissions(Admin admin, TableName table) throws IOException {
        return admin.getUserPermissions(
                GetUserPermissionsRequest.newBuilder(table).build());
    }

    /** Returns the users and groups whose permissions on a table, each alone or together, allow to read these columns. */
    private static Set<String> readers(List<UserPermission> permissions, Collection<IndexedColumn> columns) {
        Map<String, List<TablePermission>> byUser = new TreeMap<>(permissions.stream()
                .collect(Collectors.groupingBy(
                        UserPermission::getUser,
                        Collectors.mapping(
                                permission -> (TablePermission) permission.getPermission(), Collectors.toList()))));
        return byUser.entrySet().stream()
                .filter(user -> columns.stream().allMatch(column -> user.getValue().stream()
                        .anyMatch(permission -> mayRead(permission, column))))
                .map(Map.Entry::getKey)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static boolean mayRead(TablePermission permission, IndexedColumn column) {
        return permission.implies(permission.getTableName(), column.family(), column.qualifier(), Action.READ);
    }

    /** Ends the looks. */
    @Override
    public void close() {
        looking.close();
    }
}
