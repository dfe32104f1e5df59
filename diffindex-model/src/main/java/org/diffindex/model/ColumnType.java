package org.diffindex.model;

import org.apache.hadoop.hbase.util.PositionedByteRange;

/**
 * How the bytes of an indexed column are read, and how they stand in an index key.
 *
 * <p>Three shapes of a value meet here: the <em>cell bytes</em> that a user stored; the <em>value bytes</em>, which are
 * the cell bytes themselves or, for a field of a packed column, the bytes of that field alone; and the <em>key bytes</em>,
 * an encoding that ends itself and sorts, compared as unsigned bytes, as the values do. Value bytes are what queries take and what entries show.
 *
 * <p>Implementations are immutable and safe for use by many threads.
 *
 * @see ColumnTypes
 */
public interface ColumnType {
    /** The type's expression, from which {@link ColumnTypes#parse} makes an equal type. */
    String expression();

    /**
     * The value bytes inside cell bytes.
     *
     * @throws UndecodableValueException if the cell bytes are not of this type
     */
    byte[] valueOf(byte[] cellBytes) throws UndecodableValueException;

    /**
     * Appends the key bytes of a value at the destination's position.
     *
     * @throws UndecodableValueException if the value bytes are not of this type
     */
    void encode(byte[] value, PositionedByteRange destination) throws UndecodableValueException;

    /**
     * Reads key bytes at the source's position, which is moved behind them, back into value bytes.
     *
     * @throws IllegalArgumentException if no key bytes of this type stand there
     */
    byte[] decode(PositionedByteRange source);

    /** No value of that many bytes has a longer key encoding than this. */
    int maxEncodedLength(int valueLength);

    /**
     * The value bytes of a Java value: a {@code byte[]} is taken as it is, anything else must fit the type.
     *
     * @throws IllegalArgumentException if it does not fit
     */
    byte[] toValue(Object value);

    /**
     * The value bytes of a value written as text, as on a command line.
     *
     * @throws IllegalArgumentException if the text does not name a value of this type
     */
    byte[] parse(String text);

    /** The text of a value; {@link #parse} reads it back for every built-in type. */
    String format(byte[] value);
}
