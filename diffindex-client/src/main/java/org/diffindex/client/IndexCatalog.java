package org.diffindex.client;

import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.SessionChange;

/**
 * Caches the definitions of a table's indexes, so that a read makes no call for them. Before an index is reported as
 * unknown or not readable, its definition is read again. Safe for use by many threads.
 *
 * <p>The definition of a readable index never becomes outdated: it does not change until the index is dropped, and the
 * table of a dropped index refuses reads by it. A reader that is refused calls {@link #forget}.
 */
final class IndexCatalog {
    /** Reads definitions. */
    @FunctionalInterface
    interface Source {
        Map<String, IndexDefinition> read() throws IOException;
    }

    private final TableName table;
    private final Source source;

    /** Null if they are to be read. */
    private volatile Map<String, IndexDefinition> last;

    IndexCatalog(TableName table, Source source) {
        this.table = table;
        this.source = source;
    }

    /** Returns the definitions by name, as they were last read. */
    Map<String, IndexDefinition> definitions() throws IOException {
        Map<String, IndexDefinition> known = last;
        return known == null ? reread() : known;
    }

    /**
     * Returns the definition of an index that can be read.
     *
     * @throws NoSuchIndexException if the table has no index of that name
     * @throws IndexNotReadableException if the index is BUILDING
     */
    IndexDefinition readable(String index) throws IOException {
        IndexDefinition definition = definitions().get(index);
        if (definition == null || !definition.state().isReadable()) {
            definition = reread().get(index);
        }
        if (definition == null) {
            throw new NoSuchIndexException(table, index);
        }
        if (!definition.state().isReadable()) {
            throw new IndexNotReadableException(definition);
        }
        return definition;
    }

    /** Discards the definitions, because one of them has changed; the next call reads them again. */
    void forget() {
        last = null;
    }

    /**
     * Discards the definitions if one of these changes, which concern existing indexes, is of an index that is not
     * among them.
     */
    void forgetUnless(Collection<SessionChange> ofKnown) {
        Map<String, IndexDefinition> definitions = last;
        if (definitions != null && !ofKnown.stream().allMatch(change -> isKnown(change, definitions))) {
            forget();
        }
    }

    private static boolean isKnown(SessionChange change, Map<String, IndexDefinition> definitions) {
        IndexDefinition definition = definitions.get(change.index());
        return definition != null && definition.id().equals(change.indexId());
    }

    private Map<String, IndexDefinition> reread() throws IOException {
        Map<String, IndexDefinition> definitions = source.read();
        last = definitions;
        return definitions;
    }
}
