package org.diffindex.model;

import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;

/**
 * The indexes of a table, as a client knows them. Each definition is loaded by itself: one that cannot be loaded makes
 * only its own index unusable. A server, on the contrary, maintains all indexes of a table or none ({@link
 * IndexDefinitions#of}). Immutable.
 *
 * <p>A definition of each {@linkplain GenerationName generation} of an index is there by its own name. Readers use the one that
 * is {@linkplain #named in service}.
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
     * Returns the definition by which readers use an index; null if the table has no index of that name that is in service.
     *
     * @param index the name of the index, or that of the generation that is in service
     * @throws IndexNotLoadedException if the definition cannot be loaded
     */
    public IndexDefinition named(String index) throws IndexNotLoadedException {
        for (IndexDefinition definition : loaded.values()) {
            if (definition.role() == IndexRole.IN_SERVICE && isName(index, definition.name())) {
                return definition;
            }
        }
        for (UnloadedIndex definition : unloaded.values()) {
            if (definition.role() == IndexRole.IN_SERVICE && isName(index, definition.name())) {
                throw new IndexNotLoadedException(definition);
            }
        }
        return null;
    }

    /** Returns whether {@link #named} returns a definition. */
    public boolean isLoaded(String index) {
        return loaded.values().stream()
                .anyMatch(each -> each.role() == IndexRole.IN_SERVICE && isName(index, each.name()));
    }

    private static boolean isName(String index, String generation) {
        return index.equals(generation)
                || index.equals(GenerationName.of(generation).index());
    }

    /** Returns the definitions that readers use. */
    public TableIndexes inService() {
        return ofRole(IndexRole.IN_SERVICE);
    }

    /** Returns the definitions of one role. */
    public TableIndexes ofRole(IndexRole role) {
        return new TableIndexes(
                loaded.entrySet().stream()
                        .filter(each -> each.getValue().role() == role)
                        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)),
                unloaded.entrySet().stream()
                        .filter(each -> each.getValue().role() == role)
                        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }

    /** Returns the name of the generation of an index that has a role; empty if none has. */
    public Optional<String> generation(String index, IndexRole role) {
        return ofRole(role).names().stream()
                .filter(name -> GenerationName.of(name).index().equals(index))
                .findFirst();
    }

    /**
     * Returns the definition of that name, whatever its role; null if the table has none.
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
