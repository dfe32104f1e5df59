package org.diffindex.model;

import java.util.Collections;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;

/**
 * The indexes of a table, as a client knows them. Each definition is loaded by itself: one that cannot be loaded makes
 * only its own index unusable. A server, on the contrary, maintains all indexes of a table or none ({@link
 * IndexDefinitions#of}). Immutable.
 *
 * @param loaded the definitions that could be loaded, sorted by name
 * @param unloaded the other indexes, sorted by name
 */
public record TableIndexes(Map<String, IndexDefinition> loaded, Map<String, UnloadedIndex> unloaded) {
    /** The indexes of a table that has none. */
    public static final TableIndexes NONE = new TableIndexes(Map.of(), Map.of());

    /** Copies the maps. */
    public TableIndexes {
        loaded = Collections.unmodifiableMap(new TreeMap<>(loaded));
        unloaded = Collections.unmodifiableMap(new TreeMap<>(unloaded));
    }

    /** Loads the definitions in a table's descriptor. */
    public static TableIndexes of(TableDescriptor descriptor) {
        return of(descriptor.getTableName(), IndexDefinitions.texts(descriptor));
    }

    /**
     * Loads definitions.
     *
     * @param texts the definitions by name, as returned by {@link IndexDefinitions#texts}
     */
    public static TableIndexes of(TableName table, Map<String, String> texts) {
        Map<String, IndexDefinition> loaded = new TreeMap<>();
        Map<String, UnloadedIndex> unloaded = new TreeMap<>();
        texts.forEach((name, text) -> {
            try {
                loaded.put(name, IndexDefinitions.parse(table, name, text));
            } catch (IllegalArgumentException e) {
                unloaded.put(name, UnloadedIndex.of(table, name, text, e));
            }
        });
        return new TableIndexes(loaded, unloaded);
    }

    /**
     * Returns the definition of an index; null if the table has no index of that name.
     *
     * @throws IndexNotLoadedException if the definition cannot be loaded
     */
    public IndexDefinition get(String name) throws IndexNotLoadedException {
        UnloadedIndex index = unloaded.get(name);
        if (index != null) {
            throw new IndexNotLoadedException(index);
        }
        return loaded.get(name);
    }

    /** Returns the names of all indexes, sorted. */
    public SortedSet<String> names() {
        SortedSet<String> names = new TreeSet<>(loaded.keySet());
        names.addAll(unloaded.keySet());
        return names;
    }

    /** Returns whether the table has an index of that name, whether its definition can be loaded or not. */
    public boolean containsKey(String name) {
        return loaded.containsKey(name) || unloaded.containsKey(name);
    }
}
