package org.diffindex.model;

import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonElement;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;

/**
 * The JSON form of the conditions of a definition: a list {@code "where"} of objects {@code {"column": "f:status:string", "is":
 * "in", "values": [BASE64]}}, in which {@code is} may be {@code in}, {@code >=}, {@code >}, {@code <=}, {@code <}, {@code
 * present} or {@code absent}, and the values are value bytes.
 */
final class ConditionJson {
    private ConditionJson() {}

    static JsonArray of(List<ColumnCondition> conditions) {
        JsonArray array = new JsonArray();
        for (ColumnCondition condition : conditions) {
            JsonArray values = new JsonArray();
            condition.values().forEach(value -> values.add(Base64.getEncoder().encodeToString(value)));
            JsonObject object = new JsonObject();
            object.addProperty("column", condition.column().toString());
            object.addProperty("is", condition.operator().symbol());
            object.add("values", values);
            array.add(object);
        }
        return array;
    }

    /**
     * Returns the conditions of a definition.
     *
     * @throws IllegalArgumentException if they are not of this form, or of a later build
     */
    static List<ColumnCondition> in(JsonObject definition) {
        List<ColumnCondition> conditions = new ArrayList<>();
        objectsIn(definition).forEach(object -> {
            String symbol = DefinitionJson.text(DefinitionJson.member(object, "is"));
            ColumnCondition.Operator operator = ColumnCondition.Operator.of(symbol)
                    .orElseThrow(() -> new IllegalArgumentException(
                            "it has a condition with '" + symbol + "', which this build of Diff-Index does not know"));
            List<byte[]> values = DefinitionJson.list(object, "values")
                    .map(Base64.getDecoder()::decode)
                    .toList();
            conditions.add(new ColumnCondition(IndexedColumn.parse(columnOf(object)), operator, values));
        });
        return conditions;
    }

    /** Returns the columns of the conditions of a definition, as text. */
    static Stream<String> columnsIn(JsonObject definition) {
        return objectsIn(definition).map(ConditionJson::columnOf);
    }

    private static String columnOf(JsonObject condition) {
        return DefinitionJson.text(DefinitionJson.member(condition, "column"));
    }

    private static Stream<JsonObject> objectsIn(JsonObject definition) {
        JsonElement conditions = definition.has("where") ? definition.get("where") : new JsonArray();
        return StreamSupport.stream(conditions.getAsJsonArray().spliterator(), false)
                .map(JsonElement::getAsJsonObject);
    }
}
