package org.diffindex.client;

import org.diffindex.model.ColumnType;

/**
 * A value of a query that is written as text. The type of its column parses it when the query is bound to the definition of
 * its index, so that it has the meaning that it has in that definition.
 */
record TextValue(String text) {
    /**
     * Returns the value bytes of a value of a query.
     *
     * @throws IllegalArgumentException if the value does not fit the type
     */
    static byte[] bytesOf(Object value, ColumnType type) {
        return value instanceof TextValue written ? type.parse(written.text) : type.toValue(value);
    }

    @Override
    public String toString() {
        return text;
    }
}
