package org.diffindex.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class ScrubRangeTest {
    private static double fraction(String first, String last, String key) {
        byte[] none = {};
        return new ScrubRange(none, none, Bytes.toBytes(first), Bytes.toBytes(last)).fraction(Bytes.toBytes(key));
    }

    @Test
    void interpolatesAfterTheCommonPrefix() {
        assertThat(fraction("row-a", "row-k", "row-f")).isCloseTo(0.5, within(0.01));
        assertThat(fraction("row-a", "row-k", "row-a")).isZero();
        assertThat(fraction("row-a", "row-k", "row-k")).isEqualTo(1);
    }

    @Test
    void isBetweenZeroAndOne() {
        assertThat(fraction("b", "d", "a")).isZero();
        assertThat(fraction("b", "d", "z")).isEqualTo(1);
        assertThat(fraction("", "", "z")).isZero();
        assertThat(fraction("b", "b", "b")).isZero();
    }

    /** The ranges also cover rows that no known region contains. */
    @Test
    void rangesCoverEveryRow() {
        List<byte[]> starts =
                List.of(Bytes.toBytes("p"), new byte[] {(byte) 0xff}, Bytes.toBytes("c"), Bytes.toBytes("p"));
        List<ScrubRange> ranges = ScrubRange.startingAt(starts, Bytes.toBytes("a"), new byte[] {(byte) 0xff, 1});
        assertThat(ranges)
                .extracting(range -> Bytes.toStringBinary(range.start()) + ".." + Bytes.toStringBinary(range.end()))
                .containsExactly("..c", "c..p", "p..\\xFF", "\\xFF..");
        assertThat(ranges.get(0).fraction(Bytes.toBytes("b"))).isCloseTo(0.5, within(0.01));
    }
}
