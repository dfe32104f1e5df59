package org.diffindex.model;

import java.util.Base64;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParseException;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;

/**
 * Reads and writes index definitions in table descriptors. A base table's descriptor holds one value per index, under
 * {@code diffindex.index.NAME}, as JSON: {@code {"columns": ["f:origin:string"], "scheme": "sync-full", "splits":
 * [BASE64], "id": "5f3a9c01"}}. An index table's descriptor names its base table under {@code
 * diffindex.base} and holds its index's id under {@code diffindex.id} and its {@linkplain IndexState state} under {@code
 * diffindex.state}; {@code diffindex.state.change} distinguishes the changes of the state.
 *
 * <p>{@code diffindex.revision} identifies the state of a table's definitions. {@link #with} and {@link #without}
 * replace it by the next one. The master accepts changed definitions only if their revision {@linkplain #isNextOf
 * follows} the table's, and only if nothing else in the descriptor changes, so that a stale descriptor cannot undo a
 * change. The lowest {@value #COUNT_BITS} bits count the changes. The {@value #DRAWN_BITS} bits above are drawn at random
 * for each, so that of two clients that make the same change the later one is recognized. The bits above these are drawn
 * when a table gets its first index, so that a change of earlier indexes, if all were dropped, is not mistaken for one of
 * the present ones.
 */
public final class IndexDefinitions {
    private static final String PREFIX = "diffindex.index.";
    private static final String BASE = "diffindex.base";
    private static final String ID = "diffindex.id";
    private static final String STATE = "diffindex.state";
    private static final String STATE_CHANGE = "diffindex.state.change";
    private static final String REVISION = "diffindex.revision";

    private static final int COUNT_BITS = 20;
    private static final int DRAWN_BITS = 22;
    private static final long FIRST_COUNT = 1;

    private IndexDefinitions() {}

    /**
     * Returns the indexes of a table, sorted by name.
     *
     * @throws IllegalArgumentException if a definition cannot be parsed; the message names it
     */
    public static Map<String, IndexDefinition> of(TableDescriptor descriptor) {
        Map<String, IndexDefinition> definitions = new TreeMap<>();
        texts(descriptor)
                .forEach((name, json) -> definitions.put(name, fromJson(descriptor.getTableName(), name, json)));
        return definitions;
    }

    /**
     * Returns the definitions of a table's indexes as the descriptor holds them, sorted by name, including definitions
     * that cannot be parsed.
     */
    public static Map<String, String> texts(TableDescriptor descriptor) {
        Map<String, String> texts = new TreeMap<>();
        descriptor.getValues().forEach((key, value) -> {
            String keyText = Bytes.toString(key.get(), key.getOffset(), key.getLength());
            if (keyText.startsWith(PREFIX)) {
                String json = Bytes.toString(value.get(), value.getOffset(), value.getLength());
                texts.put(keyText.substring(PREFIX.length()), json);
            }
        });
        return texts;
    }

    /** Returns whether the table has an index, including one whose definition cannot be parsed. */
    public static boolean definesAny(TableDescriptor descriptor) {
        return !texts(descriptor).isEmpty();
    }

    /** Returns a descriptor of the next revision that holds the definition, replacing one of the same name. */
    public static TableDescriptor with(TableDescriptor descriptor, IndexDefinition definition) {
        TableDescriptor defined = TableDescriptorBuilder.newBuilder(descriptor)
                .setValue(PREFIX + definition.name(), toJson(definition))
                .build();
        return withRevision(defined, next(revisionOf(descriptor)));
    }

    private static long next(long revision) {
        boolean isFirst = revision == 0;
        long series = isFirst ? draw(Long.SIZE - 1 - DRAWN_BITS - COUNT_BITS) : seriesOf(revision);
        long count = isFirst ? FIRST_COUNT : countOf(revision + 1);
        return (series << (DRAWN_BITS + COUNT_BITS)) + (draw(DRAWN_BITS) << COUNT_BITS) + count;
    }

    private static long draw(int bits) {
        return ThreadLocalRandom.current().nextLong(1L << bits);
    }

    private static long seriesOf(long revision) {
        return revision >>> (DRAWN_BITS + COUNT_BITS);
    }

    private static long countOf(long revision) {
        return revision & ((1L << COUNT_BITS) - 1);
    }

