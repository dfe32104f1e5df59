package org.diffindex.server;

import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.Collection;
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
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.diffindex.model.IndexedColumn;
import org.diffindex.model.TableIndexes;
import org.diffindex.server.build.Lookout;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets those read the table of an index who may read its columns in the base table, and nobody else. Gives the users and groups
 * with READ on the base table, or on every family or column that the index reads, READ on the index table, and takes it from
 * others. Gives it only while the base table defines the index: a later table of that name has other values. Other permissions, and those on namespaces and on the whole cluster, which apply to index tables as to others, are
 * left alone. Permissions of one user on some of the columns are not added to those of that user's groups on the others.
 *
 * <p>Looks when an index or a permission has changed, and every half minute, so that nothing is lost when a master ends.
 * Works on the active master, if HBase's AccessController runs there and {@value #FOLLOW_KEY} is not false. Thread-safe.
 */
final class IndexGrants implements Closeable {
    /** Whether READ on index tables follows that on base tables; true by default. */
    static final String FOLLOW_KEY = "diffindex.grants.follow";

    private static final Logger LOG = LoggerFactory.getLogger(IndexGrants.class);
    private static final long LOOK_MS = 30_000;

    private final Connection connection;
    private final Lookout looking = new Lookout("diffindex-grants");

    /**
     * Creates the grants, without a look.
     *
     * @param connection the master's own, of a user who may grant and revoke everything; not closed
     */
    IndexGrants(Connection connection) {
        this.connection = connection;
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
     * Refuses to change by hand who may read the table of an index, which the next look would undo. Superusers and the
     * master itself are not refused.
     *
     * @param verb what is to be done with the permission
     * @param caller the user who asks for it; empty if the master does
     * @throws DoNotRetryIOException if it is refused
     */
    static void refuse(String verb, UserPermission change, Optional<User> caller, DefinitionChange.Tables tables)
            throws IOException {
        if (change.getPermission() instanceof TablePermission permission
                && concernsReading(permission)
                && caller.filter(user -> !Superusers.isSuperUser(user)).isPresent()) {
            Optional<TableName> base = tables.find(permission.getTableName()).flatMap(IndexDefinitions::baseTableOf);
            if (base.isPresent()) {
                throw new DoNotRetryIOException("Cannot " + verb + " READ on " + permission.getTableName()
                        + ", nothing was changed: it is the table of an index, which those may read who may read the index's"
                        + " columns of " + base.get() + "; " + verb + " READ on these columns");
            }
        }
    }

    /** Returns whether a change of these actions changes who may read; none are all actions. */
    private static boolean concernsReading(Permission permission) {
        return permission.getActions().length == 0 || permission.implies(Action.READ);
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

    private static void follow(Admin admin, TableDescriptor table, Map<TableName, TableDescriptor> tables) {
        try {
            Optional<Followed> index = followed(table, tables);
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

    /**
     * An index whose readers follow those of its columns.
     *
     * @param base the base table
     * @param columns the columns that the index reads, not necessarily with their types; none if they are not known, because
     *     the index is being created or dropped, or its definition does not tell them
     * @param table the index's own table
     * @param isDefined whether the base table defines it: if not, the base table may be another one than that whose values
     *     it holds
     */
    private record Followed(
            TableName base, List<IndexedColumn> columns, TableName table, IndexState state, boolean isDefined) {}

    /**
     * Returns the index to which a table belongs, as the base table defines it, or its own table keeps it. That this process
     * may lack the classes of its column types does not matter. Empty if the table belongs to none.
     */
    private static Optional<Followed> followed(TableDescriptor table, Map<TableName, TableDescriptor> tables) {
        Optional<TableName> base = IndexDefinitions.baseTableOf(table);
        Optional<String> name = IndexDefinitions.indexNameOf(table);
        if (base.isEmpty() || name.isEmpty() || !tables.containsKey(base.get())) {
            return Optional.empty();
        }
        Optional<String> defined = Optional.ofNullable(
                IndexDefinitions.texts(tables.get(base.get())).get(name.get()));
        Optional<TableIndexes> indexes = defined.or(() -> IndexDefinitions.keptIn(table))
                .map(text -> TableIndexes.of(base.get(), Map.of(name.get(), text)));
        String id = IndexDefinitions.indexIdOf(table);
        return Optional.of(new Followed(
                base.get(),
                indexes.map(known -> columns(known, name.get())).orElse(List.of()),
                table.getTableName(),
                IndexDefinitions.stateOf(table),
                defined.isPresent()
                        && indexes.map(known -> idOf(known, name.get())).equals(Optional.of(id))));
    }

    private static String idOf(TableIndexes indexes, String name) {
        IndexDefinition loaded = indexes.loaded().get(name);
        return loaded == null ? indexes.unloaded().get(name).id() : loaded.id();
    }

    private static List<IndexedColumn> columns(TableIndexes indexes, String name) {
        IndexDefinition loaded = indexes.loaded().get(name);
        return loaded == null ? indexes.unloaded().get(name).columns() : loaded.readColumns();
    }

    private static void adjust(Admin admin, Followed index) throws IOException {
        List<UserPermission> onBase = permissions(admin, index.base());
        Set<String> readers = index.columns().isEmpty() ? readersOfAll(onBase) : readers(onBase, index.columns());
        Set<String> owners = owners(onBase);
        Set<String> entitled = new TreeSet<>();
        for (UserPermission permission : permissions(admin, index.table())) {
            String user = permission.getUser();
            boolean mayRead = permission.getPermission().implies(Action.READ);
            boolean makesIt = owns(permission) && (!index.isDefined() || owners.contains(user));
            boolean mayFollowIt =
                    makesIt && (index.state().isIncomplete() || index.columns().isEmpty());
            if (mayRead && !readers.contains(user) && !mayFollowIt) {
                takeRead(admin, permission);
                LOG.info("{} may not read {} any more", user, index.table());
            } else if (mayRead && !((TablePermission) permission.getPermission()).hasFamily()) {
                entitled.add(user);
            }
        }
        for (String reader : index.isDefined() && !index.columns().isEmpty() ? readers : Set.<String>of()) {
            if (!entitled.contains(reader)) {
                Permission read = Permission.newBuilder(index.table())
                        .withActions(Action.READ)
                        .build();
                admin.grant(new UserPermission(reader, read), true);
                LOG.info("{} may read {} now", reader, index.table());
            }
        }
    }

    /**
     * Takes READ from a permission on a table. Of one on a family or column takes everything first, because HBase looks for
     * the actions that remain at the user's permission on the whole table, if there is one.
     */
    private static void takeRead(Admin admin, UserPermission permission) throws IOException {
        TablePermission granted = (TablePermission) permission.getPermission();
        if (!granted.hasFamily()) {
            admin.revoke(of(permission, Action.READ));
            return;
        }
        admin.revoke(of(permission));
        Action[] others = Arrays.stream(granted.getActions())
                .filter(action -> action != Action.READ)
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

    /**
     * Returns whether a user owns the table. The user who makes an index follows its build by reading its table, and HBase may
     * take a while to make that user an owner of the base table, too.
     */
    private static boolean owns(UserPermission permission) {
        return permission.getPermission().implies(Action.CREATE)
                || permission.getPermission().implies(Action.ADMIN);
    }

    private static Set<String> owners(List<UserPermission> permissions) {
        return permissions.stream()
                .filter(IndexGrants::owns)
                .map(UserPermission::getUser)
                .collect(Collectors.toSet());
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
