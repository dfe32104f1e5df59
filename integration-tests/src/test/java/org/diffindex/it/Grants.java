package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ServiceException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.UserPermission;
import org.diffindex.cluster.Conditions;

/** Grants permissions of HBase's AccessController, and tries what they permit. */
final class Grants {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Grants() {}

    /** Grants a permission; returns when the master knows it. */
    static void grant(Connection superuser, String user, Permission permission) throws IOException {
        try (Admin admin = superuser.getAdmin()) {
            admin.grant(new UserPermission(user, permission), true);
            assertThat(Conditions.await(PATIENCE, () -> admin.hasUserPermissions(user, List.of(permission))
                            .get(0)))
                    .as("%s has %s", user, permission)
                    .isTrue();
        }
    }

    /** Waits until a user may read in each region of a table; earlier grants on the table are effective then, too. */
    static void awaitReader(Connection superuser, Connection user, TableName name) throws IOException {
        try (RegionLocator locator = superuser.getRegionLocator(name);
                Table table = user.getTable(name)) {
            for (HRegionLocation region : locator.getAllRegionLocations()) {
                byte[] start = region.getRegion().getStartKey();
                Get get = new Get(start.length == 0 ? new byte[1] : start);
                assertThat(Conditions.await(PATIENCE, () -> isAllowed(() -> table.exists(get))))
                        .as("the user may read %s", region)
                        .isTrue();
            }
        }
    }

    /** An attempt of a user. */
    @FunctionalInterface
    interface Attempt {
        Object run() throws IOException, ServiceException;
    }

    /** Returns whether HBase permits an attempt; a permitted attempt must succeed. */
    static boolean isAllowed(Attempt attempt) throws IOException {
        try {
            Object unused = attempt.run();
            return true;
        } catch (AccessDeniedException e) {
            return false;
        } catch (ServiceException e) {
            if (e.getCause() instanceof AccessDeniedException) {
                return false;
            }
            throw new IOException(e);
        }
    }
}
