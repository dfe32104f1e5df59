package org.diffindex.server.maintain;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.hbase.wal.WALKeyImpl;
import org.junit.jupiter.api.Test;

class RecentWritesTest {
    private final RecentWrites writes = new RecentWrites(10);

    private static final class Key extends WALKeyImpl {
        void logged(long sequence) {
            setSequenceId(sequence);
        }
    }

    private static Key key(long sequence) {
        Key key = new Key();
        key.logged(sequence);
        return key;
    }

    @Test
    void writesBeforeTheFirstBatchAreNotKnown() {
        assertThat(writes.areFewSince(5, 1)).isFalse();
        writes.add(key(6), 1);
        assertThat(writes.areFewSince(5, 1)).isFalse();
        assertThat(writes.areFewSince(6, 1)).isTrue();
    }

    @Test
    void countsTheCellsOfNewerBatches() {
        writes.add(key(5), 100);
        writes.add(key(6), 4);
        writes.add(key(7), 5);
        assertThat(writes.areFewSince(5, 1)).isTrue();
        writes.add(key(8), 1);
        assertThat(writes.areFewSince(5, 1)).isFalse();
        assertThat(writes.areFewSince(6, 1)).isTrue();
    }

    @Test
    void allowsMoreCellsForMoreRows() {
        writes.add(key(5), 1);
        writes.add(key(6), 25);
        assertThat(writes.areFewSince(5, 2)).isFalse();
        assertThat(writes.areFewSince(5, 3)).isTrue();
    }

    @Test
    void aBatchWithoutASequenceNumberCountsAsNewer() {
        Key unlogged = new Key();
        writes.add(key(5), 1);
        writes.add(unlogged, 2);
        assertThat(writes.areFewSince(5, 1)).isTrue();
        writes.add(new Key(), 9);
        assertThat(writes.areFewSince(5, 1)).isFalse();
        unlogged.logged(6);
        assertThat(writes.areFewSince(6, 1)).isTrue();
    }

    @Test
    void forgetsTheOldestBatches() {
        for (int sequence = 1; sequence <= 1_000; sequence++) {
            writes.add(key(sequence), 0);
        }
        assertThat(writes.areFewSince(1_000, 1)).isTrue();
        assertThat(writes.areFewSince(800, 1)).isTrue();
        assertThat(writes.areFewSince(700, 1)).isFalse();
    }

    @Test
    void areNeverFewIfNoCellIsAllowed() {
        RecentWrites none = new RecentWrites(0);
        none.add(key(1), 1);
        assertThat(none.areFewSince(1, 100)).isFalse();
    }

    @Test
    void releasesTheKeyOfABatchOnceItsSequenceNumberIsKnown() {
        Key onItsWay = new Key();
        writes.add(onItsWay, 1);
        for (int i = 1; i <= 1_000; i++) {
            writes.add(key(i), 1);
            assertThat(writes.keysKept()).isLessThanOrEqualTo(2);
        }
        assertThat(writes.areFewSince(995, 1)).isTrue();
        assertThat(writes.areFewSince(980, 1)).isFalse();
    }
}
