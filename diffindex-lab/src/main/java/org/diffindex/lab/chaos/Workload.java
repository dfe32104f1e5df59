package org.diffindex.lab.chaos;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.client.IndexedTable;

/**
 * The table of one scheme and the objects that its clients share. Thread-safe.
 *
 * @param table the table
 * @param connection the connection of writers and sessions
 * @param history the writes
 * @param log the log of the writes
 * @param reads the reads
 * @param violations the broken promises
 * @param tally the counts of what the clients did
 * @param rows the number of rows that are in use at any time
 * @param writing the lock that each write acquires for reading, and a checkpoint for writing to keep writers out
 * @param stopped whether all clients must end
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
     * Creates a workload without clients.
     *
     * @param readers the connection of clients that only read; it does not share the region locations that writers
     *     learn
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
                new IndexReads(indexed, gets -> get(readers, table, gets), history, violations, tally),
                violations,
                tally,
                rows,
                new ReentrantReadWriteLock(true),
                stopped);
    }

    private static Result[] get(Connection readers, ChaosTable table, List<Get> gets) throws IOException {
        try (Table base = readers.getTable(table.name())) {
            return base.get(gets);
        }
    }
}
