package org.diffindex.lab.steps;

import java.io.IOException;
import java.time.Duration;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.client.DiffIndexAdmin;

/** Waits for the index updates of a table that are in flight. */
public final class Drain {
    private Drain() {}

    /**
     * Returns once every update acknowledged before the call has been applied to the indexes of a table.
     *
     * @throws IOException if some have not been applied after {@code atMost}
     */
    public static void await(DiffIndexAdmin admin, TableName table, Duration atMost) throws IOException {
        long left = admin.drain(table, atMost);
        if (left > 0) {
            throw new IOException(left + " batches of index updates of " + table + " are not delivered after "
                    + atMost.toSeconds() + " s; the logs of the region servers say why");
        }
    }
}
