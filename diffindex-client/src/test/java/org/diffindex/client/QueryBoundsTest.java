package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Assume;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.StringLength;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.UndecodableValueException;
import org.junit.jupiter.api.Test;

class QueryBoundsTest {
    private static final IndexDefinition ORIGIN_DELAY = IndexDefinition.builder(TableName.valueOf("flights"), "by_od")
            .column("f", "origin", ColumnTypes.STRING)
            .column("f", "delay", ColumnTypes.INT)
            .build();

    /** Every origin and delay that the tests query. */
    private static final List<String> ORIGINS = List.of("", "A", "AA", "B", "\uffff");

    private static final List<Integer> DELAYS = List.of(Integer.MIN_VALUE, -1, 0, 1, Integer.MAX_VALUE);

    static QueryBounds everything() {
        return QueryBounds.of(IndexQuery.index("by_od").build(), ORIGIN_DELAY);
    }

    @Test
    void withoutValuesTheBoundsAreOpen() throws Exception {
        assertThat(onlyRange(everything()).start()).isEmpty();
        assertThat(onlyRange(everything()).stop()).isEmpty();
        assertThat(everything().isEmpty()).isFalse();
        assertThat(matches(IndexQuery.index("by_od"))).hasSize(25);
    }

    @Test
    void aBoundThatIsLongerThanAnyKeyLiesBetweenThoseOfItsPrefix() {
        IndexDefinition index = IndexDefinition.builder(TableName.valueOf("t"), "i")
                .column("f", "q", ColumnTypes.BYTES)
                .build();
        byte[] longValue = new byte[index.maxKeyLength() + 1];
        Arrays.fill(longValue, (byte) 'b');
        byte[] next = Arrays.copyOf(longValue, index.maxKeyLength());
        next[next.length - 1] = 'c';
        assertThat(onlyRange(QueryBounds.of(
                                IndexQuery.index("i").from(longValue).build(), index))
                        .start())
                .isEqualTo(next);
        assertThat(onlyRange(QueryBounds.of(IndexQuery.index("i").to(longValue).build(), index))
                        .stop())
                .isEqualTo(next);
        assertThat(QueryBounds.of(IndexQuery.index("i").equalTo(longValue).build(), index)
                        .isEmpty())
                .isTrue();
        Arrays.fill(longValue, (byte) 0xFF);
        assertThat(QueryBounds.of(IndexQuery.index("i").from(longValue).build(), index)
                        .isEmpty())
                .as("no key is as great")
                .isTrue();
    }

    @Test
    void equalToTakesAPrefixOfTheColumns() throws Exception {
        assertThat(matches(IndexQuery.index("by_od").equalTo("A")))
                .containsExactly("A:-2147483648", "A:-1", "A:0", "A:1", "A:2147483647");
        assertThat(matches(IndexQuery.index("by_od").equalTo("A", 1))).containsExactly("A:1");
        assertThat(matches(IndexQuery.index("by_od").equalTo(Bytes.toBytes("A"), Bytes.toBytes(1))))
                .containsExactly("A:1");
    }

    @Test
    void aRangeAfterEqualValuesIsWithinThem() throws Exception {
        assertThat(matches(IndexQuery.index("by_od").equalTo("A").from(0)))
                .containsExactly("A:0", "A:1", "A:2147483647");
        assertThat(matches(IndexQuery.index("by_od").equalTo("A").to(0))).containsExactly("A:-2147483648", "A:-1");
        assertThat(matches(IndexQuery.index("by_od").equalTo("A").from(-1).toInclusive(1)))
                .containsExactly("A:-1", "A:0", "A:1");
    }

    @Test
    void compositeBoundsCompareColumnByColumn() throws Exception {
        assertThat(matches(IndexQuery.index("by_od").from("A", 1).to("B", 0)))
                .containsExactly(
                        "A:1",
                        "A:2147483647",
                        "AA:-2147483648",
                        "AA:-1",
                        "AA:0",
                        "AA:1",
                        "AA:2147483647",
                        "B:-2147483648",
                        "B:-1");
    }

    @Test
    void aBoundOfFewerColumnsIncludesAllKeysWithItsPrefix() throws Exception {
        assertThat(matches(IndexQuery.index("by_od").to("A")))
                .allMatch(hit -> hit.startsWith(":"))
                .hasSize(5);
        assertThat(matches(IndexQuery.index("by_od").from("A").toInclusive("A")))
                .hasSize(5);
    }