    /**
     * Returns whether the revision of a descriptor is a next one of another's: its count is one above and its series the
     * same, or it is a first one if the other has none.
     */
    public static boolean isNextOf(TableDescriptor current, TableDescriptor changed) {
        long before = revisionOf(current);
        long after = revisionOf(changed);
        return before == 0
                ? countOf(after) == FIRST_COUNT
                : seriesOf(after) == seriesOf(before) && countOf(after) == countOf(before + 1);
    }

    /**
     * Returns a descriptor of the next revision without the definition of that name; the same descriptor if it has no
     * such definition.
     */
    public static TableDescriptor without(TableDescriptor descriptor, String name) {
        byte[] key = Bytes.toBytes(PREFIX + name);
        if (descriptor.getValue(key) == null) {
            return descriptor;
        }
        TableDescriptor removed =
                TableDescriptorBuilder.newBuilder(descriptor).removeValue(key).build();
        return withRevision(removed, next(revisionOf(descriptor)));
    }

    /**
     * Returns the revision of the definitions of a base table's indexes; 0 if the table has no index, and has not had one
     * whose revision is left, or if the value is not a number, which only a change by hand can cause.
     */
    public static long revisionOf(TableDescriptor descriptor) {
        String revision = descriptor.getValue(REVISION);
        try {
            return revision == null ? 0 : Long.parseLong(revision);
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** Returns the descriptor with that revision; the same descriptor if it already has it. */
    public static TableDescriptor withRevision(TableDescriptor descriptor, long revision) {
        if (revision == revisionOf(descriptor)) {
            return descriptor;
        }
        TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(descriptor);
        return revision == 0
                ? builder.removeValue(Bytes.toBytes(REVISION)).build()
                : builder.setValue(REVISION, Long.toString(revision)).build();
    }

    /**
     * Returns a descriptor that asks the master to remove the revision from a table that has no index any more. It has
     * the next revision, which distinguishes it from a descriptor that was read before the first index was created.
     *
     * @param descriptor the table's descriptor, with a revision
     */
    public static TableDescriptor forgettingRevision(TableDescriptor descriptor) {
        return withRevision(descriptor, next(revisionOf(descriptor)));
    }

    /** Returns whether a descriptor asks to remove the revision of the current one ({@link #forgettingRevision}). */
    public static boolean forgetsRevision(TableDescriptor current, TableDescriptor changed) {
        return revisionOf(current) != 0 && isNextOf(current, changed) && !definesAny(current) && !definesAny(changed);
    }

    /** Returns the descriptor without definitions and without a revision. */
    public static TableDescriptor withoutAny(TableDescriptor descriptor) {
        TableDescriptorBuilder builder =
                TableDescriptorBuilder.newBuilder(descriptor).removeValue(Bytes.toBytes(REVISION));
        texts(descriptor).keySet().forEach(name -> builder.removeValue(Bytes.toBytes(PREFIX + name)));
        return builder.build();
    }

    /** Returns the base table if the descriptor belongs to an index table; empty also if no table can have that name. */
    public static Optional<TableName> baseTableOf(TableDescriptor descriptor) {
        String base = descriptor.getValue(BASE);
        try {
            return base == null ? Optional.empty() : Optional.of(TableName.valueOf(base));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    /** Marks a descriptor as an index table's; returns the same builder. */
    public static TableDescriptorBuilder markIndexTable(TableDescriptorBuilder builder, TableName base) {
        return builder.setValue(BASE, base.getNameAsString());
    }

    /** Marks a descriptor as the table of that index, in that state; returns the same builder. */
    public static TableDescriptorBuilder markIndexTable(
            TableDescriptorBuilder builder, IndexDefinition definition, IndexState state) {
        return markIndexTable(builder, definition.table())
                .setValue(ID, definition.id())
                .setValue(STATE, state.name());
    }

    /** Returns the id of the index to which this index table belongs; empty if the descriptor has none. */
    public static String indexIdOf(TableDescriptor descriptor) {
        return Optional.ofNullable(descriptor.getValue(ID)).orElse("");
    }

    /**
     * Returns the descriptor of an index table with a state. It always differs from the present one, in a value drawn at
     * random: that the stored descriptor has a state does not mean that all regions have been opened with it, and HBase
     * has opened them when it has changed the descriptor again.
     */
    public static TableDescriptor withState(TableDescriptor indexTable, IndexState state) {
        return TableDescriptorBuilder.newBuilder(indexTable)
                .setValue(STATE, state.name())
                .setValue(
                        STATE_CHANGE,
                        Long.toHexString(ThreadLocalRandom.current().nextLong()))
                .build();
    }

    /** Returns whether a descriptor of an index table results from another one by a change of the state. */
    public static boolean changesState(TableDescriptor current, TableDescriptor changed) {
        return stateOf(current) != stateOf(changed)
                || !Objects.equals(current.getValue(STATE_CHANGE), changed.getValue(STATE_CHANGE));
    }

    /** Returns whether two descriptors of an index table are the same but for the state. */
    public static boolean differOnlyInState(TableDescriptor one, TableDescriptor other) {
        return withoutState(one).equals(withoutState(other));
    }

    private static TableDescriptor withoutState(TableDescriptor indexTable) {
        return TableDescriptorBuilder.newBuilder(indexTable)
                .removeValue(Bytes.toBytes(STATE))
                .removeValue(Bytes.toBytes(STATE_CHANGE))
                .build();
    }

    /**
     * Returns the state of the index to which this index table belongs; {@link IndexState#BUILDING}, in which it is not
     * read, if the descriptor names none that this version knows.
     */
    public static IndexState stateOf(TableDescriptor indexTable) {
        String state = indexTable.getValue(STATE);
        return Stream.of(IndexState.values())
                .filter(known -> known.name().equals(state))
                .findFirst()
                .orElse(IndexState.BUILDING);
    }

    /** Returns whether the drop of the index to which this index table belongs has begun. */
    public static boolean isDropping(TableDescriptor indexTable) {
        return stateOf(indexTable) == IndexState.DROPPING;
    }

    static String toJson(IndexDefinition definition) {
        JsonArray columns = new JsonArray();
        definition.keyColumns().forEach(column -> columns.add(column.toString()));
        JsonArray splits = new JsonArray();
        for (byte[] split : definition.splitPoints()) {
            splits.add(Base64.getEncoder().encodeToString(split));
        }
        JsonObject json = new JsonObject();
        json.add("columns", columns);
        json.addProperty("scheme", definition.scheme().schemeName());
        json.add("splits", splits);
        json.addProperty("id", definition.id());
        return json.toString();
    }

    /**
     * Parses a definition as returned by {@link #texts}.
     *
     * @throws IllegalArgumentException if it cannot be parsed; the message names it
     */
    public static IndexDefinition parse(TableName table, String name, String text) {
        return fromJson(table, name, text);
    }

    static IndexDefinition fromJson(TableName table, String name, String text) {
        try {
            JsonObject json = JsonParser.parseString(text).getAsJsonObject();
            IndexDefinition.Builder builder = IndexDefinition.builder(table, name);
            list(json, "columns").map(IndexedColumn::parse).forEach(builder::column);
            return builder.scheme(IndexScheme.ofName(text(member(json, "scheme"))))
                    .splitAtKeys(list(json, "splits")
                            .map(Base64.getDecoder()::decode)
                            .toArray(byte[][]::new))
                    .buildStored()
                    .withId(text(member(json, "id")));
        } catch (JsonParseException | IllegalStateException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "The definition of index " + name + " on " + table + " is not valid: " + e.getMessage()
                            + " [definition=" + text + "]",
                    e);
        }
    }

    /** Returns a text in a definition, of which other parts may be broken; empty if there is none of that name. */
    static Optional<String> memberOf(String definition, String name) {
        try {
            return Optional.of(text(member(JsonParser.parseString(definition).getAsJsonObject(), name)));
        } catch (JsonParseException | IllegalStateException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static JsonElement member(JsonObject json, String name) {
        JsonElement member = json.get(name);
        if (member == null) {
            throw new IllegalArgumentException("it has no \"" + name + "\"");
        }
        return member;
    }

    private static Stream<String> list(JsonObject json, String name) {
        JsonElement member = member(json, name);
        if (!member.isJsonArray()) {
            throw new IllegalArgumentException("\"" + name + "\" is not a list but " + member);
        }
        return StreamSupport.stream(member.getAsJsonArray().spliterator(), false)
                .map(IndexDefinitions::text);
    }

    private static String text(JsonElement element) {
        if (!element.isJsonPrimitive()) {
            throw new IllegalArgumentException("there should be a text in place of " + element);
        }
        return element.getAsString();
    }
}
