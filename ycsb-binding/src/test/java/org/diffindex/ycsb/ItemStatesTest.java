package org.diffindex.ycsb;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ItemStatesTest {
    private static final long ITEM = 7;

    private final ItemStates states = new ItemStates();

    @Test
    void anItemNeverWrittenIsUnknown() {
        assertThat(states.of(ITEM)).isNull();
    }

    @Test
    void aWriteAloneIsCertainOnceItSucceeded() {
        assertThat(states.begin(ITEM)).isEqualTo(1);
        assertThat(states.of(ITEM).isKnownToExist()).isFalse();
        states.end(ITEM, false, true);
        assertThat(states.of(ITEM).isKnownToExist()).isTrue();
        assertThat(states.of(ITEM).version()).isEqualTo(1);
    }

    @Test
    void aWriteThatFailedLeavesTheItemUncertain() {
        assertThat(states.begin(ITEM)).isEqualTo(1);
        states.end(ITEM, false, false);
        assertThat(states.of(ITEM).isKnownToExist()).isFalse();
        assertThat(states.of(ITEM).isKnownToBeDeleted()).isFalse();
    }

    @Test
    void twoWritesAtTheSameTimeLeaveTheItemUncertainUntilTheNext() {
        assertThat(states.begin(ITEM)).isEqualTo(1);
        assertThat(states.begin(ITEM)).isEqualTo(2);
        states.end(ITEM, false, true);
        assertThat(states.of(ITEM).isKnownToExist()).isFalse();
        states.end(ITEM, false, true);
        assertThat(states.of(ITEM).isKnownToExist()).isFalse();

        assertThat(states.begin(ITEM)).isEqualTo(3);
        states.end(ITEM, false, true);
        assertThat(states.of(ITEM).isKnownToExist()).isTrue();
    }

    @Test
    void aDeletedItemIsKnownToBeDeleted() {
        assertThat(states.begin(ITEM)).isEqualTo(1);
        states.end(ITEM, true, true);
        assertThat(states.of(ITEM).isKnownToBeDeleted()).isTrue();
        assertThat(states.of(ITEM).isKnownToExist()).isFalse();
    }

    @Test
    void aLearntVersionNeverOverridesAWrite() {
        states.learn(ITEM, 5);
        assertThat(states.of(ITEM).version()).isEqualTo(5);
        assertThat(states.begin(ITEM)).isEqualTo(6);
        states.learn(ITEM, 5);
        assertThat(states.of(ITEM).version()).isEqualTo(6);
    }
}
