package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.apache.hadoop.hbase.types.OrderedInt32;
import org.apache.hadoop.hbase.types.RawInteger;
import org.apache.hadoop.hbase.types.RawString;
import org.apache.hadoop.hbase.types.RawStringTerminated;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.PositionedByteRange;
import org.apache.hadoop.hbase.util.SimplePositionedMutableByteRange;

class ColumnTypesTest {
    private static final String EPOCH_DAY = "class(" + EpochDay.class.getName() + ")";

    @Property
    void parsesTheTextOfAValue(@ForAll("typedValues") Tuple.Tuple2<ColumnType, byte[]> typed) {
        ColumnType type = typed.get1();
        byte[] value = typed.get2();

        assertThat(type.parse(type.format(value))).isEqualTo(value);
    }

    @Property
    void returnsTheJavaValueOfWhichAValueIsMade(@ForAll("typedValues") Tuple.Tuple2<ColumnType, byte[]> typed) {
        ColumnType type = typed.get1();
        byte[] value = typed.get2();

        assertThat(type.toValue(type.toObject(value))).isEqualTo(value);
    }

    @Example
    void aJavaValueIsOfTheTypesClass() {
        assertThat(ColumnTypes.STRING.toObject(Bytes.toBytes("x"))).isEqualTo("x");
        assertThat(ColumnTypes.INT.toObject(Bytes.toBytes(1))).isEqualTo(1);
        assertThat(ColumnTypes.LONG.toObject(Bytes.toBytes(1L))).isEqualTo(1L);
        assertThat(ColumnTypes.DOUBLE.toObject(Bytes.toBytes(1.5))).isEqualTo(1.5);
        assertThat(ColumnTypes.parse("struct(int,string)#1").toObject(Bytes.toBytes("x")))
                .isEqualTo("x");
        LocalDate day = LocalDate.of(2008, 1, 3);
        ColumnType custom = ColumnTypes.parse(EPOCH_DAY);
        assertThat(custom.toObject(custom.toValue(day))).isEqualTo(day);
    }

