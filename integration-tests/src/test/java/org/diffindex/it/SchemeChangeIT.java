package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.it.IndexedFixture.putOf;
import static org.diffindex.model.IndexScheme.ASYNC_SESSION;
import static org.diffindex.model.IndexScheme.ASYNC_SIMPLE;
import static org.diffindex.model.IndexScheme.SYNC_FULL;
import static org.diffindex.model.IndexScheme.SYNC_INSERT;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.client.Session;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.model.SchemeState;
import org.diffindex.tasks.SchemeSteps;
import org.diffindex.verify.SchemeChange;
import org.diffindex.verify.SchemeChangeListener;
import org.diffindex.verify.SchemeChangeOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The scheme of an index is changed while clients that know the one before write and read. */
@ExtendWith(ClusterExtension.class)
class SchemeChangeIT {
    private static final String BY_CITY = "by_city";

    /** A tour along each of the twelve changes; the first four are from each scheme, and to each. */
    private static final List<IndexScheme> TOUR = List.of(
            SYNC_FULL,
            ASYNC_SESSION,
            SYNC_INSERT,
            ASYNC_SIMPLE,
            SYNC_FULL,
            SYNC_INSERT,
            SYNC_FULL,
            ASYNC_SIMPLE,
            SYNC_INSERT,
            ASYNC_SESSION,
            ASYNC_SIMPLE,
            ASYNC_SESSION,
            SYNC_FULL);

    private static final int CHANGES_IN_EVERY_BUILD = 4;

    private static final int WRITERS = 3;
    private static final int ROWS_OF_A_WRITER = 5;
    private static final int CITIES = 30;
    private static final int UNCHANGED_ROWS = 60;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicBoolean stopping = new AtomicBoolean();

    /** Writers hold the read lock for a write and the reads that follow; held to compare index and table exactly. */
    private final ReadWriteLock writing = new ReentrantReadWriteLock();

    /** The promises, in the order in which they were in force; the last one is. */
    private final List<IndexScheme> promises = new ArrayList<>();

    @AfterEach
    void stop() {
        stopping.set(true);
        threads.shutdownNow();
    }

    private static IndexedFixture indexed(Connection connection, IndexScheme scheme) throws IOException {
        return new IndexedFixture(
                connection,
                1,
                name -> List.of(IndexDefinition.builder(name, BY_CITY)
                        .column("f", "city", ColumnTypes.STRING)
                        .scheme(scheme)
                        .splitAt("city1", "city2")
                        .build()));
    }

    private static void change(IndexedFixture fixture, IndexScheme to) throws IOException {
        SchemeChange.run(
                fixture.connection, fixture.name, BY_CITY, to, SchemeChangeOptions.DEFAULT, SchemeChangeListener.NONE);
    }

    private synchronized void promise(IndexScheme scheme) {
        promises.add(scheme);
    }

    private synchronized int now() {
        return promises.size() - 1;
    }

    /** Returns the weakest promise that was in force since a moment. */
    private synchronized IndexScheme weakestSince(int moment) {
        return promises.subList(moment, promises.size()).stream()
                .reduce(IndexScheme::weaker)
                .orElseThrow();
    }

    @Test
    void everyPromiseHoldsWhileTheSchemeChanges(Connection connection) throws Exception {
        follow(connection, TOUR.subList(0, CHANGES_IN_EVERY_BUILD + 1));
    }

    @Test
    @Tag("proof")
    void everyPromiseHoldsWhileTheSchemeChangesInTheOtherDirections(Connection connection) throws Exception {
        follow(connection, TOUR.subList(CHANGES_IN_EVERY_BUILD, TOUR.size()));
    }

