package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;

/** Tests the properties of index keys that section 3 of the design states, for every type and for composites. */
class IndexKeyPropertyTest {
    /** Two rows of one table: a cell for each indexed column, and the base row key. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record TwoRows(List<Domain> columns, List<byte[]> cells, byte[] row, List<byte[]> otherCells, byte[] otherRow) {
        @Override
        public String toString() {
            return columns + " " + text(cells) + "/" + Bytes.toStringBinary(row) + " and " + text(otherCells) + "/"
                    + Bytes.toStringBinary(otherRow);
        }

        private static List<String> text(List<byte[]> cells) {
            return cells.stream().map(Bytes::toStringBinary).toList();
        }
    }

    @Property
    void keysOfOneColumnSortAsItsValuesThenTheRows(@ForAll("rowsOfOneColumn") TwoRows rows)
            throws UndecodableValueException {
        assertSorted(rows);
    }

    @Property
    void keysOfACompositeSortColumnByColumnThenByTheRows(@ForAll("rowsOfAComposite") TwoRows rows)
            throws UndecodableValueException {
        assertSorted(rows);
    }

    @Property
    void aKeyDecodesToItsValuesAndItsRow(@ForAll("rowsOfAComposite") TwoRows rows) throws UndecodableValueException {
        List<byte[]> values = valuesOf(rows.columns(), rows.cells());
        IndexKeyCodec codec = codecOf(rows.columns());

        IndexKeyCodec.Key key = codec.decode(codec.encode(values, rows.row()));

        assertThat(key.row()).isEqualTo(rows.row());
        assertThat(key.values()).hasSameSizeAs(values);
        for (int i = 0; i < values.size(); i++) {
            assertThat(key.values().get(i)).isEqualTo(canonical(rows.columns().get(i), values.get(i)));
        }
    }

    @Property
    void aPrefixMatchesExactlyTheKeysWithItsValues(@ForAll("rowsOfAComposite") TwoRows rows)
            throws UndecodableValueException {
        IndexKeyCodec codec = codecOf(rows.columns());
        byte[] key = codec.encode(valuesOf(rows.columns(), rows.otherCells()), rows.otherRow());
        for (int length = 0; length <= rows.columns().size(); length++) {
            List<Domain> leading = rows.columns().subList(0, length);
            byte[] prefix = codec.prefix(valuesOf(leading, rows.cells()));

            assertThat(Bytes.startsWith(key, prefix))
                    .as("%d columns", length)
                    .isEqualTo(compare(leading, rows.cells(), rows.otherCells()) == 0);
        }
    }

    @Property
    void anyCellIsEitherIndexedOrUndecodable(@ForAll("domains") Domain domain, @ForAll("anyBytes") byte[] cell) {
        IndexKeyCodec codec = codecOf(List.of(domain));
        try {
            byte[] value = domain.type().valueOf(cell);
            byte[] key = codec.encode(List.of(value), Bytes.toBytes("row"));
            assertThat(codec.decode(key).values()).containsExactly(canonical(domain, value));
        } catch (UndecodableValueException e) {
            assertThat(e).hasMessageStartingWith("Not a value of type ");
        }
    }

    @Property
    void anyBytesAreEitherAKeyOrRefused(@ForAll("rowsOfAComposite") TwoRows rows, @ForAll int at, @ForAll byte other)
            throws UndecodableValueException {
        IndexKeyCodec codec = codecOf(rows.columns());
        byte[] key = codec.encode(valuesOf(rows.columns(), rows.cells()), rows.row());
        int position = Math.floorMod(at, key.length);
        byte[] changed = key.clone();
        changed[position] = other;

        assertKeyOrRefused(codec, changed);
        assertKeyOrRefused(codec, Arrays.copyOf(key, position));
    }

    private static void assertKeyOrRefused(IndexKeyCodec codec, byte[] bytes) {
        try {
            IndexKeyCodec.Key key = codec.decode(bytes);
            assertThat(bytes).endsWith(key.row());
            assertThat(key.values()).doesNotContainNull();
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageStartingWith("Not a key of an index on ");
        }
    }

    private static void assertSorted(TwoRows rows) throws UndecodableValueException {
        IndexKeyCodec codec = codecOf(rows.columns());
        byte[] key = codec.encode(valuesOf(rows.columns(), rows.cells()), rows.row());
        byte[] otherKey = codec.encode(valuesOf(rows.columns(), rows.otherCells()), rows.otherRow());

        int owed = compare(rows.columns(), rows.cells(), rows.otherCells());
        if (owed == 0) {
            owed = Arrays.compareUnsigned(rows.row(), rows.otherRow());
        }
        assertThat(Integer.signum(Arrays.compareUnsigned(key, otherKey))).isEqualTo(Integer.signum(owed));
    }

    private static int compare(List<Domain> columns, List<byte[]> left, List<byte[]> right) {
        for (int i = 0; i < columns.size(); i++) {
            int order = columns.get(i).order().compare(left.get(i), right.get(i));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }

    private static List<byte[]> valuesOf(List<Domain> columns, List<byte[]> cells) throws UndecodableValueException {
        List<byte[]> values = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            values.add(columns.get(i).type().valueOf(cells.get(i)));
        }
        return values;
    }

    /** Returns the value or, for any NaN, the canonical NaN of {@link Double#doubleToLongBits}. */
    private static byte[] canonical(Domain domain, byte[] value) {
        ColumnType type = domain.type().ascending();
        boolean fraction = type.equals(ColumnTypes.DOUBLE) || type.expression().endsWith("#2");
        return fraction && Double.isNaN(Bytes.toDouble(value)) ? Bytes.toBytes(Double.NaN) : value;
    }

