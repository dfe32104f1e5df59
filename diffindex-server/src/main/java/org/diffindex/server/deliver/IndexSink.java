package org.diffindex.server.deliver;

import java.io.IOException;
import java.util.List;

/** Where index updates go. The seam to the network. Implementations are safe for use by many threads. */
@FunctionalInterface
public interface IndexSink {
    /**
     * Writes the updates, and returns when all are durable. The order is free, except that a delete with a
     * {@link IndexUpdate#successor} takes effect no earlier than the puts to the same table.
     *
     * @throws IOException if one or more could not be written; any of them may have been
     */
    void write(List<IndexUpdate> updates) throws IOException;
}
