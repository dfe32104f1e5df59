package org.diffindex.lab.steps;

import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.client.DiffIndexAdmin;

/** Waits for the delivery of the index updates of a table. */
public final class Drain {
    private Drain() {}

    /**
     * Returns once every index update of a table that was accepted before the call is delivered.
     *
     * @throws IOException if some are not delivered after {@code atMost}
     */
    public static void await(DiffIndexAdmin admin, TableName table, Duration atMost) throws IOException {
        long left = admin.drain(table, atMost);
        if (left > 0) {
            throw new IOException(left + " batches of index updates of " + table + " are not delivered after "
                    + atMost.toSeconds() + " s; see the logs of the region servers for the cause");
        }
    }
}
