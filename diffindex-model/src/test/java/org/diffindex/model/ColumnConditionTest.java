package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Optional;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnCondition.Operator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests which rows satisfy a condition, and that it is read as it was written. */
class ColumnConditionTest {
    private static final IndexedColumn STATUS = IndexedColumn.parse("f:status");

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "f:n:int = 5          | 5",
                "f:n:int in (5,-1)    | -1 5",
                "f:n:int >= 0         | 0 5",
                "f:n:int > 0          | 5",
                "f:n:int <= 0         | -1 0",
                "f:n:int < 0          | -1",
                "f:n:int present      | -1 0 5",
                "f:n:int absent       | ''"
            })
    void comparesValuesAsTheirTypeSortsThem(String text, String met) throws UndecodableValueException {
        ColumnCondition condition = ColumnCondition.parse(text);
        for (int value : List.of(-1, 0, 5)) {
            assertThat(condition.isMetBy(Optional.of(Bytes.toBytes(value))))
                    .as("%d %s", value, text)
                    .isEqualTo(List.of(met.split(" ")).contains("" + value));
        }
        assertThat(condition.isMetBy(Optional.empty())).isEqualTo(condition.operator() == Operator.ABSENT);
    }

    @Test
    void anEmptyValueIsPresent() throws UndecodableValueException {
        assertThat(ColumnCondition.present(STATUS).isMetBy(Optional.of(new byte[0])))
                .isTrue();
        assertThat(ColumnCondition.parse("f:status = ").isMetBy(Optional.of(new byte[0])))
                .isTrue();
        assertThat(ColumnCondition.parse("f:status =").isMetBy(Optional.empty()))
                .isFalse();
    }

    @Test
    void aFieldOfAPackedColumnIsCompared() throws UndecodableValueException {
        ColumnCondition condition = ColumnCondition.parse("f:packed:struct(int,string)#1 = B7");
        assertThat(condition.isMetBy(Optional.of(Bytes.add(Bytes.toBytes(1), Bytes.toBytes("B7")))))
                .isTrue();
        assertThatThrownBy(() -> condition.isMetBy(Optional.of(new byte[1])))
                .isInstanceOf(UndecodableValueException.class);
    }

    @Test
    void whatTheTypeCannotReadIsNotCompared() throws UndecodableValueException {
        Optional<byte[]> text = Optional.of(Bytes.toBytes("late"));
        assertThatThrownBy(() -> ColumnCondition.parse("f:n:long > 0").isMetBy(text))
                .isInstanceOf(UndecodableValueException.class)
                .hasMessageContaining("Not a value of type long: late");
        assertThat(ColumnCondition.parse("f:n:long present").isMetBy(text)).isTrue();
    }

    @Property
    void theTextOfAConditionNamesAnEqualOne(@ForAll("conditions") ColumnCondition condition) {
        assertThat(ColumnCondition.parse(condition.toString()))
                .isEqualTo(condition)
                .hasSameHashCodeAs(condition);
    }

    /** Conditions on texts with commas and blanks, and on numbers. */
    @Provide
    Arbitrary<ColumnCondition> conditions() {
        Arbitrary<String> texts = Arbitraries.strings().withChars(",) (=a").ofMaxLength(4);
        return Arbitraries.oneOf(
                texts.list().ofMinSize(1).ofMaxSize(3).map(values -> ColumnCondition.in(STATUS, values.toArray())),
                Arbitraries.of(Operator.AT_LEAST, Operator.ABOVE, Operator.AT_MOST, Operator.BELOW)
                        .flatMap(operator -> Arbitraries.integers()
                                .map(value -> new ColumnCondition(
                                        IndexedColumn.parse("f:a b:int"), operator, List.of(value)))),
                Arbitraries.of(ColumnCondition.present(STATUS), ColumnCondition.absent(STATUS)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "f:status",
                "f:status=open",
                "f:status is open",
                "f:status in open",
                "f:status in (open",
                "f:status present now"
            })
    void refusesATextThatIsNoCondition(String text) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ColumnCondition.parse(text))
                .withMessageStartingWith("A condition is written 'COLUMN = VALUE'")
                .withMessageEndingWith("not '" + text + "'");
    }

    private static void refused(Runnable made, InvalidDefinitionException.Reason reason, String message) {
        assertThatThrownBy(made::run)
                .isInstanceOfSatisfying(InvalidDefinitionException.class, e -> assertThat(e.reason())
                        .isEqualTo(reason))
                .hasMessageContaining(message);
    }

    @Test
    void refusesConditionsThatCannotBeAsked() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ColumnCondition.parse("f:n:int = five"))
                .withMessageContaining("Not a value of type int: 'five'");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ColumnCondition.in(IndexedColumn.parse("f:n:int"), (Object) new byte[3]));
        refused(
                () -> ColumnCondition.in(STATUS),
                InvalidDefinitionException.Reason.CONDITION_VALUES,
                "has 0 values, and 'in' takes 1 to 100");
        refused(
                () -> new ColumnCondition(STATUS, Operator.BELOW, List.of("a", "b")),
                InvalidDefinitionException.Reason.CONDITION_VALUES,
                "The condition on column f:status:string has 2 values, and '<' takes 1");
        refused(
                () -> ColumnCondition.parse("f:n:int:desc > 5"),
                InvalidDefinitionException.Reason.CONDITION_IN_ORDER,
                "leave :desc out");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "f:n:int >= 5       | f:n:int < 5        | true",
                "f:n:int >= 5       | f:n:int <= 5       | false",
                "f:n:int > 5        | f:n:int <= 5       | true",
                "f:n:int > 6        | f:n:int <= 5       | true",
                "f:n:int > 4        | f:n:int <= 5       | false",
                "f:n:int > 4        | f:n:int > 5        | false",
                "f:n:int in (1,2)   | f:n:int in (3,4)   | true",
                "f:n:int in (1,2)   | f:n:int in (2,3)   | false",
                "f:n:int in (1,2)   | f:n:int > 2        | true",
                "f:n:int in (1,3)   | f:n:int > 2        | false",
                "f:n:int present    | f:n:int absent     | true",
                "f:n:int = 1        | f:n:long absent    | true",
                "f:n:int absent     | f:n:int absent     | false",
                "f:n:int present    | f:n:int = 1        | false",
                "f:n:int = 1        | f:m:int = 2        | false"
            })
    void tellsConditionsThatNoRowSatisfiesTogether(String one, String other, boolean excludes) {
        ColumnCondition first = ColumnCondition.parse(one);
        ColumnCondition second = ColumnCondition.parse(other);
        assertThat(first.excludes(second)).isEqualTo(excludes);
        assertThat(second.excludes(first)).isEqualTo(excludes);
    }

    @Property
    void conditionsThatExcludeEachOtherAreNotMetByOneValue(
            @ForAll("pairs") Tuple.Tuple2<ColumnCondition, ColumnCondition> pair, @ForAll int value)
            throws UndecodableValueException {
        Optional<byte[]> cell = Optional.of(Bytes.toBytes(value % 4));
        if (pair.get1().isMetBy(cell) && pair.get2().isMetBy(cell)) {
            assertThat(pair.get1().excludes(pair.get2())).isFalse();
        }
    }

    @Provide
    Arbitrary<Tuple.Tuple2<ColumnCondition, ColumnCondition>> pairs() {
        Arbitrary<ColumnCondition> ofNumbers = Arbitraries.of(Operator.values())
                .flatMap(operator -> Arbitraries.integers()
                        .between(-3, 3)
                        .map(value -> new ColumnCondition(
                                IndexedColumn.parse("f:n:int"),
                                operator,
                                operator.compares() ? List.of(value) : List.of())));
        return ofNumbers.flatMap(one -> ofNumbers.map(other -> Tuple.of(one, other)));
    }
}
