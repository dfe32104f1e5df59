package org.diffindex.client;

import java.io.IOException;
import java.util.Collection;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.SessionChange;

/**
 * The definitions of a table's indexes, remembered so that a read makes no call for them. An index that is unknown or not
 * readable is looked for again before that is reported. Safe for use by many threads.
 *
 * <p>A definition that can be read never goes out of date: it changes no more until its index is dropped, and the tables of
 * indexes refuse reads of an index that was dropped. Whoever is refused calls {@link #forget}.
 */
final class IndexCatalog {
    /** Where definitions are read. */
    @FunctionalInterface
    interface Source {
        Map<String, IndexDefinition> read() throws IOException;
    }

    private final TableName table;
    private final Source source;

    /** Null until they are read. */
    private volatile Map<String, IndexDefinition> last;

    IndexCatalog(TableName table, Source source) {
        this.table = table;
        this.source = source;
    }

    /** The definitions by name, as they were read last. */
    Map<String, IndexDefinition> definitions() throws IOException {
        Map<String, IndexDefinition> known = last;
        return known == null ? reread() : known;
    }

    /**
     * The definition of an index that can be read.
     *
     * @throws NoSuchIndexException if the table has no index of that name
     * @throws IndexNotReadableException if it is still being filled
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

    /** Some definition has changed: they are read again when they are next asked for. */
    void forget() {
        last = null;
    }

    /** Tells changes of indexes that there are; if one is not known, the definitions are read again when next asked for. */
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
