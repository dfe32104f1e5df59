package org.diffindex.model;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The columns of a base row that the entries of a covering index include besides their key, so that a read needs no base row; none
 * for most indexes. An entry includes the cell bytes, as a get shows them, whether or not they are a value of the column's
 * type, which only formats them as text.
 *
 * <p>The included values of an entry are one array of bytes: for each column, in the order of the definition, its length (4
 * bytes, big-endian) and the cell bytes, or the length -1 if the row has no such cell. Immutable; thread-safe.
 */
public final class IncludedColumns {
    /** The most columns that an index includes. */
    public static final int MOST_COLUMNS = 32;

    /**
     * The most bytes of an included cell. With {@link #MOST_COLUMNS} an entry stays below the size of a cell that HBase accepts,
     * 10 MB by default.
     */
    public static final int MOST_BYTES = 64 << 10;

    /** The columns of an index that includes none. */
    static final IncludedColumns NONE = new IncludedColumns(List.of());

    private static final int ABSENT = -1;

    private final List<IndexedColumn> columns;

    IncludedColumns(List<IndexedColumn> columns) {
        this.columns = List.copyOf(columns);
    }

    /** Returns the columns, in the order of the definition. */
    public List<IndexedColumn> columns() {
        return columns;
    }

    /** Returns whether the index includes no columns. */
    public boolean isEmpty() {
        return columns.isEmpty();
    }

    /** Returns the position of a column; negative if it is not included. */
    public int indexOf(byte[] family, byte[] qualifier) {
        for (int i = 0; i < columns.size(); i++) {
            if (columns.get(i).isColumn(family, qualifier)) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Returns the included values of an entry as bytes.
     *
     * @param cells the cell of each column, empty if the row has none
     * @throws UndecodableValueException if a cell is longer than {@link #MOST_BYTES}
     */
    byte[] encode(List<Optional<Cell>> cells) throws UndecodableValueException {
        int length = 0;
        for (int i = 0; i < columns.size(); i++) {
            int ofValue = cells.get(i).map(Cell::getValueLength).orElse(0);
            requireShort(columns.get(i), ofValue);
            length += Integer.BYTES + ofValue;
        }
        ByteBuffer bytes = ByteBuffer.allocate(length);
        for (Optional<Cell> cell : cells) {
            bytes.putInt(cell.map(Cell::getValueLength).orElse(ABSENT));
            cell.ifPresent(value -> bytes.put(value.getValueArray(), value.getValueOffset(), value.getValueLength()));
        }
        return bytes.array();
    }

    /**
     * Requires that the bytes of a cell can be included.
     *
     * @throws UndecodableValueException if there are too many
     */
    public static void requireShort(IndexedColumn column, int length) throws UndecodableValueException {
        if (length > MOST_BYTES) {
            throw new UndecodableValueException("A value of the included column " + column + " has " + length
                    + " bytes, and an index includes values of up to " + MOST_BYTES);
        }
    }

    /**
     * Returns the cell bytes of each column, empty if the row had none, as {@link #encode} has written them; empty if
     * nothing that it writes are these bytes.
     */
    public Optional<List<Optional<byte[]>>> decode(byte[] included) {
        ByteBuffer bytes = ByteBuffer.wrap(included);
        List<Optional<byte[]>> values = new ArrayList<>(columns.size());
        while (values.size() < columns.size() && bytes.remaining() >= Integer.BYTES) {
            int length = bytes.getInt();
            if (length < ABSENT || length > bytes.remaining()) {
                return Optional.empty();
            }
            values.add(length == ABSENT ? Optional.empty() : Optional.of(next(bytes, length)));
        }
        return values.size() == columns.size() && !bytes.hasRemaining() ? Optional.of(values) : Optional.empty();
    }

    private static byte[] next(ByteBuffer bytes, int length) {
        byte[] value = new byte[length];
        bytes.get(value);
        return value;
    }

    /** Returns cell bytes as text: the value as its column's type formats it, or else the bytes in binary notation. */
    public static String format(IndexedColumn column, byte[] cellBytes) {
        try {
            byte[] value = column.type().valueOf(cellBytes);
            byte[] unused = IndexKeyCodec.keyOf(column, value);
            return column.type().format(value);
        } catch (UndecodableValueException e) {
            return Bytes.toStringBinary(cellBytes);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IncludedColumns that && columns.equals(that.columns);
    }

    @Override
    public int hashCode() {
        return columns.hashCode();
    }

    /** Returns the columns as in a list, {@code f:delay:int,f:gate:string}. */
    @Override
    public String toString() {
        return String.join(",", columns.stream().map(IndexedColumn::toString).toList());
    }
}
