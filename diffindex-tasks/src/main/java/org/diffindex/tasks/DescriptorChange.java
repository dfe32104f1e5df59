package org.diffindex.tasks;

import java.io.IOException;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinitions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replaces the descriptor of a table by one that was made from it and changes its indexes, or the state of an index. The master
 * refuses that if another client has changed the table since the descriptor was read, because it would undo the other change.
 */
public final class DescriptorChange {
    private static final Logger LOG = LoggerFactory.getLogger(DescriptorChange.class);
    private static final long MASTER_AWAY_MS = TimeUnit.MINUTES.toMillis(2);

    private DescriptorChange() {}

    /**
     * Replaces a descriptor; returns when HBase has opened every region of the table with the changed one.
     *
     * <p>HBase's client takes a change for made when the master is stopping, and the next master may not have begun with it, or
     * may not have opened all regions. So if there is another master now, the change is made once more, so that it is {@linkplain
     * IndexDefinitions#redrawn refused} once the first is stored, or {@linkplain IndexDefinitions#again repeated} if that is stored.
     *
     * @param current the descriptor as it was read
     * @return false if the table has neither of the descriptors by now, so that the change is to be made from the present one,
     *     if that still lacks it
     * @throws DoNotRetryIOException if the master refused the change of the table as it is
     */
    public static boolean isMade(Admin admin, TableDescriptor current, TableDescriptor changed) throws IOException {
        return isModified(admin, current, changed, admin::modifyTable);
    }

    /**
     * Replaces a descriptor likewise, and tells how it asked.
     *
     * @param asked receives each descriptor just before the master is asked for it. If this returns false, any of them may have
     *     been stored, and changed by another client since
     */
    static boolean isMade(
            Admin admin, TableDescriptor current, TableDescriptor changed, Consumer<TableDescriptor> asked)
            throws IOException {
        return isModified(admin, current, changed, descriptor -> {
            asked.accept(descriptor);
            admin.modifyTable(descriptor);
        });
    }

    /** Replaces a descriptor likewise, without opening the regions again. */
    public static boolean isMadeWithoutReopening(Admin admin, TableDescriptor current, TableDescriptor changed)
            throws IOException {
        return isModified(admin, current, changed, descriptor -> admin.modifyTable(descriptor, false));
    }

    /** A call of the master. */
    @FunctionalInterface
    private interface Modification {
        void make(TableDescriptor changed) throws IOException;
    }

    private static boolean isModified(
            Admin admin, TableDescriptor current, TableDescriptor changed, Modification modification)
            throws IOException {
        Retries retries = new Retries(MASTER_AWAY_MS, () -> {});
        TableDescriptor before = current;
        TableDescriptor after = changed;
        try {
            while (true) {
                ServerName master = admin.getMaster();
                modification.make(after);
                // A master that is stopping does not answer this. So if the same one is there afterwards, the change is
                // made.
                Optional<TableDescriptor> found = retries.get(() -> find(admin, current.getTableName()));
                if (Objects.equals(admin.getMaster(), master)) {
                    return true;
                }
                LOG.info("The master {} stopped during a change of {}", master, current.getTableName());
                if (found.equals(Optional.of(after))) {
                    before = after;
                    after = IndexDefinitions.again(after);
                } else if (found.equals(Optional.of(before))) {
                    after = IndexDefinitions.redrawn(after); // the next master may store the first one yet
                } else {
                    return false;
                }
            }
        } catch (DoNotRetryIOException e) {
            if (find(admin, current.getTableName()).equals(Optional.of(before))) {
                throw e;
            }
            return false;
        }
    }

    /** Returns the descriptor of a table; empty if there is no such table. */
    public static Optional<TableDescriptor> find(Admin admin, TableName table) throws IOException {
        try {
            return Optional.of(admin.getDescriptor(table));
        } catch (TableNotFoundException e) {
            return Optional.empty();
        }
    }
}
