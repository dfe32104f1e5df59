package org.diffindex.server.sim;

import java.io.IOException;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.client.Mutation;
import org.diffindex.server.maintain.RowClock;
import org.diffindex.server.maintain.RowLocks;
import org.diffindex.server.maintain.RowMemory;

/** Connects the parts as intended; a {@link Defect} replaces one by a faulty part. */
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

    RowMemory rowMemory(RowMemory.Shared shared, LongAdder hits) {
        return new RowMemory(shared, hits);
    }

    /** Delivers a batch of index updates, as HBase's client does. */
    void deliver(IndexTable index, List<Mutation> mutations, Scheduler scheduler) throws IOException {
        index.batch(mutations);
    }

    /** Returns whether index writes wait for the handlers of ordinary writes. */
    boolean sharesHandlers() {
        return false;
    }

    /** Returns whether index tables drop their tombstones at once. */
    boolean purgesIndexTombstones() {
        return false;
    }

    /** Returns whether compactions ignore open scanners. */
    boolean compactsWhatScannersRead() {
        return false;
    }

    boolean removesSpillWhenRead() {
        return false;
    }

    /** Returns whether spill files are removed when their region is split. */
    boolean keepsSpillWithTheRegion() {
        return false;
    }

    /** Returns whether an index table applies the deletes of a call before its puts, in a step of their own. */
    boolean cutsIndexBatches() {
        return false;
    }

    /** Returns whether index tables tell scans their read points. */
    boolean tellsReadPoints() {
        return true;
    }

    /** Returns whether a scan looks again at the regions it has passed. */
    boolean looksTwice() {
        return true;
    }

    /** Returns whether a scan that is told no read point remembers what it has met. */
    boolean remembersWhatScansMeet() {
        return true;
    }

    /** Returns whether syncs of the WAL fail in every run that permits it. */
    boolean failsSyncs() {
        return false;
    }

    /** Returns whether the entries of writes whose sync failed are kept. */
    boolean keepsUncertainWrites() {
        return true;
    }

    /** Returns whether servers take their leases for endless. */
    boolean ignoresItsSession() {
        return false;
    }

    /** Returns whether servers publish files without looking for their WALs. */
    boolean publishesWithoutAWal() {
        return false;
    }

    /** Returns the name under which a file is listed. */
    String listed(String name) {
        return name;
    }
}
