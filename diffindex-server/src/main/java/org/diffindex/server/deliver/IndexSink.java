package org.diffindex.server.deliver;

import java.io.IOException;
import java.util.List;

/** The destination of index updates: the interface to the network. Implementations are thread-safe. */
@FunctionalInterface
public interface IndexSink {
    /**
     * Writes the updates, and returns when all are durable. The order is unspecified, except that a delete with a
     * {@link IndexUpdate#successor} takes effect no earlier than the put of the successor if that is among the updates,
     * else no earlier than the puts to the same table.
     *
     * @throws IOException if one or more could not be written; any of them may have been
     */
    void write(List<IndexUpdate> updates) throws IOException;
}
