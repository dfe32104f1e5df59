package org.diffindex.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PaceTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private long now = Long.MAX_VALUE - SECOND; // a clock that overflows

    private void sleep(Duration time) {
        now += time.toNanos();
    }

    private Pace pace(double rate) {
        return new Pace(rate, () -> now, this::sleep);
    }

    @Test
    void readsAsManyRowsPerSecondAsTheRateAllows() throws IOException {
        Pace pace = pace(1_000);
        long start = now;
        for (int i = 0; i < 100; i++) {
            pace.await(100);
        }
        pace.await(1);
        assertThat(now - start).isEqualTo(10 * SECOND);
    }

    @Test
    void givesNoCreditForIdleTime() throws IOException {
        Pace pace = pace(1_000);
        pace.await(100);
        now += 60 * SECOND;
        long start = now;
        for (int i = 0; i < 11; i++) {
            pace.await(100);
        }
        assertThat(now - start).isEqualTo(SECOND);
    }

    @Test
    void readsFewRowsPerCallAtALowRate() {
        assertThat(pace(1_000).together(500)).isEqualTo(100);
        assertThat(pace(0.01).together(500)).isEqualTo(1);
        assertThat(pace(1e9).together(500)).isEqualTo(500);
    }

    @Test
    void anInterruptEndsAWait() throws IOException {
        Pace pace = new Pace(1, () -> now, time -> {
            throw new InterruptedException();
        });
        pace.await(1);
        assertThatThrownBy(() -> pace.await(1)).isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
    }
}
