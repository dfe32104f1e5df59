package org.diffindex.model;

import org.apache.hadoop.hbase.util.Bytes;

/** A type identified by its expression: types are equal if their expressions are. */
abstract class NamedType implements ColumnType {
    private final String expression;

    NamedType(String expression) {
        this.expression = expression;
    }

    @Override
    public final String expression() {
        return expression;
    }

    @Override
    public byte[] valueOf(byte[] cellBytes) throws UndecodableValueException {
        return cellBytes;
    }

    UndecodableValueException undecodable(byte[] value) {
        return new UndecodableValueException(describe(value));
    }

    String describe(byte[] value) {
        return "Not a value of type " + expression + ": " + Bytes.toStringBinary(value, 0, Math.min(64, value.length))
                + " (" + value.length + " bytes)";
    }

    IllegalArgumentException misfit(Object value) {
        String className = value == null ? "" : " (" + value.getClass().getSimpleName() + ")";
        return new IllegalArgumentException("Not a value of type " + expression + ": " + value + className);
    }

    IllegalArgumentException noKey() {
        return new IllegalArgumentException("Not the key bytes of a value of type " + expression);
    }

    @Override
    public final boolean equals(Object other) {
        return other instanceof NamedType that && that.expression.equals(expression);
    }

    @Override
    public final int hashCode() {
        return expression.hashCode();
    }

    @Override
    public final String toString() {
        return expression;
    }
}
