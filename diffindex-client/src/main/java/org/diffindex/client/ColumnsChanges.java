package org.diffindex.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.model.GenerationName;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexRole;
import org.diffindex.model.IndexState;
import org.diffindex.model.TableIndexes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks how far changes of the columns of indexes are. */
final class ColumnsChanges {
    private static final Logger LOG = LoggerFactory.getLogger(ColumnsChanges.class);

    private ColumnsChanges() {}

    /**
     * Returns the changes under way of the indexes of a table, by the names of the indexes; leaves out those to a definition
     * that this client cannot load.
     */
    static Map<String, ColumnsChangeStatus> of(Connection connection, Admin admin, TableIndexes indexes)
            throws IOException {
        Map<String, ColumnsChangeStatus> changes = new TreeMap<>();
        for (IndexDefinition shadow : indexes.ofRole(IndexRole.SHADOW).loaded().values()) {
            changes.put(shadow.logicalName(), look(connection, admin, shadow));
        }
        return changes;
    }

    /** Returns the change under way of one index. */
    static Optional<ColumnsChangeStatus> of(Connection connection, Admin admin, TableIndexes indexes, String index)
            throws IOException {
        Optional<String> shadow = indexes.generation(GenerationName.of(index).index(), IndexRole.SHADOW);
        return shadow.isPresent() ? Optional.of(look(connection, admin, indexes.get(shadow.get()))) : Optional.empty();
    }

    private static ColumnsChangeStatus look(Connection connection, Admin admin, IndexDefinition shadow)
            throws IOException {
        Optional<IndexState> state = Descriptors.stateOf(admin, shadow.indexTable());
        Optional<BuildStatus> build =
                state.filter(IndexState::isIncomplete).isPresent() ? build(connection, shadow) : Optional.empty();
        return new ColumnsChangeStatus(shadow, state, build);
    }

    private static Optional<BuildStatus> build(Connection connection, IndexDefinition shadow) throws IOException {
        try {
            return new BuildCalls(connection).status(shadow);
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            LOG.debug("How far the build of {} is, is not known", shadow, e);
            return Optional.empty();
        }
    }
}
