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
 * The state of a base or index table.
 *
 * @param descriptor its descriptor
 * @param enabled whether it is enabled; the regions of a disabled table are not open
 * @param regions its regions, in key order; none if it is disabled
 * @param status the state of index maintenance of a base table, if its regions reported it
 * @param undelivered batches of index updates that were accepted before the look and not delivered within 10 s
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

    /** Returns the indexes of a base table, by name; none for an index table, or if a definition cannot be read. */
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
