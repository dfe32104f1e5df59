package org.diffindex.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexedColumn;

/** One row found by a read by index. Immutable; its arrays are not copies and must not be modified. */
public final class IndexHit {
    private final IndexDefinition definition;
    private final IndexKeyCodec.Key key;
    private final IndexEntry entry;
    private final Optional<Result> result;
    private final FoundEntry found;

    /**
     * Creates a hit.
     *
     * @param found the entry at whose place it is returned: its own, or an earlier one of the row
     */
    IndexHit(
            IndexDefinition definition,
            IndexKeyCodec.Key key,
            IndexEntry entry,
            Optional<Result> result,
            FoundEntry found) {
        this.definition = definition;
        this.key = key;
        this.entry = entry;
        this.result = result;
        this.found = found;
    }

    /** Returns the key of the base row. */
    public byte[] row() {
        return key.row();
    }

    /** Returns the value bytes of the indexed columns, in the order of the index's columns. */
    public List<byte[]> values() {
        return key.values();
    }

    /**
     * Returns the base timestamp: the newest timestamp among the row's indexed and included cells, in milliseconds unless
     * clients set other timestamps.
     */
    public long timestamp() {
        return entry.timestamp();
    }

    /**
     * Returns the cell bytes of a column that the index {@linkplain IndexDefinition#included includes}; empty if the row has no
     * such cell, which an empty value is not. All values of a hit are those that the row had at one moment.
     *
     * @throws IllegalArgumentException if the index does not include the column
     * @throws IllegalStateException if the entry is damaged
     */
    public Optional<byte[]> included(String family, String qualifier) {
        return included(Bytes.toBytes(family), Bytes.toBytes(qualifier));
    }

    /** Returns the cell bytes of an included column, as {@link #included(String, String)}. */
    public Optional<byte[]> included(byte[] family, byte[] qualifier) {
        int position = definition.included().indexOf(family, qualifier);
        if (position < 0) {
            throw new IllegalArgumentException("Index " + definition.logicalName() + " does not include the column "
                    + Bytes.toStringBinary(family) + ":" + Bytes.toStringBinary(qualifier) + ", only ("
                    + definition.included()
                    + "); read it with the row (withRows), or include it (alter-index --include)");
        }
        return included().get(position);
    }

    /**
     * Returns the cell bytes of all included columns, in the order of the definition; of one that the row does not have, empty.
     *
     * @throws IllegalStateException if the entry is damaged
     */
    public List<Optional<byte[]>> included() {
        return definition
                .included()
                .decode(entry.included())
                .orElseThrow(() -> new IllegalStateException("The entry " + Bytes.toStringBinary(key()) + " of index "
                        + definition.logicalName() + " of table " + definition.table()
                        + " holds other bytes than those of its included columns; scrub the index with repair"));
    }

    /** Returns the row key of the index entry by which the hit was found. */
    public byte[] key() {
        return entry.key();
    }

    /**
     * Returns the value of a column of type {@code string}. A column is named {@code family:qualifier}, in which {@code \xNN}
     * denotes a byte; or {@code qualifier}, if no other column of the index has that; or {@code family:qualifier:type}, which
     * tells the fields of a packed column apart. A field has the type of the field.
     *
     * @throws HitColumnException if the index has no such column, or several, or if it is of another type
     */
    public String getString(String column) {
        return get(column, String.class);
    }

    /**
     * Returns the value of a column of type {@code int}, named as in {@link #getString}.
     *
     * @throws HitColumnException if the index has no such column, or several, or if it is of another type
     */
    public int getInt(String column) {
        return get(column, Integer.class);
    }

    /**
     * Returns the value of a column of type {@code long}, named as in {@link #getString}.
     *
     * @throws HitColumnException if the index has no such column, or several, or if it is of another type
     */
    public long getLong(String column) {
        return get(column, Long.class);
    }

    /**
     * Returns the value of a column of type {@code double}, named as in {@link #getString}.
     *
     * @throws HitColumnException if the index has no such column, or several, or if it is of another type
     */
    public double getDouble(String column) {
        return get(column, Double.class);
    }

    /**
     * Returns the value bytes of a column of any type, named as in {@link #getString}; of a field of a packed column, those of
     * the field.
     *
     * @throws HitColumnException if the index has no such column, or several
     */
    public byte[] getBytes(String column) {
        return values().get(HitColumns.position(definition, column));
    }

    /**
     * Returns the value of a column, named as in {@link #getString}, as the Java value that its type decodes ({@link
     * org.diffindex.model.ColumnType#toObject}), for a {@code class(NAME)} that of the class.
     *
     * @throws HitColumnException if the index has no such column, or several, or if the value is of another class, or null
     */
    public <T> T get(String column, Class<T> type) {
        int position = HitColumns.position(definition, column);
        return HitColumns.value(definition, position, values().get(position), type);
    }

    /**
     * Returns the base row with the columns for which the query asked: all of them, unless {@link
     * IndexQuery.Builder#withRows(String...)} named some. Empty if the row has none of these, as the result of a {@link
     * org.apache.hadoop.hbase.client.Get}; {@link #row} is the key of the row then, too.
     *
     * @throws IllegalStateException if the query was built without {@link IndexQuery.Builder#withRows}
     */
    public Result result() {
        return result.orElseThrow(() -> new IllegalStateException(
                "The query by index " + definition.name() + " requested keys only; build it with withRows()"));
    }

    /** Returns the key at which the scan was when it returned the hit; empty if it had passed all keys. */
    Optional<byte[]> position() {
        return found.late() ? Optional.empty() : Optional.of(found.key());
    }

    /** Returns the columns of the index by which the hit was found, in the order of {@link #values}. */
    public List<IndexedColumn> columns() {
        return definition.keyColumns();
    }

    /** Returns the columns that the index includes, in the order of {@link #included()}; none for most indexes. */
    public List<IndexedColumn> includedColumns() {
        return definition.included().columns();
    }

    /** Returns the values as text, each formatted by its column's type. */
    public List<String> text() {
        List<String> texts = new ArrayList<>(values().size());
        for (int i = 0; i < values().size(); i++) {
            texts.add(definition.keyColumns().get(i).type().format(values().get(i)));
        }
        return texts;
    }

    @Override
    public String toString() {
        return text() + " -> " + Bytes.toStringBinary(row()) + "@" + timestamp();
    }
}
