package org.diffindex.client;

import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexNotLoadedException;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.SessionChange;
import org.diffindex.model.TableIndexes;
import org.diffindex.model.UnloadedIndex;

/**
 * Caches the definitions of a table's indexes, so that a read makes no call for them. Before an index is reported as
 * unknown, the definitions are read again. Safe for use by many threads.
 *
 * <p>A definition that is outdated misleads no reader. When the columns of an index were changed, every write maintains what it
 * was before until the regions of its table refuse readers, as in a drop ({@link IndexScanner} then goes over to the index as it
 * is now). Until the index is dropped only its scheme may change, and the regions of
 * the index table refuse readers that read by another scheme than they demand; what they demand is remembered ({@link
 * #changed}). They refuse all reads before any write stops maintaining the index. A reader that is refused calls {@link
 * #forget} ({@link FailedReads}). Nor does the state of an index have to be remembered: the regions of its table know it.
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

    /** The schemes by which indexes must be read, by their ids, as their tables have said, if not as they are defined. */
    private final Map<String, IndexScheme> readAs = new ConcurrentHashMap<>();

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
     * Returns the definition by which readers use an index, which may have any state.
     *
     * @param name the name of the index, or of its generation in service
     * @throws NoSuchIndexException if the table has no index of that name
     * @throws org.diffindex.model.IndexNotReadableException if the index is DISABLED, and the caller may read its table
     * @throws IndexNotLoadedException if this client cannot load the index's definition
     */
    IndexDefinition index(String name) throws IOException {
        TableIndexes known = definitions();
        IndexDefinition definition = known.isLoaded(name) ? known.named(name) : reread().named(name);
        if (definition == null) {
            throw source.missing(table, name);
        }
        return definition;
    }

    /** Returns the definition of an index like {@link #index}, with the scheme by which its table is to be read. */
    IndexDefinition toRead(String name) throws IOException {
        IndexDefinition definition = index(name);
        IndexScheme demanded = readAs.get(definition.id());
        return demanded == null ? definition : definition.withScheme(demanded);
    }

    /**
     * Discards the definitions, because the scheme of an index has changed or is being changed.
     *
     * @param demanded the scheme by which the index table is to be read; empty if that is not known
     */
    void changed(IndexDefinition index, Optional<IndexScheme> demanded) {
        demanded.ifPresent(scheme -> readAs.put(index.id(), scheme));
        forget();
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
     * among them, or whose scheme has no sessions according to them.
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
        return definition != null
                && definition.id().equals(change.indexId())
                && definition.scheme().hasSessions();
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
            Map<String, IndexScheme> defined = new HashMap<>();
            definitions.loaded().values().forEach(index -> defined.put(index.id(), index.scheme()));
            readAs.entrySet()
                    .removeIf(demand -> demand.getValue() == defined.getOrDefault(demand.getKey(), demand.getValue()));
        }
    }
}
