package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GenerationNameTest {
    @Test
    void theFirstGenerationHasTheNameOfTheIndex() {
        GenerationName first = GenerationName.of("by_origin");
        assertThat(first).isEqualTo(new GenerationName("by_origin", 1)).hasToString("by_origin");
        assertThat(first.isFirst()).isTrue();
        assertThat(first.next()).hasToString("by_origin.2");
        assertThatThrownBy(first::previous).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void laterOnesAddTheirNumber() {
        GenerationName third = GenerationName.of("by_origin.3");
        assertThat(third).isEqualTo(new GenerationName("by_origin", 3)).isGreaterThan(GenerationName.of("by_origin.2"));
        assertThat(third.previous()).hasToString("by_origin.2");
        assertThat(third.previous().previous()).hasToString("by_origin");
    }

    /** Each text is the name of one generation. */
    @ParameterizedTest
    @ValueSource(strings = {"a", "a.1", "a.02", "a.", ".2", "a.x", "a.2.3", "a.999999999", "a.9999999999", "2", "a-2"})
    void eachTextIsTheNameOfOneGeneration(String text) {
        assertThat(GenerationName.of(text)).hasToString(text);
    }
}
