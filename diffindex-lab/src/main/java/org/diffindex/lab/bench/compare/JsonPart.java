package org.diffindex.lab.bench.compare;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonPrimitive;

/**
 * A part of a JSON document. An exception says which part of the document is not what it should be.
 *
 * @param place the place in the document, such as {@code experiments[0].name}; empty for the whole document
 * @param json the part
 */
record JsonPart(String place, JsonElement json) {
    /** Returns the whole document. */
    static JsonPart of(JsonElement document) {
        return new JsonPart("", document);
    }

    /** Returns a member of this object; empty if it is absent or null. */
    Optional<JsonPart> member(String name) throws IOException {
        JsonElement member = object().get(name);
        return member == null || member.isJsonNull() ? Optional.empty() : Optional.of(part(name, member));
    }

    /**
     * Returns a member of this object.
     *
     * @throws IOException if it is absent or null
     */
    JsonPart required(String name) throws IOException {
        Optional<JsonPart> member = member(name);
        if (member.isEmpty()) {
            throw new IOException(part(name, json).place + " is missing");
        }
        return member.get();
    }

    /** Returns the members of this object, in order; without those that are null. */
    Map<String, JsonPart> members() throws IOException {
        Map<String, JsonPart> members = new LinkedHashMap<>();
        for (String name : object().keySet()) {
            member(name).ifPresent(member -> members.put(name, member));
        }
        return members;
    }

    /** Returns the elements of this array. */
    List<JsonPart> elements() throws IOException {
        check(json.isJsonArray(), "an array");
        List<JsonPart> elements = new ArrayList<>();
        for (JsonElement element : json.getAsJsonArray()) {
            elements.add(new JsonPart(place + "[" + elements.size() + "]", element));
        }
        return elements;
    }

    String text() throws IOException {
        return primitive(JsonPrimitive::isString, "a text").getAsString();
    }

    double number() throws IOException {
        return primitive(JsonPrimitive::isNumber, "a number").getAsDouble();
    }

    boolean truth() throws IOException {
        return primitive(JsonPrimitive::isBoolean, "true or false").getAsBoolean();
    }

    /** Returns this value as it is shown to people; the elements of an array are separated by commas. */
    String shown() {
        if (json.isJsonArray()) {
            return json.getAsJsonArray().asList().stream()
                    .map(element -> new JsonPart(place, element).shown())
                    .collect(Collectors.joining(",", "[", "]"));
        }
        return json.isJsonPrimitive() ? json.getAsString() : json.toString();
    }

    private JsonPart part(String name, JsonElement member) {
        return new JsonPart(place.isEmpty() ? name : place + "." + name, member);
    }

    private JsonObject object() throws IOException {
        check(json.isJsonObject(), "an object");
        return json.getAsJsonObject();
    }

    private JsonPrimitive primitive(Predicate<JsonPrimitive> kind, String wanted) throws IOException {
        check(json.isJsonPrimitive() && kind.test(json.getAsJsonPrimitive()), wanted);
        return json.getAsJsonPrimitive();
    }

    private void check(boolean right, String wanted) throws IOException {
        if (!right) {
            throw new IOException((place.isEmpty() ? "the content" : place) + " is not " + wanted);
        }
    }
}
