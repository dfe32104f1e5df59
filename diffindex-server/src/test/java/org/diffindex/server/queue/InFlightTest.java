package org.diffindex.server.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** A batch's stay and memory are given back once, by the last holder. */
class InFlightTest {
    private final FlushBarrier barrier = new FlushBarrier();
    private final QueueMemory memory = new QueueMemory(100);

    @Test
    void theLastHolderGivesBothBack() {
        memory.reserve(40);
        InFlight batch = new InFlight(barrier.enter(), memory, 40);
        assertThat(batch.hold()).isSameAs(batch);
        batch.letGo();
        assertThat(barrier.inside()).isEqualTo(1);
        assertThat(memory.used()).isEqualTo(40);
        batch.letGo();
        assertThat(barrier.inside()).isZero();
        assertThat(memory.used()).isZero();
    }

    @Test
    void lettingGoTooOftenIsAFaultAndGivesNothingBackTwice() {
        memory.reserve(40);
        InFlight batch = new InFlight(barrier.enter(), memory, 40);
        batch.letGo();
        assertThatThrownBy(batch::letGo).isInstanceOf(IllegalStateException.class);
        assertThat(barrier.inside()).isZero();
        assertThat(memory.used()).isZero();
    }
}
