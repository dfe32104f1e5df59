package org.diffindex.server.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.Test;

/** Tests that an index table that does not answer gets one thread of a server, any other its share, each in turn. */
class StalledIndexesTest {
    private static final TableName INDEX = TableName.valueOf("t.index");
    private static final TableName OTHER = TableName.valueOf("t.other");

    private long nanos;
    private final StalledIndexes indexes = new StalledIndexes(2, () -> nanos);

    /** The lanes that have been given a thread, in order. */
    private final List<String> started = new ArrayList<>();

    @Test
    void anIndexThatAnswersGetsItsShareOfThreads() {
        acquire(INDEX, "a", "b", "c");
        assertThat(started).containsExactly("a", "b");
        acquire(OTHER, "d");
        assertThat(started).containsExactly("a", "b", "d");
        indexes.release(INDEX);
        assertThat(started).containsExactly("a", "b", "d", "c");
    }

    @Test
    void aStalledIndexGetsOneThread() {
        indexes.add(INDEX);
        assertThat(indexes.contains(INDEX)).isTrue();
        assertThat(indexes.contains(OTHER)).isFalse();
        acquire(INDEX, "a", "b", "c", "d");
        assertThat(started).containsExactly("a");
        indexes.release(INDEX);
        assertThat(started).containsExactly("a", "b");
        indexes.remove(INDEX);
        assertThat(started).containsExactly("a", "b", "c");
    }

    @Test
    void aCallThatTakesLongHoldsTheThreadOfItsIndex() {
        indexes.addWithThread(INDEX);
        assertThat(indexes.contains(INDEX)).isTrue();
        acquire(INDEX, "a");
        assertThat(started).isEmpty();
        indexes.release(INDEX);
        assertThat(started).containsExactly("a");
    }

    @Test
    void aThreadGoesToTheLaneThatHasWaitedLongest() {
        indexes.add(INDEX);
        acquire(INDEX, "a", "b", "c");
        assertThat(indexes.isAwaited(INDEX)).isTrue();
        assertThat(indexes.isAwaited(OTHER)).isFalse();
        indexes.release(INDEX);
        acquire(INDEX, "a again");
        indexes.release(INDEX);
        indexes.release(INDEX);
        assertThat(started).containsExactly("a", "b", "c", "a again");
        assertThat(indexes.isAwaited(INDEX)).isFalse();
    }

    /** As a lane that is stopped while it waits. */
    @Test
    void aLaneMayReleaseItsThreadAtOnce() {
        indexes.add(INDEX);
        acquire(INDEX, "a");
        assertThat(indexes.acquire(INDEX, () -> indexes.release(INDEX))).isFalse();
        acquire(INDEX, "b");
        indexes.release(INDEX);
        assertThat(started).containsExactly("a", "b");
    }

    /** Its last updates have arrived late, it was dropped, or its regions have moved away. */
    @Test
    void nothingIsKnownOfAnIndexToWhichNothingIsDeliveredForAMinute() {
        indexes.addWithThread(INDEX);
        nanos += TimeUnit.HOURS.toNanos(1);
        assertThat(indexes.contains(INDEX)).as("a call that hangs").isTrue();
        indexes.release(INDEX);
        nanos += TimeUnit.SECONDS.toNanos(59);
        assertThat(indexes.contains(INDEX)).as("it was slow").isTrue();
        nanos += TimeUnit.SECONDS.toNanos(1);
        assertThat(indexes.contains(INDEX)).isFalse();
        acquire(INDEX, "a", "b");
        assertThat(started).containsExactly("a", "b");
    }

    private void acquire(TableName index, String... lanes) {
        for (String lane : lanes) {
            if (indexes.acquire(index, () -> started.add(lane))) {
                started.add(lane);
            }
        }
    }
}
