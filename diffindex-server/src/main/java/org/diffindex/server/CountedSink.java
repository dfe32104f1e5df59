package org.diffindex.server;

import java.io.IOException;
import java.util.List;
import org.diffindex.server.deliver.IndexSink;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.queue.DeliveryStats;

/** An {@link IndexSink} that counts the updates that have become durable. Thread-safe. */
record CountedSink(IndexSink sink, DeliveryStats stats) implements IndexSink {
    @Override
    public void write(List<IndexUpdate> updates) throws IOException {
        sink.write(updates);
        stats.countWritten(updates);
    }
}
