package org.diffindex.lab.output;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReadableTextTest {
    @Test
    void numbersHaveThreeSignificantDigits() {
        assertThat(ReadableText.number(1234.56)).isEqualTo("1,235");
        assertThat(ReadableText.number(40)).isEqualTo("40");
        assertThat(ReadableText.number(12.34)).isEqualTo("12.3");
        assertThat(ReadableText.number(1.3)).isEqualTo("1.3");
        assertThat(ReadableText.number(0.755)).isEqualTo("0.76");
        assertThat(ReadableText.number(0.0123)).isEqualTo("0.0123");
        assertThat(ReadableText.number(0)).isEqualTo("0");
    }

    @Test
    void aDurationReadsLikeAClock() {
        assertThat(ReadableText.duration(-1)).isEqualTo("0:00");
        assertThat(ReadableText.duration(59.6)).isEqualTo("1:00");
        assertThat(ReadableText.duration(245.4)).isEqualTo("4:05");
        assertThat(ReadableText.duration(3_599)).isEqualTo("59:59");
        assertThat(ReadableText.duration(7_630)).isEqualTo("2 h 07 min");
    }
}
