package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WaitingHandlersTest {
    private final AtomicLong clock = new AtomicLong();
    private final WaitingHandlers handlers = new WaitingHandlers(10, clock::get);

    @Test
    void anyNumberOfHandlersMayWaitBriefly() {
        begin(10);
        clock.addAndGet(TimeUnit.MILLISECONDS.toNanos(999));
        assertThat(handlers.areTooMany()).isFalse();
    }

    @Test
    void halfOfTheHandlersMayNotWaitForLong() {
        List<WaitingHandlers.Wait> waits = begin(4);
        clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(handlers.areTooMany()).isFalse();
        waits.addAll(begin(1));
        assertThat(handlers.areTooMany()).isFalse();
        clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
        assertThat(handlers.areTooMany()).isTrue();
        waits.get(0).end();
        assertThat(handlers.areTooMany()).isFalse();
    }

    @Test
    void theOnlyHandlerOfAServerMayWait() {
        WaitingHandlers one = new WaitingHandlers(1, clock::get);
        assertThat(one.areTooMany()).isFalse();
        one.begin();
        assertThat(one.areTooMany()).isFalse();
    }

    private List<WaitingHandlers.Wait> begin(int count) {
        List<WaitingHandlers.Wait> waits = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            waits.add(handlers.begin());
        }
        return waits;
    }
}
