package org.diffindex.server;

import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexedColumn;

/**
 * Tells which indexes are made of what expires. The table of such an index has the TTL of the column's family, and a cell
 * of it expires by its stamp as the base cell does by its timestamp; so both go at once if, and only if, they are the same.
 * Pure.
 */
final class TimeToLive {
    private TimeToLive() {}

    /** Whether a column of the index is of a family with a TTL. */
    static boolean limits(IndexDefinition index, TableDescriptor table) {
        for (IndexedColumn column : index.readColumns()) {
            ColumnFamilyDescriptor family = table.getColumnFamily(column.family());
            if (family != null && limits(family)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the cells of a family expire. */
    static boolean limits(ColumnFamilyDescriptor family) {
        return family.getTimeToLive() != HConstants.FOREVER;
    }
}
