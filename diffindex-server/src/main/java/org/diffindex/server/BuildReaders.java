package org.diffindex.server;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Query;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.filter.BinaryComparator;
import org.apache.hadoop.hbase.filter.FamilyFilter;
import org.apache.hadoop.hbase.filter.Filter;
import org.apache.hadoop.hbase.filter.FilterList;
import org.diffindex.model.BuildFamily;

/**
 * Hides what a build remembers in the table of its index ({@link BuildFamily}) from all but the owners of the table, as whom the
 * master reads it. It includes the keys of rows that no entry has: whoever may read the columns of an index may read its table,
 * and need not be allowed to see the rows without these columns. Thread-safe; immutable.
 */
final class BuildReaders {
    /** Empty if the table has no such family. */
    private final Optional<CallPermissions> permissions;

    /** Creates the check for the table of a region. */
    BuildReaders(RegionCoprocessorEnvironment env) {
        this(
                env.getRegion().getTableDescriptor().hasColumnFamily(BuildFamily.NAME)
                        ? Optional.of(CallPermissions.of(env))
                        : Optional.empty());
    }

    BuildReaders(Optional<CallPermissions> permissions) {
        this.permissions = permissions;
    }

    /** Returns whether there is nothing to hide from the caller. */
    boolean mayReadAll() throws IOException {
        return permissions.isEmpty() || permissions.get().mayOwn();
    }

    /**
     * Leaves the family out of a read by anybody else.
     *
     * @throws IOException if the caller cannot be determined
     */
    void restrict(Query read) throws IOException {
        if (!mayReadAll()) {
            Filter others = new FamilyFilter(CompareOperator.NOT_EQUAL, new BinaryComparator(BuildFamily.NAME));
            read.setFilter(read.getFilter() == null ? others : new FilterList(others, read.getFilter()));
        }
    }
}
