package org.diffindex.server.spill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

class KeyRangeTest {
    @Test
    void includesItsStartAndExcludesItsEnd() {
        assertThat(range("b", "d").contains(Bytes.toBytes("b"))).isTrue();
        assertThat(range("b", "d").contains(Bytes.toBytes("c"))).isTrue();
        assertThat(range("b", "d").contains(Bytes.toBytes("d"))).isFalse();
        assertThat(range("b", "d").contains(Bytes.toBytes("a"))).isFalse();
        assertThat(range("b", "").contains(Bytes.toBytes("z"))).isTrue();
    }

    @Test
    void neighboursDoNotOverlap() {
        assertThat(range("a", "c").overlaps(range("c", "e"))).isFalse();
        assertThat(range("c", "e").overlaps(range("a", "c"))).isFalse();
        assertThat(range("a", "d").overlaps(range("c", ""))).isTrue();
        assertThat(range("", "").overlaps(range("c", "e"))).isTrue();
    }

    @Test
    void containsRangesWithinIt() {
        assertThat(range("", "").contains(range("c", ""))).isTrue();
        assertThat(range("a", "e").contains(range("a", "e"))).isTrue();
        assertThat(range("a", "e").contains(range("c", ""))).isFalse();
        assertThat(range("b", "").contains(range("a", "c"))).isFalse();
    }

    @Test
    void isCoveredByOthersThatLeaveNoGap() {
        assertThat(range("", "").isCoveredBy(List.of(range("m", ""), range("", "m"))))
                .isTrue();
        assertThat(range("", "").isCoveredBy(List.of(range("n", ""), range("", "m"))))
                .isFalse();
        assertThat(range("a", "z")
                        .isCoveredBy(List.of(range("", "f"), range("c", "k"), range("d", "e"), range("k", ""))))
                .isTrue();
        assertThat(range("a", "z").isCoveredBy(List.of(range("a", "y")))).isFalse();
        assertThat(range("a", "z").isCoveredBy(List.of())).isFalse();
        assertThat(range("a", "").isCoveredBy(List.of(range("a", "z")))).isFalse();
    }

    @Test
    void reportsAKeyOfAnImpossibleLengthAsDamage() throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        new DataOutputStream(bytes).writeInt(-1);
        assertThatThrownBy(() -> KeyRange.readFrom(new DataInputStream(new ByteArrayInputStream(bytes.toByteArray()))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("damaged");
    }

    private static KeyRange range(String start, String end) {
        return new KeyRange(Bytes.toBytes(start), Bytes.toBytes(end));
    }
}
