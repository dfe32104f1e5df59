package org.diffindex.client;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.diffindex.model.SchemeState;
import org.diffindex.model.TableIndexes;

/** Looks at what descriptors say of the indexes of a table, for its {@link IndexStatus}. */
final class StatusLook {
    private StatusLook() {}

    /** Returns the status of a table whose regions have reported theirs. */
    static IndexStatus of(Connection connection, Admin admin, TableName table, List<RegionStatus> regions)
            throws IOException {
        TableIndexes all = Descriptors.definitions(admin, table);
        TableIndexes indexes = all.inService();
        Map<String, IndexState> states = new TreeMap<>();
        Map<String, SchemeState> schemes = new TreeMap<>();
        Map<String, String> unread = new TreeMap<>();
        for (String index : indexes.names()) {
            Optional<TableDescriptor> own = own(admin, table, index);
            own.map(IndexDefinitions::stateOf).ifPresent(state -> states.put(index, state));
            try {
                own.flatMap(IndexDefinitions::schemeStateOf).ifPresent(state -> schemes.put(index, state));
            } catch (IllegalArgumentException e) {
                unread.put(index, e.getMessage());
            }
        }
        return new IndexStatus(
                table,
                List.copyOf(indexes.loaded().values()),
                List.copyOf(indexes.unloaded().values()),
                states,
                regions,
                schemes,
                unread,
                ColumnsChanges.of(connection, admin, all));
    }

    private static Optional<TableDescriptor> own(Admin admin, TableName table, String index) throws IOException {
        TableName own;
        try {
            own = IndexDefinition.indexTable(table, index);
        } catch (IllegalArgumentException e) {
            return Optional.empty(); // a name that no table can have
        }
        return Descriptors.findVisible(admin, own);
    }
}
