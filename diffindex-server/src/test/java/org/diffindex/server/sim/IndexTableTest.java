package org.diffindex.server.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.junit.jupiter.api.Test;

class IndexTableTest {
    private final IndexTable index = new IndexTable(
            new Scheduler(new Random(1)), new Wiring(), Flights.byOrigin(IndexScheme.SYNC_INSERT), List.of());

    /** A read may miss a stale entry that a repair deletes which waited for a handler when the read began. */
    @Test
    void aReadKnowsOfRepairsThatWereInProgressWhenItBeganAndOfLaterOnes() {
        BooleanSupplier fromTheStart = index.isUnrepairedFromNow();
        assertThat(fromTheStart.getAsBoolean()).isTrue();
        index.repair(() -> {
            assertThat(fromTheStart.getAsBoolean()).isFalse();
            assertThat(index.isUnrepairedFromNow().getAsBoolean()).isFalse();
        });
        assertThat(fromTheStart.getAsBoolean()).isFalse();
        assertThat(index.isUnrepairedFromNow().getAsBoolean()).isTrue();
    }

    @Test
    void aRepairWhoseServerDiesMayStillDelete() {
        assertThatThrownBy(() -> index.repair(() -> {
                    throw new Killed();
                }))
                .isInstanceOf(Killed.class);
        assertThat(index.isUnrepairedFromNow().getAsBoolean()).isFalse();
    }
}
