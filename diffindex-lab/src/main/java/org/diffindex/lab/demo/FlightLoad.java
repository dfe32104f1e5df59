package org.diffindex.lab.demo;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.lab.steps.Parallel;

/** Puts all flights into one table: batches, from a few threads. */
final class FlightLoad {
    private static final int THREADS = 3;
    private static final int BATCH = 2_000;
    private static final int SEED = 1;

    private final Connection connection;
    private final Flights flights;

    FlightLoad(Connection connection, Flights flights) {
        this.connection = connection;
        this.flights = flights;
    }

    /** Returns when every flight is acknowledged. */
    void into(FlightTable target) throws IOException {
        List<Callable<Void>> batches = new ArrayList<>();
        for (int from = 0; from < flights.size(); from += BATCH) {
            List<Flight> batch = flights.rows().subList(from, Math.min(from + BATCH, flights.size()));
            batches.add(() -> put(target, batch));
        }
        Collections.shuffle(batches, new Random(SEED)); // keeps all regions busy
        Parallel.run(THREADS, batches);
    }

    private Void put(FlightTable target, List<Flight> batch) throws IOException {
        List<Put> puts = new ArrayList<>();
        batch.forEach(flight -> puts.add(flight.put()));
        try (Table table = connection.getTable(target.name())) {
            table.put(puts);
        }
        return null;
    }
}