    private void follow(Connection connection, List<IndexScheme> tour) throws Exception {
        try (IndexedFixture fixture = indexed(connection, tour.get(0))) {
            for (int i = 0; i < UNCHANGED_ROWS; i++) {
                fixture.put(unchanged(i), "city" + i % CITIES);
            }
            promise(tour.get(0));
            List<Future<?>> clients = new ArrayList<>();
            for (int i = 0; i < WRITERS; i++) {
                int number = i;
                clients.add(threads.submit(() -> new Writer(fixture, number).run()));
            }
            clients.add(threads.submit(() -> scan(fixture)));
            for (int i = 1; i < tour.size(); i++) {
                IndexScheme from = tour.get(i - 1);
                IndexScheme to = tour.get(i);
                promise(IndexScheme.weaker(from, to));
                change(fixture, to);
                promise(to);
                assertExact(fixture, from + " to " + to);
                requireRunning(clients);
            }
            stopping.set(true);
            for (Future<?> client : clients) {
                client.get();
            }
        }
    }

    private static void requireRunning(List<Future<?>> clients) throws Exception {
        for (Future<?> client : clients) {
            if (client.isDone()) {
                client.get();
            }
        }
    }

    /** Compares while no writer writes: without a drain, as readers see it; and every entry, after a drain. */
    private void assertExact(IndexedFixture fixture, String change) throws IOException {
        writing.writeLock().lock();
        try {
            fixture.assertReadersOfSynchronousIndexesSeeTheBase();
            fixture.assertIndexesEqualBase();
            assertThat(fixture.admin
                            .describeIndex(fixture.name, BY_CITY)
                            .scheme()
                            .schemeName())
                    .as(change)
                    .isEqualTo(promises.get(now()).schemeName());
        } finally {
            writing.writeLock().unlock();
        }
    }

    private static String unchanged(int number) {
        return (char) ('a' + number % 26) + "-unchanged-" + number;
    }

    /** Scans the whole index again and again; every row that does not change is found once. */
    private Void scan(IndexedFixture fixture) throws IOException {
        try (IndexedTable own = new IndexedTable(fixture.connection, fixture.name)) {
            while (!stopping.get()) {
                Map<String, Integer> found = new TreeMap<>();
                try (IndexScanner hits =
                        own.getByIndex(IndexQuery.index(BY_CITY).caching(7).build())) {
                    for (IndexHit hit : hits) {
                        found.merge(Bytes.toString(hit.row()), 1, Integer::sum);
                    }
                }
                for (int i = 0; i < UNCHANGED_ROWS; i++) {
                    assertThat(found).containsEntry(unchanged(i), 1);
                }
            }
        }
        return null;
    }

    /** Writes rows of its own, in a session and without, and reads each by its new city and by the one before. */
    private final class Writer {
        private final IndexedFixture fixture;
        private final int number;
        private final Map<String, String> cities = new TreeMap<>();
        private int writes;

        Writer(IndexedFixture fixture, int number) {
            this.fixture = fixture;
            this.number = number;
        }

        Void run() throws IOException {
            try (IndexedTable own = new IndexedTable(fixture.connection, fixture.name);
                    Session session = own.openSession()) {
                while (!stopping.get()) {
                    writing.readLock().lock();
                    try {
                        writeAndRead(own, session);
                    } finally {
                        writing.readLock().unlock();
                    }
                    writes++;
                }
            }
            return null;
        }

