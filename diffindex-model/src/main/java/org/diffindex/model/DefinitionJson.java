package org.diffindex.model;

import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.hadoop.hbase.TableName;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParseException;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;

/** The JSON form of a definition in a table descriptor, as {@link IndexDefinitions} describes it. */
final class DefinitionJson {
    /** The members of definitions; {@code state} is one that earlier builds wrote and that has no meaning any more. */
    private static final Set<String> MEMBERS = Set.of(
            "format", "columns", "include", "where", "scheme", "splits", "id", "protected", "change", "role", "state");

    private DefinitionJson() {}

    /** Returns a definition as JSON. */
    static String of(IndexDefinition definition) {
        JsonArray columns = new JsonArray();
        definition.keyColumns().forEach(column -> columns.add(column.toString()));
        JsonArray splits = new JsonArray();
        for (byte[] split : definition.splitPoints()) {
            splits.add(Base64.getEncoder().encodeToString(split));
        }
        JsonObject json = new JsonObject();
        json.addProperty("format", definition.format());
        json.add("columns", columns);
        json.addProperty("scheme", definition.scheme().schemeName());
        json.add("splits", splits);
        json.addProperty("id", definition.id());
        if (!definition.included().isEmpty()) {
            JsonArray included = new JsonArray();
            definition.included().columns().forEach(column -> included.add(column.toString()));
            json.add("include", included);
        }
        if (!definition.conditions().isEmpty()) {
            json.add("where", ConditionJson.of(definition.conditions()));
        }
        if (definition.indexesProtectedCells()) {
            json.addProperty("protected", true);
        }
        if (!definition.change().isEmpty()) {
            json.addProperty("change", definition.change());
        }
        if (definition.role() != IndexRole.IN_SERVICE) {
            json.addProperty("role", definition.role().roleName());
        }
        return json.toString();
    }

    /** Returns the role that a definition names, of which other parts may be broken. */
    static IndexRole roleOf(String definition) {
        try {
            return memberOf(definition, "role").map(IndexRole::ofName).orElse(IndexRole.IN_SERVICE);
        } catch (IllegalArgumentException e) {
            return IndexRole.IN_SERVICE;
        }
    }

    /**
     * Parses a definition.
     *
     * @throws IllegalArgumentException if it cannot be parsed, or has a later format or another member than this build
     *     knows; the message names it
     */
    static IndexDefinition parse(TableName table, String name, String text) {
        try {
            JsonObject json = JsonParser.parseString(text).getAsJsonObject();
            if (formatIn(json) > IndexFormat.latest()) {
                throw new IllegalArgumentException("it has format " + formatIn(json)
                        + ", and this build of Diff-Index reads formats up to " + IndexFormat.latest());
            }
            Set<String> unknown = unknownMembers(json);
            if (!unknown.isEmpty()) {
                throw new IllegalArgumentException(
                        "it has the members " + unknown + ", which this build of Diff-Index does not know");
            }
            IndexDefinition.Builder builder =
                    IndexDefinition.builder(table, name).format(formatIn(json));
            list(json, "columns").map(IndexedColumn::parse).forEach(builder::column);
            optionalList(json, "include").map(IndexedColumn::parse).forEach(builder::include);
            ConditionJson.in(json).forEach(builder::where);
            if (json.has("protected") && Boolean.parseBoolean(text(json.get("protected")))) {
                builder.indexProtectedCells();
            }
            if (json.has("role")) {
                builder.role(IndexRole.ofName(text(json.get("role"))));
            }
            return builder.scheme(IndexScheme.ofName(text(member(json, "scheme"))))
                    .splitAtKeys(list(json, "splits")
                            .map(Base64.getDecoder()::decode)
                            .toArray(byte[][]::new))
                    .buildStored()
                    .withId(text(member(json, "id")))
                    .withChange(json.has("change") ? text(json.get("change")) : "");
        } catch (JsonParseException | IllegalStateException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "The definition of index " + name + " on " + table + " is not valid: " + e.getMessage()
                            + " [definition=" + text + "]",
                    e);
        }
    }

    /** Returns the format that a definition names; the first one if it names none. */
    private static int formatIn(JsonObject json) {
        return json.has("format") ? Integer.parseInt(text(json.get("format"))) : IndexFormat.FIRST;
    }

    private static Set<String> unknownMembers(JsonObject json) {
        Set<String> unknown = new TreeSet<>(json.keySet());
        unknown.removeAll(MEMBERS);
        return unknown;
    }

    /** Returns the format of a definition; the first one if the definition is broken. */
    static int formatOf(String definition) {
        try {
            return formatIn(JsonParser.parseString(definition).getAsJsonObject());
        } catch (JsonParseException | IllegalStateException | IllegalArgumentException e) {
            return IndexFormat.FIRST;
        }
    }

    /** Returns whether a definition has a later format than this build knows, or members that it does not know. */
    static boolean isOfLaterBuild(String definition) {
        try {
            JsonObject json = JsonParser.parseString(definition).getAsJsonObject();
            return formatIn(json) > IndexFormat.latest()
                    || !unknownMembers(json).isEmpty();
        } catch (JsonParseException | IllegalStateException | IllegalArgumentException e) {
            return false;
        }
    }

    /** Returns the columns in a definition, of whatever types; none if they cannot be parsed, or others may be read, too. */
    static List<IndexedColumn> columnsOf(String definition) {
        if (isOfLaterBuild(definition)) {
            return List.of();
        }
        try {
            JsonObject json = JsonParser.parseString(definition).getAsJsonObject();
            return Stream.of(list(json, "columns"), optionalList(json, "include"), ConditionJson.columnsIn(json))
                    .flatMap(columns -> columns)
                    .map(IndexedColumn::parseUntyped)
                    .toList();
        } catch (JsonParseException | IllegalStateException | IllegalArgumentException e) {
            return List.of();
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

    static JsonElement member(JsonObject json, String name) {
        JsonElement member = json.get(name);
        if (member == null) {
            throw new IllegalArgumentException("it has no \"" + name + "\"");
        }
        return member;
    }

    private static Stream<String> optionalList(JsonObject json, String name) {
        return json.has(name) ? list(json, name) : Stream.empty();
    }

    static Stream<String> list(JsonObject json, String name) {
        JsonElement member = member(json, name);
        if (!member.isJsonArray()) {
            throw new IllegalArgumentException("\"" + name + "\" is not a list");
        }
        return StreamSupport.stream(member.getAsJsonArray().spliterator(), false)
                .map(DefinitionJson::text);
    }

    static String text(JsonElement element) {
        if (!element.isJsonPrimitive()) {
            throw new IllegalArgumentException("there should be a text in place of a list or an object");
        }
        return element.getAsString();
    }
}
