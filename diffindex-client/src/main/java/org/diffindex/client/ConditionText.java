package org.diffindex.client;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexedColumn;

/** Writes the conditions of a query with the names of the columns, each value as its column's type formats it. */
final class ConditionText {
    private ConditionText() {}

    /**
     * Returns the conditions of one range, such as {@code f:origin = ORD, f:delay >= 5, f:delay < 10}.
     *
     * @param equalTo the equal values of the range
     * @param conditions those of the query, which fits the definition
     */
    static String of(List<Object> equalTo, QueryConditions conditions, IndexDefinition definition) {
        List<IndexedColumn> columns = definition.keyColumns();
        List<IndexedColumn> following = columns.subList(equalTo.size(), columns.size());
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < equalTo.size(); i++) {
            parts.add(nameOf(columns.get(i)) + " = " + text(columns.get(i), equalTo.get(i)));
        }
        conditions
                .prefix()
                .ifPresent(value ->
                        parts.add(nameOf(following.get(0)) + " begins with " + beginning(following.get(0), value)));
        bound(following, conditions.from(), " >= ", parts);
        bound(following, conditions.to(), conditions.toInclusive() ? " <= " : " < ", parts);
        return parts.isEmpty() ? "all keys" : String.join(", ", parts);
    }

    private static void bound(List<IndexedColumn> columns, List<Object> values, String sign, List<String> parts) {
        if (values.size() == 1) {
            parts.add(nameOf(columns.get(0)) + sign + text(columns.get(0), values.get(0)));
        } else if (values.size() > 1) {
            List<String> texts = new ArrayList<>();
            for (int i = 0; i < values.size(); i++) {
                texts.add(text(columns.get(i), values.get(i)));
            }
            String names = columns.subList(0, values.size()).stream()
                    .map(ConditionText::nameOf)
                    .collect(Collectors.joining(", ", "(", ")"));
            parts.add(names + sign + "(" + String.join(", ", texts) + ")");
        }
    }

    /** Returns {@code family:qualifier}. */
    static String nameOf(IndexedColumn column) {
        return Bytes.toStringBinary(column.family()) + ":" + Bytes.toStringBinary(column.qualifier());
    }

    private static String text(IndexedColumn column, Object value) {
        return column.type().format(TextValue.bytesOf(value, column.type()));
    }

    /** Returns a prefix; if it ends within a character, so that no text is formatted from it and read back, its bytes. */
    private static String beginning(IndexedColumn column, Object value) {
        byte[] bytes = TextValue.bytesOf(value, column.type());
        String text = column.type().format(bytes);
        return Arrays.equals(column.type().parse(text), bytes) ? text : Bytes.toStringBinary(bytes);
    }
}
