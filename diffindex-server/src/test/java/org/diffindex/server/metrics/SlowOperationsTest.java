package org.diffindex.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests which operations are logged, and how. */
class SlowOperationsTest {
    private final List<String> lines = new ArrayList<>();
    private long nowMs;

    private SlowOperations from(long thresholdMs) {
        return new SlowOperations(thresholdMs, () -> TimeUnit.MILLISECONDS.toNanos(nowMs), lines::add);
    }

    private void take(SlowOperations slow, long ms) {
        long begin = slow.begin();
        nowMs += ms;
        slow.ended(begin, "call", line -> line.with("updates", 3));
    }

    @Test
    void logsWhatTakesAsLongAsTheThreshold() {
        SlowOperations slow = from(1_000);
        take(slow, 999);
        assertThat(lines).isEmpty();
        take(slow, 1_000);
        assertThat(lines).containsExactly("Slow index operation: op=call ms=1000 updates=3 left_out=0");
    }

    /** As a flush that waits for indexes and then cannot write what they lack. */
    @Test
    void logsWhatFailsToo() {
        SlowOperations slow = from(1_000);
        assertThatThrownBy(() -> slow.during("flush", line -> {}, () -> {
                    nowMs += 1_000;
                    throw new IOException("the disk is full");
                }))
                .hasMessage("the disk is full");
        assertThat(lines).containsExactly("Slow index operation: op=flush ms=1000 left_out=0");
    }

    @Test
    void zeroTurnsItOff() {
        take(from(0), TimeUnit.DAYS.toMillis(1));
        assertThat(lines).isEmpty();
    }

    @Test
    void aMinuteHasALimitAndTheNextSaysWhatItLeftOut() {
        SlowOperations slow = from(1);
        for (int i = 0; i < SlowOperations.MOST + 7; i++) {
            take(slow, 1);
        }
        assertThat(lines).hasSize(SlowOperations.MOST).allMatch(line -> line.endsWith(" left_out=0"));
        nowMs += TimeUnit.MINUTES.toMillis(1);
        take(slow, 1);
        take(slow, 1);
        assertThat(lines).hasSize(SlowOperations.MOST + 2);
        assertThat(lines.get(SlowOperations.MOST)).endsWith(" left_out=7");
        assertThat(lines.get(SlowOperations.MOST + 1)).endsWith(" left_out=0");
    }

    @Test
    void quotesWhatWouldNotBeOneValue() {
        SlowOperations slow = from(1);
        long begin = slow.begin();
        nowMs += 5;
        slow.ended(begin, "write", line -> line.with("region", "t,a b,1.x.")
                .with("row", "a=\"\\\n")
                .with("empty", "")
                .with("plain", "x,y"));
        assertThat(lines)
                .containsExactly("Slow index operation: op=write ms=5 region=\"t,a b,1.x.\" row=\"a=\\\"\\\\ \""
                        + " empty=\"\" plain=x,y left_out=0");
    }
}
