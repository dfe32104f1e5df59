package org.diffindex.cli.doctor;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.client.IndexStatus;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.TableIndexes;

/**
 * The state of a base or index table.
 *
 * @param descriptor its descriptor
 * @param enabled whether it is enabled; the regions of a disabled table are not open
 * @param regions its regions, in key order; none if it is disabled
 * @param status the state of index maintenance of a base table, if its regions reported it
 * @param undelivered batches of index updates that were accepted before the look and not delivered within 10 s
 * @param silence why the status or these batches are not known; empty if they are, or if they were not asked for
 */
record TableView(
        TableDescriptor descriptor,
        boolean enabled,
        List<RegionView> regions,
        Optional<IndexStatus> status,
        long undelivered,
        String silence) {
    /** Returns the view of a table whose index maintenance was not asked for. */
    static TableView notAsked(TableDescriptor descriptor, boolean enabled, List<RegionView> regions) {
        return new TableView(descriptor, enabled, regions, Optional.empty(), 0, "");
    }

    TableName name() {
        return descriptor.getTableName();
    }

    /** Returns the indexes of a base table; none for an index table. */
    TableIndexes indexes() {
        return TableIndexes.of(descriptor);
    }

    /** Returns the names of all indexes of a base table, whether their definitions can be loaded or not. */
    Set<String> indexNames() {
        return IndexDefinitions.texts(descriptor).keySet();
    }

    boolean isIndexTable() {
        return IndexDefinitions.baseTableOf(descriptor).isPresent();
    }
}
