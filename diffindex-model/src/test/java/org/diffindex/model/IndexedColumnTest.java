package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.hadoop.hbase.util.Bytes;

class IndexedColumnTest {
    @Property
    void parsesTheTextOfAColumn(@ForAll("qualifiers") byte[] qualifier, @ForAll("types") ColumnType type) {
        IndexedColumn column = IndexedColumn.of(Bytes.toBytes("f"), qualifier, type);

        assertThat(IndexedColumn.parse(column.toString())).isEqualTo(column).hasSameHashCodeAs(column);
        assertThat(IndexedColumn.parseList(column + "," + column)).containsExactly(column, column);
    }

    @Provide
    Arbitrary<byte[]> qualifiers() {
        Arbitrary<String> signs = Arbitraries.of(":", ",", "(", ")", "#", "\\", "\\x41", " ", "a", "é")
                .list()
                .ofMaxSize(6)
                .map(parts -> String.join("", parts));
        return Arbitraries.oneOf(signs.map(Bytes::toBytes), Domain.anyBytes());
    }

    @Provide
    Arbitrary<ColumnType> types() {
        return Arbitraries.of(Domain.all()).map(Domain::type);
    }

    @Example
    void returnsItsFamilyAndHashesFamilyAndQualifier() {
        IndexedColumn column = IndexedColumn.of("f", "origin", ColumnTypes.STRING);
        assertThat(column.family()).isEqualTo(Bytes.toBytes("f"));
        assertThat(List.of(
                        column,
                        IndexedColumn.of("g", "origin", ColumnTypes.STRING),
                        IndexedColumn.of("f", "dest", ColumnTypes.STRING)))
                .extracting(IndexedColumn::hashCode)
                .doesNotHaveDuplicates();
    }

    @Example
    void aColumnWithoutATypeIsAString() {
        assertThat(IndexedColumn.parse("f:origin")).isEqualTo(IndexedColumn.of("f", "origin", ColumnTypes.STRING));
        assertThat(IndexedColumn.parse("f:origin:int")).isEqualTo(IndexedColumn.of("f", "origin", ColumnTypes.INT));
    }

    @Example
    void aQualifierMayBeEmptyOrBeyondAscii() {
        assertThat(IndexedColumn.parse("f::long")).isEqualTo(IndexedColumn.of("f", "", ColumnTypes.LONG));
        assertThat(IndexedColumn.parse("f:").qualifier()).isEmpty();
        assertThat(IndexedColumn.parse("f:prix_é").qualifier()).isEqualTo(Bytes.toBytes("prix_é"));
        assertThat(IndexedColumn.parse("f:a\\x3Ab").qualifier()).isEqualTo(Bytes.toBytes("a:b"));
    }

    @Example
    void theFieldOfAPackedColumnFollowsItsLayout() {
        IndexedColumn column = IndexedColumn.parse("f:q:struct(int,string)#1");
        assertThat(column.type()).isEqualTo(ColumnTypes.parse("struct(int,string)#1"));
        assertThat(column).hasToString("f:q:struct(int,string)#1");
    }

    @Example
    void splitsAListAtTheCommasOutsideParentheses() {
        assertThat(IndexedColumn.parseList("f:a:string,f:b:struct(int,string)#1,f:c"))
                .containsExactly(
                        IndexedColumn.of("f", "a", ColumnTypes.STRING),
                        IndexedColumn.of("f", "b", ColumnTypes.parse("struct(int,string)#1")),
                        IndexedColumn.of("f", "c", ColumnTypes.STRING));
        assertThat(IndexedColumn.parseList("f:a, f:b ")).isEqualTo(IndexedColumn.parseList("f:a,f:b"));
        assertThat(IndexedColumn.parseList("f:a")).isEqualTo(List.of(IndexedColumn.parse("f:a")));
    }

    @Example
    void refusesAnInvalidList() {
        for (String text : List.of("", " ", "f:a,", ",f:a", "f:a,,f:b", "f:a,origin")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> IndexedColumn.parseList(text))
                    .withMessageStartingWith("A column is written family:qualifier[:type], not '");
        }
        for (String text : List.of("f:a:struct(int,string#1,f:b", "f:a:int),f:b", "f:a)(:int")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> IndexedColumn.parseList(text))
                    .withMessageStartingWith("The parentheses do not match in '" + text + "'");
        }
    }

    @Example
    void refusesTextThatIsNotAColumn() {
        for (String text : List.of("origin", ":origin", "", ":")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> IndexedColumn.parse(text))
                    .withMessage("A column is written family:qualifier[:type], not '" + text + "'");
        }
        assertThatIllegalArgumentException().isThrownBy(() -> IndexedColumn.parse("f:q:"));
        assertThatIllegalArgumentException().isThrownBy(() -> IndexedColumn.parse("f:q:colour"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IndexedColumn.of("", "q", ColumnTypes.INT))
                .withMessage("An indexed column needs a column family");
    }

    @Example
    void copiesItsArrays() {
        byte[] family = Bytes.toBytes("f");
        IndexedColumn column = IndexedColumn.of(family, Bytes.toBytes("q"), ColumnTypes.INT);
        family[0] = 'x';
        column.qualifier()[0] = 'x';
        assertThat(column).hasToString("f:q:int");
    }
}
