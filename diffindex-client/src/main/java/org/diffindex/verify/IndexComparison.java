package org.diffindex.verify;

import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.model.IndexDefinition;

/**
 * Compares an index with its base table without a lag and on one thread, by a {@link Scrubber}: for tables that are not
 * being written.
 */
public final class IndexComparison {
    private static final ScrubOptions AT_ONCE = ScrubOptions.DEFAULT
            .withThreads(1)
            .withLag(Duration.ZERO)
            .withBuckets(4_096)
            .withSamples(2);

    private IndexComparison() {}

    /**
     * Compares the index with its base table; repairs nothing.
     *
     * @throws IOException as {@link Scrubber#scrub}
     */
    public static ScrubReport compare(Connection connection, IndexDefinition definition) throws IOException {
        return Scrubber.scrub(connection, definition, AT_ONCE, ScrubListener.NONE);
    }
}
