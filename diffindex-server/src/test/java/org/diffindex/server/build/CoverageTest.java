package org.diffindex.server.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.tasks.KeyRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CoverageTest {
    private final Coverage coverage = new Coverage();

    private static KeyRange range(String start, String end) {
        return new KeyRange(Bytes.toBytes(start), Bytes.toBytes(end));
    }

    private List<String> gaps() {
        return coverage.gaps().stream().map(KeyRange::toString).toList();
    }

    @Test
    void everythingIsLeftAtFirst() {
        assertThat(gaps()).containsExactly("['', '')");
    }

    @Test
    void whatIsBetweenRangesIsLeft() {
        coverage.add(range("c", "f"));
        coverage.add(range("m", "p"));
        assertThat(gaps()).containsExactly("['', 'c')", "['f', 'm')", "['p', '')");
        coverage.add(range("", "b"));
        coverage.add(range("p", ""));
        assertThat(gaps()).containsExactly("['b', 'c')", "['f', 'm')");
    }

    @Test
    void aRangeGrows() {
        coverage.add(range("", "c"));
        coverage.add(range("", "k"));
        coverage.add(range("k", "m"));
        assertThat(gaps()).containsExactly("['m', '')");
        coverage.add(range("", "b"));
        assertThat(gaps()).containsExactly("['m', '')");
        coverage.add(range("", ""));
        coverage.add(range("", "b"));
        assertThat(gaps()).isEmpty();
    }

    /** Ranges of several masters may overlap. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void aRowIsInAGapUnlessARangeHasIt(long seed) {
        Random random = new Random(seed);
        BitSet covered = new BitSet();
        for (int i = 0; i < 12; i++) {
            int from = random.nextInt(100);
            int to = Math.min(100, from + 1 + random.nextInt(20));
            coverage.add(range(from == 0 ? "" : key(from), to == 100 ? "" : key(to)));
            covered.set(from, to);
        }
        BitSet left = new BitSet();
        for (KeyRange gap : coverage.gaps()) {
            left.set(number(gap.start(), 0), number(gap.end(), 100));
        }
        covered.flip(0, 100);
        assertThat(left).isEqualTo(covered);
    }

    private static String key(int number) {
        return "%02d".formatted(number);
    }

    private static int number(byte[] key, int ifEmpty) {
        return key.length == 0 ? ifEmpty : Integer.parseInt(Bytes.toString(key));
    }
}
