package org.diffindex.model;

import java.util.Optional;
import org.apache.hadoop.hbase.util.PositionedByteRange;

/**
 * Defines how the bytes of an indexed column are read and how they are encoded in an index key.
 *
 * <p>A value has three forms: the <em>cell bytes</em> that a user stored; the <em>value bytes</em>, which are the cell
 * bytes themselves or, for a field of a packed column, the bytes of that field alone; and the <em>key bytes</em>, a
 * self-delimiting encoding that sorts, compared as unsigned bytes, as the values do. Queries take and entries show
 * value bytes.
 *
 * <p>Implementations are immutable and thread-safe.
 */
public interface ColumnType {
    /** Returns the type's expression, which {@link ColumnTypes#parse} parses into an equal type. */
    String expression();

    /**
     * Returns the value bytes inside cell bytes. Does not validate the value: {@link #encode} does.
     *
     * @throws UndecodableValueException if the value cannot be located in the cell bytes
     */
    byte[] valueOf(byte[] cellBytes) throws UndecodableValueException;

    /**
     * Appends the key bytes of a value at the destination's position.
     *
     * @throws UndecodableValueException if the value bytes are not of this type
     */
    void encode(byte[] value, PositionedByteRange destination) throws UndecodableValueException;

    /**
     * Decodes the key bytes at the source's position into value bytes, and advances the position past them.
     *
     * @throws IllegalArgumentException if there are no key bytes of this type at the position
     */
    byte[] decode(PositionedByteRange source);

    /**
     * Returns the bytes with which the key bytes of exactly those values begin that begin with the given bytes, which need
     * not be a value themselves; empty if the values of this type have no prefixes, as numbers.
     */
    default Optional<byte[]> keyPrefix(byte[] beginning) {
        return Optional.empty();
    }

    /** Returns an upper bound, in bytes, of the key bytes of a value of that many bytes. */
    int maxEncodedLength(int valueLength);

    /**
     * Returns the value bytes of a Java value. A {@code byte[]} is returned as is, unchecked; any other object must fit
     * the type.
     *
     * @throws IllegalArgumentException if it does not fit
     */
    byte[] toValue(Object value);

    /**
     * Parses a value written as text, as on a command line, into value bytes.
     *
     * @throws IllegalArgumentException if the text is not in the type's text form
     */
    byte[] parse(String text);

    /** Returns the text form of a value; {@link #parse} reads it back for every built-in type. */
    String format(byte[] value);

    /**
     * Returns whether the text form has escapes of its own: each byte that is not a printable character of ASCII, and each
     * backslash, is written {@code \xNN}. False by default.
     */
    default boolean escapesBytes() {
        return false;
    }
}
