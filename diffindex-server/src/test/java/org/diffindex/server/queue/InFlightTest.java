package org.diffindex.server.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.server.maintain.RowChange;
import org.junit.jupiter.api.Test;

class InFlightTest {
    private static final RowChange CHANGE = RowChange.of(Bytes.toBytes("r"), 2, 1, 1);

    /** Else the memory for index updates would be used up by an index that is away long before it is. */
    @Test
    void whatOneIndexAloneLacksTakesTheMemoryOfItsChangesOnce() {
        QueueMemory memory = new QueueMemory(1 << 20);
        long bytes = InFlight.bytesOf(LongStream.of(CHANGE.heapSize()));
        memory.reserve(bytes);
        InFlight batch = new InFlight(new FlushBarrier().enter(), memory, bytes);
        batch.applied(List.of(CHANGE), new Undelivered());
        InFlight part = batch.apart("by_origin");
        batch.letGo();
        assertThat(memory.used()).isEqualTo(bytes + InFlight.bytesOf(LongStream.empty()));
        part.letGo();
        assertThat(memory.used()).isZero();
    }
}