    @Test
    void aRangeThatEndsBeforeItStartsIsRefused() {
        for (String end : List.of("A", "B")) {
            assertThatThrownBy(() -> QueryBounds.of(
                            IndexQuery.index("by_od").from("B").to(end).build(), ORIGIN_DELAY))
                    .isInstanceOf(InvalidQueryException.class)
                    .hasMessageContaining("is empty: from (B) to (" + end + ")")
                    .hasMessageContaining("nothing was read");
        }
    }

    @Test
    void anInTakesEachOfItsValuesOnce() throws Exception {
        assertThat(matches(
                        IndexQuery.index("by_od").in("B", "A", "B", "X").from(0).to(1)))
                .containsExactly("A:0", "B:0");
        assertThat(matches(IndexQuery.index("by_od").equalTo("A").in(1, -1))).containsExactly("A:-1", "A:1");
        assertThat(QueryBounds.of(
                                IndexQuery.index("by_od").in("B", "A").reverse().build(), ORIGIN_DELAY)
                        .ranges())
                .extracting(KeyRange::toString)
                .containsExactly("[B\\x00\\x01, B\\x00\\x02)", "[A\\x00\\x01, A\\x00\\x02)");
    }

    @Test
    void aPrefixIsOfTheNextColumn() throws Exception {
        assertThat(matches(IndexQuery.index("by_od").prefix("A").to()))
                .hasSize(10)
                .allMatch(hit -> hit.startsWith("A"));
        assertThat(matches(IndexQuery.index("by_od").prefix(""))).hasSize(25);
        assertThat(matches(IndexQuery.index("by_od").prefix(new byte[] {(byte) 0xEF})))
                .hasSize(5);
        assertThatThrownBy(() -> QueryBounds.of(
                        IndexQuery.index("by_od").equalTo("A").prefix(1).build(), ORIGIN_DELAY))
                .isInstanceOf(InvalidQueryException.class)
                .hasMessageContaining("Column f:delay:int of index by_od has no prefixes");
        assertThatThrownBy(() -> QueryBounds.of(
                        IndexQuery.index("by_od").equalTo("A").prefix("x").build(), ORIGIN_DELAY))
                .as("whatever the value is")
                .hasMessageContaining("has no prefixes");
        assertThatThrownBy(() -> QueryBounds.of(
                        IndexQuery.index("by_od").equalTo("A", 1).prefix("x").build(), ORIGIN_DELAY))
                .isInstanceOf(InvalidQueryException.class)
                .hasMessageContaining("has 2 columns, but 3 values were given");
    }

    @Test
    void anErrorNamesTheColumnAndItsType() {
        assertThatThrownBy(() -> QueryBounds.of(
                        IndexQuery.index("by_od").equalTo("A", "late").build(), ORIGIN_DELAY))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("f:delay:int")
                .hasMessageContaining("by_od")
                .hasMessageContaining("late");
        assertThatThrownBy(() -> QueryBounds.of(
                        IndexQuery.index("by_od").equalTo("A", new byte[3]).build(), ORIGIN_DELAY))
                .hasMessageContaining("f:delay:int");
        assertThatThrownBy(() -> QueryBounds.of(
                        IndexQuery.index("by_od").equalTo("A", 1).from(2).build(), ORIGIN_DELAY))
                .hasMessageContaining("has 2 columns, but 3 values were given: (A, 1, 2)");
    }

    @Property
    void boundsSelectExactlyTheValuesBetweenThem(
            @ForAll @StringLength(max = 2) @CharRange(from = 'A', to = 'C') String from,
            @ForAll @StringLength(max = 2) @CharRange(from = 'A', to = 'C') String to,
            @ForAll @IntRange(min = -1, max = 1) int fromDelay,
            @ForAll @IntRange(min = -1, max = 1) int toDelay,
            @ForAll boolean inclusive)
            throws Exception {
        int width = compare(from, fromDelay, to, toDelay);
        Assume.that(width < 0 || (width == 0 && inclusive));
        IndexQuery.Builder query = IndexQuery.index("by_od").from(from, fromDelay);
        IndexQuery.Builder bounded = inclusive ? query.toInclusive(to, toDelay) : query.to(to, toDelay);

        List<String> expected = new ArrayList<>();
        for (String origin : ORIGINS) {
            for (int delay : DELAYS) {
                boolean above = compare(origin, delay, from, fromDelay) >= 0;
                int order = compare(origin, delay, to, toDelay);
                if (above && (order < 0 || (inclusive && order == 0))) {
                    expected.add(origin + ":" + delay);
                }
            }
        }
        assertThat(matches(bounded)).isEqualTo(expected);
    }