    @Example
    void bytesOfAnotherTypeHaveNoJavaValue() {
        for (String type : List.of("int", "long", "double", EPOCH_DAY)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ColumnTypes.parse(type).toObject(new byte[7]))
                    .withMessageContaining("Not a value of type " + type);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ColumnTypes.STRING.toObject(new byte[] {(byte) 0xFF}))
                .withMessageContaining("Not a value of type string");
    }

    /** Values of every type whose cells equal its values. The only NaN among them is the canonical one. */
    @Provide
    Arbitrary<Tuple.Tuple2<ColumnType, byte[]>> typedValues() {
        return Arbitraries.of(
                        Domain.bytes(),
                        Domain.string(),
                        Domain.ofInt(),
                        Domain.ofLong(),
                        Domain.ofDouble(),
                        Domain.custom())
                .flatMap(domain -> domain.cells().map(value -> Tuple.of(domain.type(), value)))
                .filter(typed -> !typed.get1().equals(ColumnTypes.DOUBLE) || isCanonical(typed.get2()));
    }

    private static boolean isCanonical(byte[] fraction) {
        double value = Bytes.toDouble(fraction);
        return Double.doubleToLongBits(value) == Double.doubleToRawLongBits(value);
    }

    @Property
    void returnsTheBytesOfAFieldThatHBaseWrote(@ForAll("structs") byte[] cell) throws UndecodableValueException {
        for (int field = 0; field < 4; field++) {
            ColumnType type = Domain.structField(field).type();
            byte[] value = type.valueOf(cell);
            assertThat(value).isEqualTo(type.toValue(Domain.fieldOf(cell, field)));
        }
    }

    @Provide
    Arbitrary<byte[]> structs() {
        return Domain.structField(0).cells();
    }

    /** A user's own type, which HBase ends by a terminator. */
    public static final class Code extends RawStringTerminated {
        public Code() {
            super(new byte[] {0});
        }
    }

    @Example
    void aFieldOfAUsersOwnTypeKeepsItsTerminator() throws UndecodableValueException {
        byte[] code = {'a', 'b', 0};
        ColumnType field = ColumnTypes.parse("struct(class(" + Code.class.getName() + "),int)#0");
        byte[] value = field.valueOf(Bytes.add(code, Bytes.toBytes(7)));
        assertThat(value).isEqualTo(code);
        PositionedByteRange encoded = new SimplePositionedMutableByteRange(field.maxEncodedLength(value.length));
        field.encode(value, encoded);
        assertThat(field.decode(encoded.setPosition(0))).isEqualTo(code);
    }

    @Example
    void anExpressionNamesAnEqualType() {
        List<String> expressions = List.of(
                "bytes",
                "string",
                "int",
                "long",
                "double",
                EPOCH_DAY,
                "struct(int,string)#1",
                "struct(" + EPOCH_DAY + ",long,double,bytes)#0",
                "long:desc",
                EPOCH_DAY + ":desc",
                "struct(int,string)#1:desc");
        for (String expression : expressions) {
            ColumnType type = ColumnTypes.parse(expression);
            assertThat(type.expression()).isEqualTo(expression);
            assertThat(type).isEqualTo(ColumnTypes.parse(expression)).hasSameHashCodeAs(ColumnTypes.parse(expression));
        }
        assertThat(ColumnTypes.custom(EpochDay.class)).isEqualTo(ColumnTypes.parse(EPOCH_DAY));
        assertThat(ColumnTypes.parse("struct(int, string)#1")).isEqualTo(ColumnTypes.parse("struct(int,string)#1"));
    }

    @Example
    void theUsersClassesBehindATypeAreFound() {
        assertThat(ColumnTypes.classesOf(ColumnTypes.STRING)).isEmpty();
        assertThat(ColumnTypes.classesOf(ColumnTypes.parse(EPOCH_DAY))).isEqualTo(List.of(EpochDay.class));
        assertThat(ColumnTypes.classesOf(
                        ColumnTypes.parse("struct(" + EPOCH_DAY + ",int,class(" + Code.class.getName() + "),long)#1")))
                .isEqualTo(List.of(EpochDay.class, Code.class));
    }

    @Example
    void returnsEachFieldByItsPosition() throws UndecodableValueException {
        byte[] packed = Bytes.add(
                Bytes.add(Bytes.toBytes(7), Bytes.toBytes(8L), Bytes.toBytes(1.5)),
                Bytes.toBytes("ab\0"),
                new byte[] {9, 9});
        List<byte[]> fields = List.of(
                Bytes.toBytes(7), Bytes.toBytes(8L), Bytes.toBytes(1.5), Bytes.toBytes("ab"), new byte[] {9, 9});
        for (int i = 0; i < fields.size(); i++) {
            ColumnType field = ColumnTypes.parse("struct(int,long,double,string,bytes)#" + i);
            assertThat(field.valueOf(packed)).as(field.expression()).isEqualTo(fields.get(i));
        }
    }

    @Example
    void aDescendingTypeHasTheValuesAndTheTextOfTheAscendingOne() {
        ColumnType type = ColumnTypes.descending(ColumnTypes.LONG);
        assertThat(type).isEqualTo(ColumnTypes.parse("long:desc")).isNotEqualTo(ColumnTypes.LONG);
        assertThat(type.ascending()).isSameAs(ColumnTypes.LONG);
        assertThat(ColumnTypes.LONG.ascending()).isSameAs(ColumnTypes.LONG);
        assertThat(type.parse("-7")).isEqualTo(Bytes.toBytes(-7L)).isEqualTo(type.toValue(-7));
        assertThat(type.format(Bytes.toBytes(-7L))).isEqualTo("-7");
        assertThat(type.keyPrefix(new byte[0])).isEmpty();
        assertThat(ColumnTypes.descending(ColumnTypes.BYTES).keyPrefix(new byte[] {0, 1}))
                .hasValueSatisfying(prefix -> assertThat(prefix).containsExactly(0xFF, 0x00, 0xFE));
    }

    @Example
    void aFieldIsParsedAndFormattedAsItsType() {
        ColumnType field = ColumnTypes.parse("struct(string,int)#1");
        assertThat(field.parse("-7")).isEqualTo(Bytes.toBytes(-7));
        assertThat(field.format(Bytes.toBytes(-7))).isEqualTo("-7");
    }

    @Example
    void refusesAnExpressionThatNamesNoType() {
        assertRefused("text", "No column type is called 'text'; the types are bytes, string, int, long, double");
        assertRefused("", "No column type is called ''");
        assertRefused("INT", "No column type is called 'INT'");
        assertRefused("class(org.example.Missing)", "not on the class path: org.example.Missing");
        assertRefused("class(java.lang.String)", "not an HBase DataType with a public constructor");
        assertRefused("class(" + OrderedInt32.class.getName() + ")", "not an HBase DataType with a public constructor");
        assertRefused("class(" + FailingConstructor.class.getName() + ")", "The column type's constructor failed");
        assertRefused("class(" + FailingClass.class.getName() + ")", "class cannot be loaded");
        assertRefused("struct(int)", "A packed column is written struct(TYPE,...)#FIELD, not 'struct(int)'");
        assertRefused("struct(int,string)#2", "No field 2 in 'struct(int,string)#2': fields are counted from 0");
        assertRefused("struct(int,string)#-1", "No field -1");
        assertRefused("struct(int,string)#one", "struct(TYPE,...)#FIELD, not 'struct(int,string)#one'");
        assertRefused("struct()#0", "No column type is called ''");
        assertRefused("struct(int,)#0", "No column type is called ''");
        assertRefused("desc", "No column type is called 'desc'");
        assertRefused("text:desc", "No column type is called 'text'");
        assertRefused("long:desc:desc", "write :desc once, not 'long:desc:desc'");
        assertRefused("struct(int,long:desc)#1", "write :desc behind the number of the field, not behind long");
        assertRefused("struct(bytes,int)#0", "Only the last field of a packed column can be of type bytes");
    }

    private static void assertRefused(String expression, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ColumnTypes.parse(expression))
                .withMessageContaining(message);
    }

    @Example
    void acceptsJavaValuesThatFit() {
        assertThat(ColumnTypes.STRING.toValue("é")).isEqualTo(Bytes.toBytes("é"));
        assertThat(ColumnTypes.INT.toValue((short) 7)).isEqualTo(Bytes.toBytes(7));
        assertThat(ColumnTypes.INT.toValue(7L)).isEqualTo(Bytes.toBytes(7));
        assertThat(ColumnTypes.LONG.toValue(7)).isEqualTo(Bytes.toBytes(7L));
        assertThat(ColumnTypes.DOUBLE.toValue(7)).isEqualTo(Bytes.toBytes(7.0));
        assertThat(ColumnTypes.DOUBLE.toValue(1L << 53)).isEqualTo(Bytes.toBytes(0x1p53));
        assertThat(ColumnTypes.DOUBLE.toValue(0.5f)).isEqualTo(Bytes.toBytes(0.5));
        assertThat(ColumnTypes.parse("struct(int,string)#1").toValue("x")).isEqualTo(Bytes.toBytes("x"));
        LocalDate day = LocalDate.of(2024, 2, 29);
        assertThat(ColumnTypes.custom(EpochDay.class).toValue(day))
                .isEqualTo(CustomType.encodeObject(new EpochDay(), day));
        for (Domain domain : Domain.all()) {
            assertThat(domain.type().toValue(new byte[] {1, 2})).containsExactly(1, 2);
        }
    }

    @Example
    void refusesJavaValuesThatDoNotFitInsteadOfTruncatingThem() {
        assertMisfit(ColumnTypes.BYTES, "text", "Not a value of type bytes: text (String)");
        assertMisfit(ColumnTypes.STRING, 7, "Not a value of type string: 7 (Integer)");
        assertMisfit(ColumnTypes.INT, 1L << 31, "Not a value of type int: 2147483648 (Long)");
        assertMisfit(ColumnTypes.INT, 7.0, "Not a value of type int: 7.0 (Double)");
        assertMisfit(ColumnTypes.LONG, "7", "Not a value of type long: 7 (String)");
        assertMisfit(ColumnTypes.DOUBLE, (1L << 53) + 1, "Not a value of type double: 9007199254740993 (Long)");
        assertMisfit(ColumnTypes.DOUBLE, Long.MAX_VALUE, "Not a value of type double");
        assertMisfit(ColumnTypes.DOUBLE, new BigDecimal("0.1"), "Not a value of type double: 0.1 (BigDecimal)");
        assertMisfit(ColumnTypes.custom(EpochDay.class), "2024-02-29", "Not a value of type class(");
        for (Domain domain : Domain.all()) {
            assertMisfit(domain.type(), null, "Not a value of type ");
        }
    }

    private static void assertMisfit(ColumnType type, Object value, String message) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> type.toValue(value))
                .withMessageContaining(message);
    }

    @Example
    void refusesTextThatIsNotAValue() {
        for (String text : List.of("", "x", "1.5", "2147483648", "0x10")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ColumnTypes.INT.parse(text))
                    .withMessage("Not a value of type int: '" + text + "'");
        }
        assertThatIllegalArgumentException().isThrownBy(() -> ColumnTypes.LONG.parse("9223372036854775808"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ColumnTypes.DOUBLE.parse("abc"))
                .withMessage("Not a value of type double: 'abc'");
        for (String text : List.of("\\x", "\\x1", "\\xZZ", "\\n", "\\")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> ColumnTypes.BYTES.parse(text))
                    .withMessageContaining("'" + text + "'");
        }
    }

    @Example
    void bytesAreWrittenAsTextWithEscapes() {
        assertThat(ColumnTypes.BYTES.parse("a\\x00\\xfF")).containsExactly('a', 0, 0xFF);
        assertThat(ColumnTypes.BYTES.parse("é")).isEqualTo(Bytes.toBytes("é"));
        assertThat(ColumnTypes.BYTES.format(new byte[] {'a', 0, '\\'})).isEqualTo("a\\x00\\x5C");
    }

    @Example
    void textThatIsNotUtf8IsUndecodable() {
        assertUndecodable(ColumnTypes.STRING, new byte[] {(byte) 0xC3});
        assertUndecodable(ColumnTypes.STRING, new byte[] {'a', (byte) 0xFF});
        // A lone surrogate, and a zero in two bytes.
        assertUndecodable(ColumnTypes.STRING, new byte[] {(byte) 0xED, (byte) 0xA0, (byte) 0x80});
        assertUndecodable(ColumnTypes.STRING, new byte[] {(byte) 0xC0, (byte) 0x80});
    }

    @Example
    void textInAPackedColumnThatIsNotUtf8IsUndecodable() {
        assertUndecodable(ColumnTypes.parse("struct(string,int)#0"), new byte[] {'a', (byte) 0xFF, 0, 0, 0, 0, 1});
        assertUndecodable(ColumnTypes.parse("struct(int,string)#1"), new byte[] {0, 0, 0, 1, 'a', (byte) 0xFF});
    }

    @Example
    void numbersOfTheWrongLengthAreUndecodable() {
        for (ColumnType type : List.of(ColumnTypes.INT, ColumnTypes.LONG, ColumnTypes.DOUBLE)) {
            assertUndecodable(type, new byte[0]);
            assertUndecodable(type, new byte[3]);
            assertUndecodable(type, new byte[9]);
        }
    }

    @Example
    void aTruncatedPackedColumnIsUndecodable() throws UndecodableValueException {
        ColumnType text = ColumnTypes.parse("struct(int,string,double)#1");
        assertUndecodable(text, new byte[0]);
        assertUndecodable(text, new byte[] {0, 0});
        assertUndecodable(text, new byte[] {0, 0, 0, 1, 'a', 'b'});
        assertUndecodable(ColumnTypes.parse("struct(int,string,double)#2"), new byte[] {0, 0, 0, 1, 'a', 0, 1, 2});
        assertUndecodable(ColumnTypes.parse("struct(int,bytes)#1"), new byte[] {0, 0});
        assertUndecodable(ColumnTypes.parse("struct(" + EPOCH_DAY + ",bytes)#1"), new byte[] {0, 0});
        assertThat(ColumnTypes.parse("struct(int,string)#1").valueOf(new byte[] {0, 0, 0, 1}))
                .isEmpty();
    }

    @Example
    void aUserDefinedTypeDecidesWhatIsDecodable() {
        ColumnType day = ColumnTypes.custom(EpochDay.class);
        assertUndecodable(day, new byte[] {1, 2});
        assertUndecodable(day, new byte[] {0, 0, 0, 0});
        assertUndecodable(day, CustomType.encodeObject(new EpochDay(), EpochDay.FIRST.minusDays(1)));
        // Bytes that the type does not read.
        assertUndecodable(day, Bytes.add(day.toValue(LocalDate.of(2024, 2, 29)), new byte[] {0}));
        // A type that asserts, as HBase's own do.
        assertUndecodable(ColumnTypes.custom(Asserting.class), new byte[] {1, 2, 3, 4});
    }

    private static void assertUndecodable(ColumnType type, byte[] cell) {
        assertThatThrownBy(() -> {
                    byte[] value = type.valueOf(cell);
                    IndexKeyCodec.encodePrefix(List.of(IndexedColumn.of("f", "q", type)), List.of(value));
                })
                .as("%s as %s", Bytes.toStringBinary(cell), type)
                .satisfiesAnyOf(e -> assertThat(e).isInstanceOf(UndecodableValueException.class), e -> assertThat(e)
                        .hasCauseInstanceOf(UndecodableValueException.class))
                .hasMessageStartingWith("Not a value of type ");
    }

    /** A type whose constructor fails. */
    public static final class FailingConstructor extends RawInteger {
        public FailingConstructor() {
            throw new IllegalStateException("planted");
        }
    }

    /** A type whose class cannot be initialized. */
    public static final class FailingClass extends RawString {
        static final int PLANTED = Integer.parseInt("planted");
    }

    /** A type that rejects bytes by an assertion. */
    public static final class Asserting extends RawInteger {
        @Override
        public Integer decode(PositionedByteRange source) {
            throw new AssertionError("planted");
        }
    }

    /** It would be taken for a question mark, and a query for it would find rows with that. */
    @Example
    void aTextThatHasNoUtf8IsNoString() {
        assertThatIllegalArgumentException().isThrownBy(() -> ColumnTypes.STRING.toValue("\uD800"));
    }
}
