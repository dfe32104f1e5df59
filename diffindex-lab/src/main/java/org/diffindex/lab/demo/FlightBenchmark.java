package org.diffindex.lab.demo;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import org.HdrHistogram.Histogram;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.Staleness;

/** Measures all tables: puts, reads of one row by index, full scans, and index reads of the same rows. */
final class FlightBenchmark {
    private static final long SEED = 4;
    private static final InterleavedRounds SCANS = new InterleavedRounds(1, 5, 1);

    private final Connection connection;
    private final Flights flights;
    private final List<FlightTable> tables;
    private final InterleavedRounds operations;

    FlightBenchmark(Connection connection, Flights flights, List<FlightTable> tables) {
        this.connection = connection;
        this.flights = flights;
        this.tables = tables;
        this.operations = operations(flights.size());
    }

    /**
     * Plans one operation per 20 rows on each table, at least 200 and at most 2,000, after a quarter as many to warm
     * up.
     */
    private static InterleavedRounds operations(int rows) {
        int turns = Math.min(40, Math.max(4, rows / 1_000));
        return new InterleavedRounds(turns / 4, turns, 50);
    }

    /** Runs all measurements, one after the other. */
    FlightTimes run(StepLog steps) throws IOException {
        steps.step("measuring single puts, in turns over the tables");
        Map<FlightTable, Staleness> staleness = new LinkedHashMap<>();
        Map<FlightTable, Histogram> puts = puts(staleness);
        steps.step("measuring reads of one row by index");
        Map<FlightTable, Histogram> gets = getsByIndex();
        String airport = flights.middlingAirport();
        steps.step("measuring full scans for the flights from " + airport + ", and reads of them by index");
        long rows = count(airport);
        return new FlightTimes(puts, staleness, gets, scans(airport, rows), indexReads(airport, rows), rows);
    }

    /**
     * Returns the times of single puts, each of which changes the origin of one row; adds to {@code staleness} the
     * staleness of the indexes during these puts, without those of the warm-up.
     */
    private Map<FlightTable, Histogram> puts(Map<FlightTable, Staleness> staleness) throws IOException {
        try (Closing open = new Closing();
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            Map<FlightTable, Origins> origins = new LinkedHashMap<>();
            for (FlightTable table : tables) {
                origins.put(table, open.add(new Origins(connection, table, flights)));
            }
            Map<FlightTable, Staleness> before = new LinkedHashMap<>();
            Map<FlightTable, Histogram> nanos = operations.measure(origins, () -> before.putAll(staleness(admin)));
            staleness(admin).forEach((table, after) -> staleness.put(table, after.since(before.get(table))));
            return nanos;
        }
    }

    private Map<FlightTable, Staleness> staleness(DiffIndexAdmin admin) throws IOException {
        Map<FlightTable, Staleness> staleness = new LinkedHashMap<>();
        for (FlightTable table : tables) {
            staleness.put(table, admin.status(table.name()).staleness());
        }
        return staleness;
    }

    /** Returns the times of reads by index of one row, by exact values of both columns, keys only. */
    private Map<FlightTable, Histogram> getsByIndex() throws IOException {
        return measure(operations, table -> table.scheme().isPresent(), (reader, n) -> {
            Random random = new Random(SEED * 1_000_003 + n);
            reader.findByIndex(flights.get(2 * random.nextInt(flights.size() / 2)));
        });
    }

    /** Returns the number of rows that a filtered scan for an airport finds in the table without an index. */
    private long count(String airport) throws IOException {
        try (FlightReader reader = new FlightReader(connection, tables.get(0))) {
            return reader.fetchByScan(airport);
        }
    }

    /** Returns the times of filtered full scans for an airport. */
    private Map<FlightTable, Histogram> scans(String airport, long rows) throws IOException {
        return measure(
                SCANS, table -> true, (reader, n) -> check(reader.fetchByScan(airport), rows, airport, "A full scan"));
    }

    /** Returns the times of reads by index of the rows that the scans find. */
    private Map<FlightTable, Histogram> indexReads(String airport, long rows) throws IOException {
        return measure(
                SCANS,
                table -> table.scheme().isPresent(),
                (reader, n) -> check(reader.fetchByIndex(airport), rows, airport, "A read by index"));
    }

    private static void check(long found, long rows, String airport, String how) throws IOException {
        if (found != rows) {
            throw new IOException(how + " found " + found + " flights from " + airport + " instead of the " + rows
                    + " in the table without an index");
        }
    }

    /** A read of a table, given its number {@code n}. */
    @FunctionalInterface
    private interface Read {
        void run(FlightReader reader, int n) throws IOException;
    }

    private Map<FlightTable, Histogram> measure(InterleavedRounds rounds, Predicate<FlightTable> which, Read read)
            throws IOException {
        try (Closing open = new Closing()) {
            Map<FlightTable, InterleavedRounds.Subject> subjects = new LinkedHashMap<>();
            for (FlightTable table : tables) {
                if (which.test(table)) {
                    FlightReader reader = open.add(new FlightReader(connection, table));
                    subjects.put(table, n -> read.run(reader, n));
                }
            }
            return rounds.measure(subjects);
        }
    }

    /** Closes all added resources in reverse order. */
    private static final class Closing implements Closeable {
        private final Deque<Closeable> open = new ArrayDeque<>();

        <T extends Closeable> T add(T resource) {
            open.push(resource);
            return resource;
        }

        @Override
        public void close() throws IOException {
            while (!open.isEmpty()) {
                open.pop().close();
            }
        }
    }
}
