package org.diffindex.model;

import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;

/**
 * The formats of indexes. A format covers the definition of an index, its entries, the descriptor of its table, and
 * what servers send each other about it. An index keeps the format with which it was created. A build reads and writes
 * every format up to its {@link #latest}, and refuses what names a later one, instead of ignoring what it does not
 * know.
 *
 * <p>A definition names its format as {@code "format"}; the descriptor of an index table names it under {@code
 * diffindex.format}, unless it is the {@link #FIRST}.
 *
 * <table>
 *   <caption>Formats</caption>
 *   <tr><th>format<th>what it adds
 *   <tr><td>1<td>
 *   <tr><td>2<td>descending columns ({@code TYPE:desc}), included columns ({@link IncludedColumns}), conditions
 *       ({@link ColumnCondition})
 * </table>
 */
public final class IndexFormat {
    /** The format that every build knows. */
    public static final int FIRST = 1;

    /** The remedy, for a message, of an index that only a later build knows. */
    public static final String REMEDY = "use the build of Diff-Index with which that index was made, or a later one";

    /** The first format with descending and included columns, and with conditions. */
    static final int KINDS = 2;

    private static final int LATEST = KINDS;

    private static final String VALUE = "diffindex.format";

    private IndexFormat() {}

    /** Returns the latest format that this build knows. */
    public static int latest() {
        return LATEST;
    }

    /**
     * Returns the latest format that the descriptor of a table names: of the indexes of the table, or of the index to
     * which the table belongs; {@link #FIRST} if it names none. A value that is not a number counts as later than any
     * format.
     */
    public static int namedBy(TableDescriptor table) {
        int ofIndexes = IndexDefinitions.texts(table).values().stream()
                .mapToInt(DefinitionJson::formatOf)
                .max()
                .orElse(FIRST);
        return Math.max(ofIndexes, parse(table.getValue(VALUE)));
    }

    /** Returns the format that the text of a definition names; {@link #FIRST} if the definition is broken. */
    public static int ofDefinition(String definition) {
        return DefinitionJson.formatOf(definition);
    }

    private static int parse(String format) {
        try {
            return format == null ? FIRST : Integer.parseInt(format);
        } catch (NumberFormatException e) {
            return Integer.MAX_VALUE;
        }
    }

    /** Makes the descriptor of an index table name the format of its index; returns the same builder. */
    static TableDescriptorBuilder mark(TableDescriptorBuilder indexTable, int format) {
        return format == FIRST ? indexTable : indexTable.setValue(VALUE, Integer.toString(format));
    }

    /**
     * Returns why this build cannot serve a table; empty if it knows every format that the table's descriptor names,
     * and the state of the index.
     */
    public static Optional<String> refusal(TableDescriptor table) {
        if (namedBy(table) > latest()) {
            return Optional.of("its format is " + namedBy(table) + ", and this build of Diff-Index knows formats up to "
                    + latest());
        }
        String state = table.getValue(IndexDefinitions.STATE);
        return state == null
                        || Stream.of(IndexState.values())
                                .anyMatch(known -> known.name().equals(state))
                ? Optional.empty()
                : Optional.of("its state is " + state + ", which this build of Diff-Index does not know");
    }

    /** Returns whether a table has an index whose definition only a later build can have written. */
    public static boolean isOfLaterBuild(TableDescriptor table) {
        return IndexDefinitions.texts(table).values().stream().anyMatch(DefinitionJson::isOfLaterBuild);
    }
}
