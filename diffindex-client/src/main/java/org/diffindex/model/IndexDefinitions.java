package org.diffindex.model;

import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
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
 * Index definitions in table descriptors. A base table's descriptor holds one value for each index, under
 * {@code diffindex.index.NAME}, as JSON: {@code {"columns": ["f:origin:string"], "scheme": "sync-full", "splits":
 * [BASE64], "state": "ACTIVE", "id": "5f3a9c01"}}. An index table's descriptor names its base table under
 * {@code diffindex.base} and has its index's id under {@code diffindex.id}.
 */
public final class IndexDefinitions {
    private static final String PREFIX = "diffindex.index.";
    private static final String BASE = "diffindex.base";
    private static final String ID = "diffindex.id";

    private IndexDefinitions() {}

    /**
     * The indexes of a table, by name.
     *
     * @throws IllegalArgumentException if a definition cannot be read; the message names it
     */
    public static Map<String, IndexDefinition> of(TableDescriptor descriptor) {
        Map<String, IndexDefinition> definitions = new TreeMap<>();
        descriptor.getValues().forEach((key, value) -> {
            String keyText = Bytes.toString(key.get(), key.getOffset(), key.getLength());
            if (keyText.startsWith(PREFIX)) {
                String name = keyText.substring(PREFIX.length());
                String json = Bytes.toString(value.get(), value.getOffset(), value.getLength());
                definitions.put(name, fromJson(descriptor.getTableName(), name, json));
            }
        });
        return definitions;
    }

    /** Whether the table has an index, also if its definition cannot be read. */
    public static boolean definesAny(TableDescriptor descriptor) {
        return descriptor.getValues().keySet().stream()
                .anyMatch(key -> Bytes.toString(key.get(), key.getOffset(), key.getLength())
                        .startsWith(PREFIX));
    }

    /** A descriptor that holds the definition, in place of one of the same name if there is one. */
    public static TableDescriptor with(TableDescriptor descriptor, IndexDefinition definition) {
        return TableDescriptorBuilder.newBuilder(descriptor)
                .setValue(PREFIX + definition.name(), toJson(definition))
                .build();
    }

    /** A descriptor without the definition of that name. */
    public static TableDescriptor without(TableDescriptor descriptor, String name) {
        return TableDescriptorBuilder.newBuilder(descriptor)
                .removeValue(Bytes.toBytes(PREFIX + name))
                .build();
    }

    /** The base table, if the descriptor is that of an index table. */
    public static Optional<TableName> baseTableOf(TableDescriptor descriptor) {
        return Optional.ofNullable(descriptor.getValue(BASE)).map(TableName::valueOf);
    }

    /** Marks a descriptor as that of an index table. */
    public static TableDescriptorBuilder markIndexTable(TableDescriptorBuilder builder, TableName base) {
        return builder.setValue(BASE, base.getNameAsString());
    }

    /** Marks a descriptor as that of the table of an index. */
    public static TableDescriptorBuilder markIndexTable(TableDescriptorBuilder builder, IndexDefinition definition) {
        return markIndexTable(builder, definition.table()).setValue(ID, definition.id());
    }

    /** The id of the index of which this is the table's descriptor; empty if it has none. */
    public static String indexIdOf(TableDescriptor descriptor) {
        return Optional.ofNullable(descriptor.getValue(ID)).orElse("");
    }

    static String toJson(IndexDefinition definition) {
        JsonArray columns = new JsonArray();
        definition.columns().forEach(column -> columns.add(column.toString()));
        JsonArray splits = new JsonArray();
        for (byte[] split : definition.splitPoints()) {
            splits.add(Base64.getEncoder().encodeToString(split));
        }
        JsonObject json = new JsonObject();
        json.add("columns", columns);
        json.addProperty("scheme", definition.scheme().schemeName());
        json.add("splits", splits);
        json.addProperty("state", definition.state().name());
        json.addProperty("id", definition.id());
        return json.toString();
    }

    static IndexDefinition fromJson(TableName table, String name, String text) {
        try {
            JsonObject json = JsonParser.parseString(text).getAsJsonObject();
            IndexDefinition.Builder builder = IndexDefinition.builder(table, name);
            texts(json, "columns").map(IndexedColumn::parse).forEach(builder::column);
            return builder.scheme(IndexScheme.ofName(text(member(json, "scheme"))))
                    .splitAtKeys(texts(json, "splits")
                            .map(Base64.getDecoder()::decode)
                            .toArray(byte[][]::new))
                    .build()
                    .withState(IndexState.valueOf(text(member(json, "state"))))
                    .withId(text(member(json, "id")));
        } catch (JsonParseException | IllegalStateException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "The definition of index " + name + " on " + table + " is not valid: " + e.getMessage()
                            + " [definition=" + text + "]",
                    e);
        }
    }

    private static JsonElement member(JsonObject json, String name) {
        JsonElement member = json.get(name);
        if (member == null) {
            throw new IllegalArgumentException("it has no \"" + name + "\"");
        }
        return member;
    }

    private static Stream<String> texts(JsonObject json, String name) {
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
