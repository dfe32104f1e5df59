package org.diffindex.client;

import java.io.IOException;
import org.apache.hadoop.hbase.client.Scan;
import org.diffindex.model.IndexAddress;
import org.diffindex.model.IndexScheme;

/**
 * How one query reads an index: as the scheme demands by which it was opened. If a region of the index table refuses that,
 * because the scheme was changed, or is being changed, the query reads carefully from then on: it checks each entry, and names
 * no scheme, so that it is right whatever the scheme is. It looks again at what its scan has passed if it was to do so from
 * the beginning, or has met nothing yet.
 *
 * <p>Used by the one thread of a scanner.
 */
final class ReadMode {
    private final IndexScheme scheme;
    private final FailedReads failed;
    private boolean isCareful;
    private boolean looksTwice;

    /**
     * Creates the mode of a query.
     *
     * @param scheme the scheme by which the index is to be read, as far as the client knows
     * @param failed is told of another one
     */
    ReadMode(IndexScheme scheme, FailedReads failed) {
        this.scheme = scheme;
        this.failed = failed;
        this.looksTwice = scheme.readsAcknowledgedWrites();
    }

    /** Makes a scan of the index table name the scheme, or none; returns the same scan. */
    Scan mark(Scan scan) {
        return isCareful ? IndexAddress.readByAny(scan) : IndexAddress.readBy(scan, scheme);
    }

    /** Returns whether each entry is checked against its base row. */
    boolean checksAll() {
        return isCareful || scheme.leavesStaleEntries();
    }

    /** Returns whether the query looks again for entries that were put behind its scan. */
    boolean looksTwice() {
        return looksTwice;
    }

    /**
     * Reads carefully if a failed scan says that the scheme is another one.
     *
     * @param hasBegun whether the query has met an entry
     * @return whether the scan can be repeated, from where it was
     */
    boolean isChangedBy(IOException failure, boolean hasBegun) {
        if (isCareful || !failed.isOfAnotherScheme(failure)) {
            return false;
        }
        isCareful = true;
        looksTwice |= !hasBegun;
        return true;
    }
}
