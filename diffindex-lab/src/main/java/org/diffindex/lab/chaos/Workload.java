package org.diffindex.lab.chaos;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.client.IndexedTable;

/**
 * The table of one scheme with all that its clients share. Safe for use by many threads.
 *
 * @param table the table
 * @param connection how writers and sessions reach it
 * @param history what they did
 * @param log the file with all they did
 * @param reads their reads
 * @param violations what was wrong
 * @param tally how much they did
 * @param rows how many rows they write at a time
 * @param writing held shared by who writes, alone by who wants nobody to
 * @param stopped whether all clients are to end
 */
record Workload(
        ChaosTable table,
        Connection connection,
        SchemeHistory history,
        HistoryLog log,
        IndexReads reads,
        Violations violations,
        Tally tally,
        int rows,
        ReadWriteLock writing,
        AtomicBoolean stopped) {
    /**
     * A new one; nobody works yet.
     *
     * @param readers how those who only read reach it: what writers learn of where regions are now, they do not hear of
     */
    static Workload of(
            ChaosTable table,
            Connection connection,
            Connection readers,
            SchemeHistory history,
            HistoryLog log,
            Violations violations,
            int rows,
            AtomicBoolean stopped) {
        Tally tally = new Tally();
        IndexedTable indexed = new IndexedTable(readers, table.name());
        return new Workload(
                table,
                connection,
                history,
                log,
                new IndexReads(indexed, history, violations, tally),
                violations,
                tally,
                rows,
                new ReentrantReadWriteLock(true),
                stopped);
    }
}
