package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class IndexQueryTest {
    @Test
    void keepsTheConditionsThatItWasBuiltWith() {
        IndexQuery query = IndexQuery.index("by_od")
                .equalTo("ORD", Bytes.toBytes("x"))
                .from(1)
                .toInclusive(2)
                .limit(3)
                .build();
        assertThat(query).hasToString("index by_od equalTo (ORD, x) from (1) toInclusive (2) limit 3");
        assertThat(query.caching()).isEqualTo(100);
        assertThat(query.isWithRows()).isFalse();
    }

    @Test
    void theLastBoundReplacesEarlierOnes() {
        IndexQuery query = IndexQuery.index("i").toInclusive(2).to(3).build();
        assertThat(query.isToInclusive()).isFalse();
        assertThat(query.to()).containsExactly(3);
    }

    @Test
    void copiesItsArrays() {
        byte[] value = {1};
        IndexQuery query = IndexQuery.index("i").equalTo((Object) value).build();
        value[0] = 2;
        assertThat(query.equalTo().get(0)).isEqualTo(new byte[] {1});
    }

    @Test
    void showsWhatItAsksFor() {
        IndexQuery query =
                IndexQuery.index("by_od").in("A", "B").prefix("x").reverse().build();
        assertThat(query)
                .hasToString("index by_od equalTo () in (A, B) prefix (x) from () to () limit " + Long.MAX_VALUE
                        + " reverse");
        assertThat(query.in()).containsExactly("A", "B");
        assertThat(query.prefix()).contains("x");
        assertThat(query.isReverse()).isTrue();
        assertThat(query.after()).isEmpty();
    }

    @Test
    void refusesConditionsThatHaveNoHits() {
        assertThatThrownBy(() -> IndexQuery.index("i").in())
                .isInstanceOf(InvalidQueryException.class)
                .hasMessageContaining("IN without values");
        assertThatThrownBy(() -> IndexQuery.index("i").limit(0))
                .isInstanceOf(InvalidQueryException.class)
                .hasMessage("A limit must be positive: 0");
        assertThatThrownBy(() -> IndexQuery.index("i").prefix("a").to("b").build())
                .isInstanceOf(InvalidQueryException.class)
                .hasMessageContaining("a prefix, (a), or a range, from () to (b)");
    }

    @Test
    void refusesInvalidArguments() {
        assertThatThrownBy(() -> IndexQuery.index("i").limit(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> IndexQuery.index("i").caching(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> IndexQuery.index("i").equalTo("a", null)).isInstanceOf(NullPointerException.class);
        assertThatThrownBy(() -> SessionOptions.builder().maxBytes(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> SessionOptions.builder().idleTimeout(Duration.ZERO))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
