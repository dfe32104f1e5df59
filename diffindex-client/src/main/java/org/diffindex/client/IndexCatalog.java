package org.diffindex.client;

import java.io.IOException;
import java.util.Collection;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexNotLoadedException;
import org.diffindex.model.SessionChange;
import org.diffindex.model.TableIndexes;
import org.diffindex.model.UnloadedIndex;

/**
 * Caches the definitions of a table's indexes, so that a read makes no call for them. Before an index is reported as
 * unknown, the definitions are read again. Safe for use by many threads.
 *
 * <p>A definition never becomes outdated: it does not change until the index is dropped, and the table of the index
 * refuses reads before any write stops maintaining it. A reader that is refused calls {@link #forget} ({@link
 * FailedReads}). Nor does the state of an index have to be remembered: the regions of its table know it.
 */
final class IndexCatalog {
    /** Reads definitions. */
    @FunctionalInterface
    interface Source {
        TableIndexes read() throws IOException;

        /** Returns the exception for a read by an index that the definitions lack. */
        default IOException missing(TableName table, String index) {
            return new NoSuchIndexException(table, index);
        }
    }

    private final TableName table;
    private final Source source;

    /** Null if they are to be read. Written under the lock of this. */
    private volatile TableIndexes last;

    /** How often {@link #forget} was called: an answer to an earlier question is not stored. Guarded by this. */
    private long generation;

    IndexCatalog(TableName table, Source source) {
        this.table = table;
        this.source = source;
    }

    /** Returns the base table. */
    TableName table() {
        return table;
    }

    /** Returns the definitions as they were last read. */
    TableIndexes definitions() throws IOException {
        TableIndexes known = last;
        return known == null ? reread() : known;
    }

    /**
     * Returns the definition of an index, which may have any state.
     *
     * @throws NoSuchIndexException if the table has no index of that name
     * @throws org.diffindex.model.IndexNotReadableException if the index is DISABLED, and the caller may read its table
     * @throws IndexNotLoadedException if this client cannot load the index's definition
     */
    IndexDefinition index(String name) throws IOException {
        IndexDefinition definition = definitions().loaded().get(name);
        if (definition == null) {
            definition = reread().get(name);
        }
        if (definition == null) {
            throw source.missing(table, name);
        }
        return definition;
    }

    /** Reads the definitions again; returns whether the table still has this index, and not a later one of its name. */
    boolean has(IndexDefinition definition) throws IOException {
        IndexDefinition present = reread().get(definition.name());
        return present != null && present.id().equals(definition.id());
    }

    /** Discards the definitions, because one of them has changed; the next call reads them again. */
    synchronized void forget() {
        generation++;
        last = null;
    }

    /**
     * Discards the definitions if one of these changes, which concern existing indexes, is of an index that is not
     * among them.
     */
    void forgetUnless(Collection<SessionChange> ofKnown) {
        TableIndexes definitions = last;
        if (definitions != null && !ofKnown.stream().allMatch(change -> isKnown(change, definitions))) {
            forget();
        }
    }

    private static boolean isKnown(SessionChange change, TableIndexes definitions) {
        UnloadedIndex unloaded = definitions.unloaded().get(change.index());
        if (unloaded != null) {
            return unloaded.id().equals(change.indexId());
        }
        IndexDefinition definition = definitions.loaded().get(change.index());
        return definition != null && definition.id().equals(change.indexId());
    }

    private TableIndexes reread() throws IOException {
        long asked = generation();
        TableIndexes definitions = source.read();
        store(definitions, asked);
        return definitions;
    }

    private synchronized long generation() {
        return generation;
    }

    private synchronized void store(TableIndexes definitions, long asked) {
        if (asked == generation) {
            last = definitions;
        }
    }
}
