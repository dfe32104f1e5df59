package org.diffindex.model;

import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;

/**
 * An index of a table whose definition this process cannot load: either a user's class behind a column type is missing
 * or fails here, which says nothing about the index itself, or the definition is broken, or was written by a later build.
 * Immutable.
 *
 * @param table the base table
 * @param name the name of the {@linkplain GenerationName generation} of the index
 * @param id the index's id ({@link IndexDefinition#id}); empty if the definition does not tell it
 * @param scheme the index's scheme; empty if the definition does not tell it
 * @param text the definition, as the table's descriptor holds it
 * @param problem why it cannot be loaded
 * @param lacksClass whether the reason is a class, so that a process that has the class can load the index
 */
public record UnloadedIndex(
        TableName table,
        String name,
        String id,
        Optional<IndexScheme> scheme,
        String text,
        String problem,
        boolean lacksClass) {
    /** Returns the index of a definition that could not be loaded for the given reason. */
    static UnloadedIndex of(TableName table, String name, String text, IllegalArgumentException failure) {
        boolean lacksClass = failure.getCause() instanceof UnloadableTypeException;
        return new UnloadedIndex(
                table,
                name,
                DefinitionJson.memberOf(text, "id").orElse(""),
                DefinitionJson.memberOf(text, "scheme").flatMap(UnloadedIndex::schemeOf),
                text,
                (lacksClass ? failure.getCause() : failure).getMessage(),
                lacksClass);
    }

    private static Optional<IndexScheme> schemeOf(String name) {
        try {
            return Optional.of(IndexScheme.ofName(name));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Returns the columns that the index reads, all of them as bytes; none if the definition does not tell them. */
    public List<IndexedColumn> columns() {
        return DefinitionJson.columnsOf(text);
    }

    /** Returns the name by which users know the index. */
    public String logicalName() {
        return GenerationName.of(name).index();
    }

    /** Returns the part that the definition plays for the index, as far as it tells. */
    public IndexRole role() {
        return DefinitionJson.roleOf(text);
    }

    /** Returns whether sessions may have to remember their changes of the index. */
    public boolean mayHaveSessions() {
        return scheme.map(IndexScheme::hasSessions).orElse(true);
    }

    /**
     * Returns whether only a later build can have written the definition, so that a process of that build can load it.
     */
    public boolean isOfLaterBuild() {
        return DefinitionJson.isOfLaterBuild(text);
    }

    /** Returns, for a message, what to do so that this process can load the index. */
    public String remedy() {
        if (isOfLaterBuild()) {
            return IndexFormat.REMEDY;
        }
        return lacksClass
                ? "put the class, as the region servers have it, on the class path of this client"
                : "drop that index, or correct the table's descriptor";
    }
}
