package org.diffindex.client;

import java.io.IOException;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;

/**
 * The first half of {@link DiffIndexAdmin#createTable}, for tests in which another component creates the base table.
 */
public final class IndexedDescriptors {
    private IndexedDescriptors() {}

    /**
     * Creates the index tables, and returns the descriptor of a base table that has the indexes from its first row on.
     */
    public static TableDescriptor withIndexes(Admin admin, TableDescriptor base, List<IndexDefinition> indexes)
            throws IOException {
        TableDescriptor indexed = Coprocessors.withObserver(base, admin.getConfiguration());
        for (IndexDefinition index : indexes) {
            IndexDefinition active = index.withId(UUID.randomUUID().toString());
            Descriptors.create(
                    admin,
                    IndexTableLayout.of(active, IndexState.ACTIVE, base, admin.getConfiguration()),
                    active.splitPoints());
            indexed = IndexDefinitions.with(indexed, active);
        }
        return indexed;
    }
}
