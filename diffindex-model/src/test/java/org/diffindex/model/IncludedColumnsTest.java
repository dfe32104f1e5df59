package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** Tests that included values are read as they were written, and that their form does not change. */
class IncludedColumnsTest {
    private static final IncludedColumns COLUMNS =
            new IncludedColumns(IndexedColumn.parseList("f:delay:int,f:gate,f:packed:struct(int,string)#1"));

    private static Optional<Cell> cell(byte[] value) {
        return Optional.of(new KeyValue(new byte[] {'r'}, new byte[] {'f'}, new byte[] {'q'}, 5, value));
    }

    @Property
    void valuesAreReadAsTheyWereWritten(@ForAll byte[] first, @ForAll byte[] second, @ForAll byte kinds)
            throws UndecodableValueException {
        List<Optional<Cell>> cells = new ArrayList<>();
        cells.add((kinds & 1) == 0 ? Optional.empty() : cell(first));
        cells.add((kinds & 2) == 0 ? Optional.empty() : cell(second));
        cells.add((kinds & 4) == 0 ? Optional.empty() : cell(new byte[0]));

        List<Optional<byte[]>> values = COLUMNS.decode(COLUMNS.encode(cells)).orElseThrow();

        for (int i = 0; i < cells.size(); i++) {
            assertThat(values.get(i).isPresent()).isEqualTo(cells.get(i).isPresent());
        }
        assertThat(values.get(0).orElse(first)).isEqualTo(first);
        assertThat(values.get(1).orElse(second)).isEqualTo(second);
        assertThat(values.get(2).orElse(new byte[0])).isEmpty();
    }

    @Test
    void theFormDoesNotChange() throws UndecodableValueException {
        byte[] included = COLUMNS.encode(List.of(cell(new byte[] {7}), Optional.empty(), cell(new byte[0])));
        assertThat(included).containsExactly(0, 0, 0, 1, 7, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0);
    }

    @Test
    void whatNoIndexWritesIsNotDecoded() throws UndecodableValueException {
        byte[] included = COLUMNS.encode(List.of(cell(new byte[] {7}), Optional.empty(), cell(new byte[0])));
        assertThat(COLUMNS.decode(included)).isPresent();
        for (int length = 0; length < included.length; length++) {
            assertThat(COLUMNS.decode(Bytes.copy(included, 0, length)))
                    .as("%d bytes", length)
                    .isEmpty();
        }
        assertThat(COLUMNS.decode(Bytes.add(included, new byte[1]))).isEmpty();
        included[0] = (byte) 0x80;
        assertThat(COLUMNS.decode(included)).as("a negative length").isEmpty();
    }

    @Test
    void aValueThatIsTooLongIsNotIncluded() throws UndecodableValueException {
        List<Optional<Cell>> longest =
                List.of(Optional.empty(), cell(new byte[IncludedColumns.MOST_BYTES]), Optional.empty());
        assertThat(COLUMNS.encode(longest)).hasSize(12 + IncludedColumns.MOST_BYTES);
        List<Optional<Cell>> longer =
                List.of(Optional.empty(), cell(new byte[IncludedColumns.MOST_BYTES + 1]), Optional.empty());
        assertThatThrownBy(() -> COLUMNS.encode(longer))
                .isInstanceOf(UndecodableValueException.class)
                .hasMessage(
                        "A value of the included column f:gate:string has 65537 bytes, and an index includes values of up"
                                + " to 65536");
    }

    @Test
    void aValueThatItsTypeCannotReadIsShownInBinary() {
        List<IndexedColumn> columns = COLUMNS.columns();
        assertThat(IncludedColumns.format(columns.get(0), Bytes.toBytes(-7))).isEqualTo("-7");
        assertThat(IncludedColumns.format(columns.get(0), new byte[] {1})).isEqualTo("\\x01");
        assertThat(IncludedColumns.format(columns.get(1), new byte[] {(byte) 0xFF}))
                .isEqualTo("\\xFF");
        assertThat(IncludedColumns.format(columns.get(2), Bytes.add(Bytes.toBytes(1), Bytes.toBytes("B7"))))
                .isEqualTo("B7");
        assertThat(IncludedColumns.format(columns.get(2), new byte[] {1})).isEqualTo("\\x01");
    }

    @Test
    void aColumnIsFoundByItsName() {
        assertThat(COLUMNS.indexOf(Bytes.toBytes("f"), Bytes.toBytes("gate"))).isEqualTo(1);
        assertThat(COLUMNS.indexOf(Bytes.toBytes("g"), Bytes.toBytes("gate"))).isNegative();
        assertThat(COLUMNS).hasToString("f:delay:int,f:gate:string,f:packed:struct(int,string)#1");
    }
}
