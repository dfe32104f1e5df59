package org.diffindex.server.spill;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.server.local.Flights;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests what the name of a spill file says about its rows, and what it leaves open. */
class KeysInNameTest {
    private static final String LONG = "k".repeat(24);

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {"-, -", "a, m", "-, m", "m, -", "a.b-c+d, m"})
    void containsShortKeysCompletely(String start, String end) {
        KeyRange range = range(start == null ? "" : start, end == null ? "" : end);
        assertThat(inNameOf(range).whole()).hasValueSatisfying(whole -> {
            assertThat(whole.start()).isEqualTo(range.start());
            assertThat(whole.end()).isEqualTo(range.end());
        });
    }

    @Test
    void theFirstBytesOfLongKeysExcludeRangesThatDoNotOverlap() {
        KeysInName keys = inNameOf(range(LONG + "b", LONG + "m"));
        assertThat(keys.whole()).isEmpty();
        assertThat(keys.mayOverlap(range(LONG + "m", LONG + "x")))
                .as("a range that the first bytes cannot exclude")
                .isTrue();
        assertThat(keys.mayOverlap(range("l", ""))).isFalse();
        assertThat(keys.mayOverlap(range("", "k"))).isFalse();
        assertThat(keys.mayOverlap(range("", ""))).isTrue();
    }

    @Test
    void excludesNoRangeThatOverlaps() {
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            KeyRange one = randomRange(random);
            KeyRange other = randomRange(random);
            if (one.overlaps(other)) {
                assertThat(inNameOf(one).mayOverlap(other))
                        .as("%s, %s", one, other)
                        .isTrue();
            }
        }
    }

    @Test
    void theNameOfAMarkFitsAFileName() {
        String region = region("", "").getEncodedName();
        String file = region + "-" + "u".repeat(36) + "." + KeysInName.of(range("x".repeat(99), "y".repeat(99)));
        assertThat((file + ".done-" + region).length()).isLessThan(255);
    }

    private static KeysInName inNameOf(KeyRange range) {
        return KeysInName.in("0af-uuid." + KeysInName.of(range)).orElseThrow();
    }

    private static KeyRange randomRange(Random random) {
        byte[] one = randomKey(random);
        byte[] other = randomKey(random);
        boolean ascends = Bytes.compareTo(one, other) < 0;
        return new KeyRange(ascends ? one : other, ascends ? other : one);
    }

    /**
     * Returns a key of bytes of which most are the greatest. Long keys mostly differ after the bytes that are in the
     * name.
     */
    private static byte[] randomKey(Random random) {
        byte[] key = new byte[random.nextInt(3) == 0 ? 25 + random.nextInt(3) : random.nextInt(3)];
        IntStream.range(0, key.length).forEach(i -> key[i] = (byte) (random.nextInt(30) == 0 ? 0 : 0xFF));
        return key;
    }

    private static KeyRange range(String start, String end) {
        return KeyRange.of(region(start, end));
    }

    private static RegionInfo region(String start, String end) {
        return RegionInfoBuilder.newBuilder(Flights.TABLE)
                .setStartKey(Bytes.toBytes(start))
                .setEndKey(Bytes.toBytes(end))
                .build();
    }
}
