package org.diffindex.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.PositionedByteRange;
import org.apache.hadoop.hbase.util.SimplePositionedMutableByteRange;

/**
 * Encodes and decodes the row keys of an index table: the key bytes of the column values, in the order of the
 * definition, followed by the base row key, unencoded. Each value's encoding is self-delimiting, so no separator is
 * needed, and the encoding of the leading columns is a prefix of the key. Compared as unsigned bytes, keys sort by the
 * values, column by column, and then by base row.
 *
 * <p>Immutable and thread-safe.
 */
public final class IndexKeyCodec {
    /** The length of the longest row key that HBase accepts, in bytes. Those of an index are shorter. */
    public static final int MAX_KEY_LENGTH = HConstants.MAX_ROW_LENGTH;

    /**
     * The length of the name of a region in hbase:meta without that of its table and its start key: {@code
     * TABLE,KEY,TIMESTAMP.ENCODED.}
     */
    private static final int REST_OF_REGION_NAME = 49;

    private final List<IndexedColumn> columns;

    public IndexKeyCodec(IndexDefinition definition) {
        this.columns = definition.keyColumns();
    }

    /**
     * Returns the length, in bytes, of the longest key in an index table. HBase's client finds the region of a key by a
     * lookup of {@code TABLE,KEY,99999999999999} in hbase:meta, and a region that begins with the key has an even longer
     * name there; neither may be longer than {@link #MAX_KEY_LENGTH}.
     */
    public static int maxKeyLength(TableName indexTable) {
        return MAX_KEY_LENGTH - indexTable.getName().length - REST_OF_REGION_NAME;
    }

    /** A decoded index row key: the value bytes of each column, and the base row key. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Key(List<byte[]> values, byte[] row) {}

    /**
     * Returns the index row key of a base row with these value bytes, one for each column.
     *
     * @throws UndecodableValueException if a value is not of its column's type
     * @throws IllegalArgumentException if the number of values is not the number of columns
     */
    public byte[] encode(List<byte[]> values, byte[] row) throws UndecodableValueException {
        if (values.size() != columns.size()) {
            throw new IllegalArgumentException(
                    "The index has " + columns.size() + " columns, but " + values.size() + " values were given");
        }
        return encode(columns, values, row);
    }

    /**
     * Returns the prefix shared by exactly the keys with these value bytes in their leading columns.
     *
     * @throws IllegalArgumentException if there are more values than columns, or one is not of its column's type
     */
    public byte[] prefix(List<byte[]> values) {
        return encodePrefix(columns, values);
    }

    static byte[] encodePrefix(List<IndexedColumn> columns, List<byte[]> values) {
        if (values.size() > columns.size()) {
            throw new IllegalArgumentException(
                    "The index has " + columns.size() + " columns, but " + values.size() + " values were given");
        }
        try {
            return encode(columns, values, new byte[0]);
        } catch (UndecodableValueException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    /**
     * Returns the key bytes of a value of a column.
     *
     * @throws UndecodableValueException if the value is not of the column's type
     */
    static byte[] keyOf(IndexedColumn column, byte[] value) throws UndecodableValueException {
        return encode(List.of(column), List.of(value), new byte[0]);
    }

    private static byte[] encode(List<IndexedColumn> columns, List<byte[]> values, byte[] row)
            throws UndecodableValueException {
        int bound = row.length;
        for (int i = 0; i < values.size(); i++) {
            bound += columns.get(i).type().maxEncodedLength(values.get(i).length);
        }
        PositionedByteRange key = new SimplePositionedMutableByteRange(bound);
        for (int i = 0; i < values.size(); i++) {
            columns.get(i).type().encode(values.get(i), key);
        }
        key.put(row);
        return key.getPosition() == bound ? key.getBytes() : Arrays.copyOf(key.getBytes(), key.getPosition());
    }

    /**
     * Returns the first bytes of a key: those of the values of its first columns, of these types.
     *
     * @throws IllegalArgumentException if the bytes are not a key whose first columns have these types
     */
    public static byte[] beginning(byte[] key, List<ColumnType> types) {
        PositionedByteRange source = new SimplePositionedMutableByteRange(key);
        try {
            types.forEach(type -> type.decode(source));
            return Arrays.copyOf(key, source.getPosition());
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "Not a key that begins with " + types + ": " + Bytes.toStringBinary(key), e);
        }
    }

    /**
     * Decodes an index row key.
     *
     * @throws IllegalArgumentException if the bytes are not a key of this index
     */
    public Key decode(byte[] key) {
        PositionedByteRange source = new SimplePositionedMutableByteRange(key);
        try {
            List<byte[]> values = new ArrayList<>(columns.size());
            for (IndexedColumn column : columns) {
                values.add(column.type().decode(source));
            }
            return new Key(values, Arrays.copyOfRange(key, source.getPosition(), key.length));
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    "Not a key of an index on " + columns + ": " + Bytes.toStringBinary(key), e);
        }
    }
}
