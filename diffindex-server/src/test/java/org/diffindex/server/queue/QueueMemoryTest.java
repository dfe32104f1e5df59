package org.diffindex.server.queue;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Tests the bound of the AUQs' memory. */
class QueueMemoryTest {
    private final QueueMemory memory = new QueueMemory(100);

    @Test
    void refusesReservationsBeyondTheLimit() {
        assertThat(memory.tryReserve(60)).isTrue();
        assertThat(memory.tryReserve(40)).isTrue();
        assertThat(memory.tryReserve(1)).isFalse();
        assertThat(memory.used()).isEqualTo(100);
        memory.release(60);
        assertThat(memory.tryReserve(1)).isTrue();
        assertThat(memory.used()).isEqualTo(41);
    }

    @Test
    void aSingleWriteMayExceedTheLimit() {
        assertThat(memory.tryReserve(1_000)).isTrue();
        assertThat(memory.tryReserve(1)).isFalse();
        memory.release(1_000);
        assertThat(memory.used()).isZero();
    }

    @Test
    void aSingleWriteMayExceedTheLimitThoughALittleIsNotWorthParking() {
        assertThat(memory.worthParking()).isEqualTo(12);
        memory.reserve(12);
        assertThat(memory.tryReserve(1_000)).isTrue();
        memory.release(1_000);
        memory.reserve(1);
        assertThat(memory.tryReserve(1_000)).isFalse();
    }

    @Test
    void isShortIfAWriteWouldTakeMoreThanHalf() {
        memory.reserve(50);
        assertThat(memory.isShort(0)).isFalse();
        assertThat(memory.isShort(1)).isTrue();
    }

    @Test
    void reservesBeyondTheLimitForWhatIsAlreadyDurable() {
        memory.reserve(150);
        assertThat(memory.used()).isEqualTo(150);
        assertThat(memory.tryReserve(1)).isFalse();
        assertThat(memory.limit()).isEqualTo(100);
    }
}
