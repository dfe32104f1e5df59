package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;

/** Tests the keys that follow others. */
class KeyOrderTest {
    @Test
    void aKeyIsFollowedByItselfAndAZeroByte() {
        assertThat(KeyOrder.firstAfter(Bytes.toBytes("a"))).isEqualTo(Bytes.toBytes("a\0"));
        assertThat(KeyOrder.firstAfter(new byte[0])).isEqualTo(new byte[1]);
        byte[] almost = new byte[HConstants.MAX_ROW_LENGTH - 1];
        assertThat(KeyOrder.firstAfter(almost)).isEqualTo(new byte[HConstants.MAX_ROW_LENGTH]);
    }

    /** Keys that begin with it would be longer than HBase allows. */
    @Test
    void theLongestKeyIsFollowedByAShorterOne() {
        byte[] longest = new byte[HConstants.MAX_ROW_LENGTH];
        Arrays.fill(longest, 1, longest.length, (byte) 0xFF);
        assertThat(KeyOrder.firstAfter(longest)).containsExactly(1);
        longest[0] = (byte) 0xFF;
        assertThat(KeyOrder.firstAfter(longest)).isEmpty();
    }

    @Test
    void aPrefixIsFollowedByThatOfTheNextByte() {
        assertThat(KeyOrder.firstAfterPrefix(new byte[] {1, 0x7F})).containsExactly(1, 0x80);
        assertThat(KeyOrder.firstAfterPrefix(new byte[] {1, (byte) 0xFF})).containsExactly(2);
        assertThat(KeyOrder.firstAfterPrefix(new byte[] {(byte) 0xFF})).isEmpty();
        assertThat(KeyOrder.firstAfterPrefix(new byte[0])).isEmpty();
    }
}
