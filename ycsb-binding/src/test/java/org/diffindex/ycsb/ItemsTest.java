package org.diffindex.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class ItemsTest {
    private static final int MANY = 10_000;

    @Test
    void keysAndTitlesBelongToOneItemAndOneVersion() {
        Set<String> keys = new HashSet<>();
        Set<String> titles = new HashSet<>();
        for (long item = 0; item < MANY; item++) {
            keys.add(Items.key(item));
            for (int version = 0; version < 3; version++) {
                titles.add(Items.title(item, version));
            }
        }
        assertThat(keys).hasSize(MANY).allMatch(key -> key.matches("[0-9a-f]{16}"));
        assertThat(titles).hasSize(3 * MANY).allMatch(title -> title.matches("[0-9a-f]{16}-[0-9]{12}-[0-9]+"));
    }

    @Test
    void aTitleRevealsItsVersionForItsOwnItemOnly() {
        assertThat(Items.versionOf(42, Items.title(42, 7))).hasValue(7);
        assertThat(Items.versionOf(43, Items.title(42, 7))).isEmpty();
        assertThat(Items.versionOf(42, "a title")).isEmpty();
        assertThat(Items.versionOf(42, "")).isEmpty();
        assertThat(Items.versionOf(42, Items.title(42, 7) + "1")).isEmpty();
    }

    @Test
    void anotherVersionIsAnotherPrice() {
        long changed = LongStream.range(0, MANY)
                .filter(item -> Items.price(item, 0) != Items.price(item, 1))
                .count();
        assertThat(changed).isGreaterThan(MANY - 10);
    }

    @Test
    void aShareOfThePricesIsThatShareOfTheItems() {
        for (int version : new int[] {0, 1, 9}) {
            double[] prices = LongStream.range(0, MANY)
                    .mapToDouble(item -> Items.price(item, version))
                    .toArray();
            for (int tenth = 0; tenth < 10; tenth++) {
                double from = tenth * (Items.PRICES / 10.0);
                double to = from + Items.PRICES / 10.0;
                // 1000 expected; six standard deviations are 180.
                assertThat(IntStream.range(0, MANY)
                                .filter(i -> from <= prices[i] && prices[i] < to)
                                .count())
                        .isBetween(820L, 1180L);
            }
        }
    }
}
