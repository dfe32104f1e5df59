package org.diffindex.cli.doctor;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.client.IndexStatus;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;

/**
 * A base or index table as it was seen.
 *
 * @param enabled whether it is; the regions of one that is not are nowhere
 * @param regions its regions, in the order of their keys; none if it is disabled
 * @param status the upkeep of a base table's indexes, if its regions told
 * @param undelivered index updates that were accepted before the look and not delivered a while later
 */
record TableView(
        TableDescriptor descriptor,
        boolean enabled,
        List<RegionView> regions,
        Optional<IndexStatus> status,
        long undelivered) {
    TableName name() {
        return descriptor.getTableName();
    }

    /** The indexes of a base table, by name; none of an index table, and none if a definition cannot be read. */
    Map<String, IndexDefinition> definitions() {
        try {
            return IndexDefinitions.of(descriptor);
        } catch (IllegalArgumentException e) {
            return Map.of();
        }
    }

    boolean isIndexTable() {
        return IndexDefinitions.baseTableOf(descriptor).isPresent();
    }
}