    /** Each hit may have a token, which holds it. */
    @Test
    void theDigestIsComputedOnce() {
        QueryBounds bounds =
                QueryBounds.of(IndexQuery.index("by_od").in("A", "B").build(), ORIGIN_DELAY);
        assertThat(bounds.digest()).isSameAs(bounds.digest());
        String token = PageToken.of(ORIGIN_DELAY, bounds, new byte[] {'A'}).encode();
        QueryBounds next = QueryBounds.of(
                IndexQuery.index("by_od").in("A", "B").after(token).build(), ORIGIN_DELAY);
        assertThat(next.digest()).isSameAs(next.digest()).isEqualTo(bounds.digest());
    }

    @Test
    void aTokenLeavesOutWhatTheConditionsSelectAllTheSame() {
        QueryBounds all = QueryBounds.of(IndexQuery.index("by_od").in("A", "B").build(), ORIGIN_DELAY);
        String token = PageToken.of(ORIGIN_DELAY, all, new byte[] {'B'}).encode();
        QueryBounds left = QueryBounds.of(
                IndexQuery.index("by_od").in("A", "B").after(token).build(), ORIGIN_DELAY);
        IndexEntry before = new IndexEntry(Bytes.toBytes("A\0\1"), 1);
        assertThat(left.contain(before)).isFalse();
        assertThat(left.select(before)).isTrue();
        IndexEntry other = new IndexEntry(Bytes.toBytes("AA\0\1"), 1);
        assertThat(left.select(other)).isFalse();
    }

    /** The types of the index decide, not those that a caller has known. */
    @Test
    void aTextIsParsedByTheTypeOfItsColumn() throws Exception {
        assertThat(matches(IndexQuery.index("by_od").equalTo(IndexQuery.ofText("A"), IndexQuery.ofText("-1"))))
                .containsExactly("A:-1");
        assertThat(matches(IndexQuery.index("by_od").prefix(IndexQuery.ofText("A"))))
                .hasSize(10);
        assertThatThrownBy(() -> QueryBounds.of(
                        IndexQuery.index("by_od")
                                .equalTo("A")
                                .from(IndexQuery.ofText("late"))
                                .build(),
                        ORIGIN_DELAY))
                .isInstanceOf(InvalidQueryException.class)
                .hasMessageContaining("'late' is not a value of column f:delay of type int of index by_od")
                .hasMessageContaining("nothing was read");
    }

    @Test
    void aTextWithHalfASurrogatePairIsRefused() {
        for (IndexQuery.Builder query : List.of(
                IndexQuery.index("by_od").prefix("A\uD83D"),
                IndexQuery.index("by_od").prefix(IndexQuery.ofText("A\uD83D")),
                IndexQuery.index("by_od").equalTo("A\uDE00"))) {
            assertThatThrownBy(() -> QueryBounds.of(query.build(), ORIGIN_DELAY))
                    .isInstanceOf(InvalidQueryException.class)
                    .hasMessageContaining("half a surrogate pair")
                    .hasMessageContaining("nothing was read");
        }
    }

    private static KeyRange onlyRange(QueryBounds bounds) {
        assertThat(bounds.ranges()).hasSize(1);
        return bounds.ranges().get(0);
    }

    private static int compare(String origin, int delay, String otherOrigin, int otherDelay) {
        int order = origin.compareTo(otherOrigin);
        return order != 0 ? order : Integer.compare(delay, otherDelay);
    }

    private static List<String> matches(IndexQuery.Builder query) throws UndecodableValueException {
        QueryBounds bounds = QueryBounds.of(query.build(), ORIGIN_DELAY);
        IndexKeyCodec codec = new IndexKeyCodec(ORIGIN_DELAY);
        List<String> matches = new ArrayList<>();
        for (String origin : ORIGINS) {
            for (int delay : DELAYS) {
                byte[] key = codec.encode(List.of(Bytes.toBytes(origin), Bytes.toBytes(delay)), Bytes.toBytes("row"));
                boolean isWithin = bounds.ranges().stream().anyMatch(range -> range.contains(key));
                assertThat(bounds.contain(new IndexEntry(key, 1))).isEqualTo(isWithin);
                if (isWithin) {
                    matches.add(origin + ":" + delay);
                }
            }
        }
        return matches;
    }
}