    private static IndexKeyCodec codecOf(List<Domain> columns) {
        IndexDefinition.Builder builder = IndexDefinition.builder(TableName.valueOf("t"), "i");
        for (int i = 0; i < columns.size(); i++) {
            builder.column("f", "q" + i, columns.get(i).type());
        }
        return new IndexKeyCodec(builder.build());
    }

    @Provide
    Arbitrary<Domain> domains() {
        return Arbitraries.of(Domain.all());
    }

    @Provide
    Arbitrary<byte[]> anyBytes() {
        return Domain.anyBytes();
    }

    @Provide
    Arbitrary<TwoRows> rowsOfOneColumn() {
        return domains().map(List::of).flatMap(IndexKeyPropertyTest::rowsOf);
    }

    @Provide
    Arbitrary<TwoRows> rowsOfAComposite() {
        return domains().list().ofMinSize(1).ofMaxSize(4).flatMap(IndexKeyPropertyTest::rowsOf);
    }

    /** Returns two rows; in each column the second often has the first one's value. */
    private static Arbitrary<TwoRows> rowsOf(List<Domain> columns) {
        Arbitrary<List<byte[]>> cells = cellsOf(columns);
        Arbitrary<List<Boolean>> same = Arbitraries.of(true, false).list().ofSize(columns.size());
        return Combinators.combine(cells, Domain.anyBytes(), cells, Domain.anyBytes(), same)
                .as((left, leftRow, right, rightRow, shared) -> {
                    List<byte[]> other = new ArrayList<>();
                    for (int i = 0; i < columns.size(); i++) {
                        other.add(shared.get(i) ? left.get(i) : right.get(i));
                    }
                    return new TwoRows(columns, left, leftRow, other, rightRow);
                });
    }

    private static Arbitrary<List<byte[]>> cellsOf(List<Domain> columns) {
        Arbitrary<List<byte[]>> cells = Arbitraries.create(List::of);
        for (Domain column : columns) {
            cells = Combinators.combine(cells, column.cells()).as((before, cell) -> {
                List<byte[]> all = new ArrayList<>(before);
                all.add(cell);
                return all;
            });
        }
        return cells;
    }
}
