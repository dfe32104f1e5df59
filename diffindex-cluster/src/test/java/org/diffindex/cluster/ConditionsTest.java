package org.diffindex.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ConditionsTest {
    @Test
    void checksUntilTheConditionHolds() throws IOException {
        AtomicInteger looks = new AtomicInteger();

        assertThat(Conditions.await(Duration.ofMinutes(1), () -> looks.incrementAndGet() == 3))
                .isTrue();
        assertThat(looks).hasValue(3);
    }

    @Test
    void givesUpWhenTheTimeHasElapsed() throws IOException {
        assertThat(Conditions.await(Duration.ofMillis(1), () -> false)).isFalse();
    }

    @Test
    void checksOnceEvenWithoutTime() throws IOException {
        assertThat(Conditions.await(Duration.ZERO, () -> true)).isTrue();
    }

    @Test
    void stopsAtAFailure() {
        assertThatThrownBy(() -> Conditions.await(Duration.ofMinutes(1), () -> {
                    throw new IOException("dead");
                }))
                .hasMessage("dead");
    }
}
