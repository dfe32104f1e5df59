package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.client.NoSuchIndexException;
import org.diffindex.client.Session;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;

/**
 * Clients that write rows with a city and a note, and read them by an index whose first column is the city, whatever further
 * columns it has: each writer reads every row by its new city and by the one before, and another client scans the whole index
 * for rows that do not change. They know the definition of the index from before it changes.
 */
final class CityClients implements Closeable {
    static final String BY_CITY = "by_city";
    private static final int WRITERS = 3;
    private static final int ROWS_OF_A_WRITER = 5;
    private static final int CITIES = 30;
    private static final int UNCHANGED_ROWS = 60;

    private final Connection connection;
    private final TableName name;
    private final IndexScheme promise;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final List<Future<?>> clients = new ArrayList<>();

    /** Counts the writes that were acknowledged, and read by their index. */
    final AtomicLong writes = new AtomicLong();

    /** Counts the scans that had found something when what the index was before was dropped. */
    final AtomicLong repeated = new AtomicLong();

    /** Writers hold the read lock for a write and the reads that follow; held to compare index and table exactly. */
    private final ReadWriteLock writing = new ReentrantReadWriteLock();

    CityClients(Connection connection, TableName name, IndexScheme promise) {
        this.connection = connection;
        this.name = name;
        this.promise = promise;
    }

    void start() throws IOException {
        try (Table table = connection.getTable(name);
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            for (int i = 0; i < UNCHANGED_ROWS; i++) {
                table.put(putOf(unchanged(i), "city" + i % CITIES, i));
            }
            assertThat(admin.drain(name, IndexedFixture.DRAIN)).isZero();
        }
        for (int i = 0; i < WRITERS; i++) {
            int number = i;
            clients.add(threads.submit(() -> new Writer(number).run()));
        }
        clients.add(threads.submit(this::scan));
    }

    /** Runs something while no writer writes or reads. */
    void whileQuiet(Callable<Void> action) throws Exception {
        writing.writeLock().lock();
        try {
            Void unused = action.call();
        } finally {
            writing.writeLock().unlock();
        }
    }

    /** Fails if a client has failed. */
    void requireRunning() throws Exception {
        for (Future<?> client : clients) {
            if (client.isDone()) {
                client.get();
            }
        }
    }

    void stop() throws Exception {
        stopping.set(true);
        for (Future<?> client : clients) {
            client.get();
        }
    }

    @Override
    public void close() {
        stopping.set(true);
        threads.shutdownNow();
    }

    private static Put putOf(String row, String city, int note) {
        return IndexedFixture.putOf(row, city)
                .addColumn(IndexedFixture.F, IndexedFixture.NOTE, Bytes.toBytes("note" + note % 7));
    }

    private static String unchanged(int number) {
        return (char) ('a' + number % 26) + "-unchanged-" + number;
    }

    /** Scans the whole index again and again; every row that does not change is found once. */
    private Void scan() throws IOException {
        try (IndexedTable own = new IndexedTable(connection, name)) {
            while (!stopping.get()) {
                Map<String, Integer> found = new TreeMap<>();
                try (IndexScanner hits =
                        own.getByIndex(IndexQuery.index(BY_CITY).caching(7).build())) {
                    for (IndexHit hit : hits) {
                        found.merge(Bytes.toString(hit.row()), 1, Integer::sum);
                    }
                } catch (UncheckedIOException e) {
                    if (e.getCause() instanceof NoSuchIndexException && !found.isEmpty()) {
                        repeated.incrementAndGet();
                        continue;
                    }
                    throw e;
                }
                for (int i = 0; i < UNCHANGED_ROWS; i++) {
                    assertThat(found).containsEntry(unchanged(i), 1);
                }
            }
        }
        return null;
    }

    /** Writes rows of its own, in a session or without. */
    private final class Writer {
        private final int number;
        private final Map<String, String> cities = new TreeMap<>();
        private int written;

        Writer(int number) {
            this.number = number;
        }

        Void run() throws IOException {
            try (IndexedTable own = new IndexedTable(connection, name);
                    Session session = own.openSession();
                    Table table = connection.getTable(name)) {
                while (!stopping.get()) {
                    writing.readLock().lock();
                    try {
                        writeAndRead(own, session, table);
                    } finally {
                        writing.readLock().unlock();
                    }
                    written++;
                }
            }
            return null;
        }

        private void writeAndRead(IndexedTable own, Session session, Table table) throws IOException {
            String row = (char) ('a' + (number * 7 + written % ROWS_OF_A_WRITER * 3) % 26) + "-" + number + "-"
                    + written % ROWS_OF_A_WRITER;
            String city = "city" + (number + written * 7) % CITIES;
            String before = cities.put(row, city);
            boolean inSession = number % 2 == 0;
            Put put = putOf(row, city, written);
            try {
                if (inSession) {
                    session.put(put);
                } else {
                    table.put(put);
                }
            } catch (IndexUpdateDelayedException e) {
                return; // durable, and not acknowledged
            }
            List<String> withNew = rows(own, session, inSession, city);
            List<String> withOld =
                    before == null || before.equals(city) ? List.of() : rows(own, session, inSession, before);
            if (promise.readsAcknowledgedWrites() || (promise.hasSessions() && inSession)) {
                assertThat(withNew).as("rows with %s", city).contains(row);
                assertThat(withOld).as("rows with %s", before).doesNotContain(row);
            }
            writes.incrementAndGet();
        }

        private static List<String> rows(IndexedTable own, Session session, boolean inSession, String city)
                throws IOException {
            IndexQuery query = IndexQuery.index(BY_CITY).equalTo(city).build();
            List<String> rows = new ArrayList<>();
            try (IndexScanner hits = inSession ? session.getByIndex(query) : own.getByIndex(query)) {
                hits.forEach(hit -> rows.add(Bytes.toString(hit.row())));
            }
            return rows;
        }
    }
}
