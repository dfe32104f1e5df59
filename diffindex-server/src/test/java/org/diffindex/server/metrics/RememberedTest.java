package org.diffindex.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.Test;

/** Tests which values are found again, and which are forgotten. */
class RememberedTest {
    private final Remembered<String, LongAdder> values = new Remembered<>(2, LongAdder::new);

    private void count(String... keys) {
        for (String key : keys) {
            values.use(key).increment();
        }
    }

    private long counted(String key) {
        return values.find(key).map(LongAdder::sum).orElse(0L);
    }

    @Test
    void aValueInUseIsKeptHoweverManyThereAre() {
        count("a", "b", "c", "d", "a");
        assertThat(counted("a")).isEqualTo(2);
        assertThat(counted("d")).isOne();
        assertThat(values.find("e")).isEmpty();
    }

    @Test
    void aValueThatComesBackGoesOn() {
        count("a");
        values.release("a");
        assertThat(counted("a")).isOne();
        count("a");
        assertThat(counted("a")).isEqualTo(2);
    }

    @Test
    void theLongestUnusedIsForgottenFirst() {
        count("a", "b", "c", "d");
        values.release("c");
        values.release("a");
        values.release("c");
        values.release("b");
        assertThat(values.find("a")).isEmpty();
        assertThat(counted("b")).isOne();
        assertThat(counted("c")).isOne();
        assertThat(counted("d")).isOne();
    }

    @Test
    void aValueThatHasComeBackIsNotForgotten() {
        count("a", "b", "c");
        values.release("a");
        count("a");
        values.release("b");
        values.release("c");
        values.release("unknown");
        assertThat(counted("a")).isEqualTo(2);
        assertThat(counted("b")).isOne();
        assertThat(counted("c")).isOne();
    }
}
