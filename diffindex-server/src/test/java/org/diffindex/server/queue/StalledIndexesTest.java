package org.diffindex.server.queue;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.Test;

/** Tests that an index table that does not answer gets one thread of a server, and any other its share. */
class StalledIndexesTest {
    private static final TableName INDEX = TableName.valueOf("t.index");
    private static final TableName OTHER = TableName.valueOf("t.other");

    private final StalledIndexes indexes = new StalledIndexes(2);

    @Test
    void anIndexThatAnswersGetsItsShareOfThreads() {
        assertThat(indexes.tryAcquire(INDEX)).isTrue();
        assertThat(indexes.tryAcquire(INDEX)).isTrue();
        assertThat(indexes.tryAcquire(INDEX)).isFalse();
        assertThat(indexes.tryAcquire(OTHER)).isTrue();
        indexes.release(INDEX);
        assertThat(indexes.tryAcquire(INDEX)).isTrue();
    }

    @Test
    void aStalledIndexGetsOneThread() {
        indexes.add(INDEX);
        assertThat(indexes.contains(INDEX)).isTrue();
        assertThat(indexes.tryAcquire(INDEX)).isTrue();
        assertThat(indexes.tryAcquire(INDEX)).isFalse();
        assertThat(indexes.contains(OTHER)).isFalse();
        indexes.release(INDEX);
        assertThat(indexes.tryAcquire(INDEX)).isTrue();
        indexes.remove(INDEX);
        assertThat(indexes.tryAcquire(INDEX)).isTrue();
    }

    @Test
    void aCallThatTakesLongHoldsTheThreadOfItsIndex() {
        indexes.addWithThread(INDEX);
        assertThat(indexes.contains(INDEX)).isTrue();
        assertThat(indexes.tryAcquire(INDEX)).isFalse();
        indexes.release(INDEX);
        assertThat(indexes.tryAcquire(INDEX)).isTrue();
    }
}
