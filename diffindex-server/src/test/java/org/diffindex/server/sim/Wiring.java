package org.diffindex.server.sim;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import org.apache.hadoop.hbase.client.Mutation;
import org.diffindex.server.maintain.RowClock;
import org.diffindex.server.maintain.RowLocks;

/** How the parts are put together: here as they are meant to be; a {@link Defect} puts in a faulty one. */
class Wiring {
    Hooks hooks(Scheduler scheduler) {
        return new Hooks(scheduler);
    }

    RowLocks rowLocks(Scheduler scheduler) {
        return new Server.WatchedRowLocks(scheduler);
    }

    RowClock rowClock(InstantSource source) {
        return new RowClock(source);
    }

    /** What HBase's client does with a batch of index updates. */
    void deliver(IndexTable index, List<Mutation> mutations, Scheduler scheduler) throws IOException {
        index.batch(mutations);
    }

    /** Whether index writes wait for the handlers that ordinary writes occupy. */
    boolean sharesHandlers() {
        return false;
    }

    /** Whether index tables drop their tombstones at once. */
    boolean purgesIndexTombstones() {
        return false;
    }

    /** Whether compactions heed no scanner. */
    boolean compactsWhatScannersRead() {
        return false;
    }

    boolean removesSpillWhenRead() {
        return false;
    }

    /** Whether spill files go when their region is split. */
    boolean keepsSpillWithTheRegion() {
        return false;
    }

    /** Whether an index table applies the deletes of a call before its puts. */
    boolean cutsIndexBatches() {
        return false;
    }

    /** Whether index tables tell scans as of when they read. */
    boolean tellsReadPoints() {
        return true;
    }

    /** Whether a scan looks again at the regions that it has passed. */
    boolean looksTwice() {
        return true;
    }

    /** Whether syncs fail now and then in each run in which they may. */
    boolean failsSyncs() {
        return false;
    }

    /** Whether entries of writes whose sync failed are kept. */
    boolean keepsUncertainWrites() {
        return true;
    }

    /** The name under which a file is listed. */
    String listed(String name) {
        return name;
    }
}