        private void writeAndRead(IndexedTable own, Session session) throws IOException {
            String row = (char) ('a' + (number * 7 + writes % ROWS_OF_A_WRITER * 3) % 26) + "-" + number + "-"
                    + writes % ROWS_OF_A_WRITER;
            String city = "city" + (number + writes * 7) % CITIES;
            String before = cities.put(row, city);
            boolean inSession = number % 2 == 0;
            int begin = now();
            Put put = putOf(row, city);
            try {
                if (inSession) {
                    session.put(put);
                } else {
                    fixture.table.put(put);
                }
            } catch (IndexUpdateDelayedException e) {
                return; // durable, and not acknowledged
            }
            List<String> withNew = rows(own, session, inSession, city);
            List<String> withOld =
                    before == null || before.equals(city) ? List.of() : rows(own, session, inSession, before);
            IndexScheme promise = weakestSince(begin);
            if (promise.readsAcknowledgedWrites() || (promise.hasSessions() && inSession)) {
                assertThat(withNew)
                        .as("rows with %s, promise of %s", city, promise)
                        .contains(row);
                assertThat(withOld)
                        .as("rows with %s, promise of %s", before, promise)
                        .doesNotContain(row);
            }
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

    /** Interrupted after each step; then completed, or undone. */
    @Test
    void aChangeThatWasInterruptedIsCompletedOrUndone(Connection connection) throws Exception {
        try (IndexedFixture fixture = indexed(connection, SYNC_INSERT);
                Admin hbase = connection.getAdmin()) {
            for (int i = 0; i < UNCHANGED_ROWS; i++) {
                fixture.put(unchanged(i), "city" + i % CITIES);
                fixture.put(unchanged(i), "city" + (i + 1) % CITIES); // leaves a stale entry
            }
            IndexDefinition before = fixture.admin.describeIndex(fixture.name, BY_CITY);
            SchemeSteps interrupted = new SchemeSteps(hbase, before);
            SchemeState begun = interrupted.begin(SYNC_FULL);
            interrupted.define(begun);
            assertThat(fixture.admin
                            .schemesOf(fixture.name, BY_CITY)
                            .orElseThrow()
                            .promise())
                    .isEqualTo(SYNC_INSERT);
            fixture.assertReadersOfSynchronousIndexesSeeTheBase();

            change(fixture, SYNC_FULL);
            fixture.assertIndexesEqualBase();
            assertThatThrownBy(() -> interrupted.complete(begun)).hasMessageContaining("another change of its scheme");

            IndexEntry late = new IndexEntry(Bytes.toBytes("city0\0late"), System.currentTimeMillis());
            try (Table own = connection.getTable(before.indexTable())) {
                assertThatThrownBy(() -> own.put(before.entryFormat().put(late, late.timestamp())))
                        .as("a write of the time before the change")
                        .hasMessageContaining("sent before the scheme of the index");
            }

            SchemeSteps undone = new SchemeSteps(hbase, fixture.admin.describeIndex(fixture.name, BY_CITY));
            undone.define(undone.begin(ASYNC_SIMPLE));
            change(fixture, SYNC_FULL);
            fixture.assertReadersOfSynchronousIndexesSeeTheBase();
            fixture.assertIndexesEqualBase();
            assertThat(IntStream.range(0, CITIES).mapToObj(i -> "city" + i))
                    .allSatisfy(city -> assertThat(fixture.rows(BY_CITY, city)).hasSize(UNCHANGED_ROWS / CITIES));
        }
    }

    /** Of two clients, one changes the index last; the other one is told. */
    @Test
    void ofTwoChangesAtOnceOneIsInForceAndTheOtherOneIsToldSo(Connection connection) throws Exception {
        try (IndexedFixture fixture = indexed(connection, SYNC_FULL)) {
            fixture.put("a1", "city1");
            List<IndexScheme> wanted = List.of(SYNC_INSERT, ASYNC_SESSION);
            List<Future<?>> changes = new ArrayList<>();
            for (IndexScheme scheme : wanted) {
                changes.add(threads.submit(() -> {
                    change(fixture, scheme);
                    return null;
                }));
            }
            List<String> failures = new ArrayList<>();
            for (Future<?> change : changes) {
                try {
                    change.get();
                } catch (ExecutionException e) {
                    failures.add(e.getCause().getMessage());
                }
            }
            assertThat(failures).allSatisfy(message -> assertThat(message).contains("takes the place of this one"));
            assertThat(failures.size()).isLessThan(2);
            assertThat(fixture.admin
                            .schemesOf(fixture.name, BY_CITY)
                            .orElseThrow()
                            .next())
                    .isEmpty();
            assertThat(wanted)
                    .contains(fixture.admin.describeIndex(fixture.name, BY_CITY).scheme());
            fixture.put("a1", "city2");
            fixture.assertIndexesEqualBase();
        }
    }
}
