package org.diffindex.server;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.security.access.GetUserPermissionsRequest;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.hbase.security.access.TablePermission;
import org.apache.hadoop.hbase.security.access.UserPermission;

/**
 * The users and groups with CREATE or ADMIN on a table, whether they have it on the whole table, on its namespace, or on
 * everything. Immutable.
 *
 * <p>The master answers {@code Admin.hasUserPermissions} with a NullPointerException if it is asked outside of a call, hence
 * this class.
 */
final class TableOwners {
    /** The actions that allow a user to change the descriptor of a table. */
    static final Set<Action> RIGHTS = Set.of(Action.CREATE, Action.ADMIN);

    /** Precedes the name of a group in HBase's permissions. */
    private static final String GROUP = "@";

    private final Set<String> owners;

    private TableOwners(Set<String> owners) {
        this.owners = owners;
    }

    /**
     * Returns the owners of a table.
     *
     * @param admin of a user who may see all permissions
     */
    static TableOwners of(Admin admin, TableName table) throws IOException {
        Set<String> owners = new HashSet<>();
        for (GetUserPermissionsRequest.Builder part : List.of(
                GetUserPermissionsRequest.newBuilder(table),
                GetUserPermissionsRequest.newBuilder(table.getNamespaceAsString()),
                GetUserPermissionsRequest.newBuilder())) {
            for (UserPermission granted : admin.getUserPermissions(part.build())) {
                if (owns(granted)) {
                    owners.add(granted.getUser());
                }
            }
        }
        return new TableOwners(owners);
    }

    private static boolean owns(UserPermission granted) {
        boolean isOfPart = granted.getPermission() instanceof TablePermission permission && permission.hasFamily();
        return !isOfPart && RIGHTS.stream().anyMatch(granted.getPermission()::implies);
    }

    /**
     * Returns whether a user or group owns the table, or the user belongs to a group that does.
     *
     * @param groups returns the groups of a user; asked only if a group owns the table
     */
    boolean include(String user, Function<String, List<String>> groups) {
        if (owners.contains(user)) {
            return true;
        }
        return !user.startsWith(GROUP)
                && owners.stream().anyMatch(owner -> owner.startsWith(GROUP))
                && groups.apply(user).stream().map(GROUP::concat).anyMatch(owners::contains);
    }
}
