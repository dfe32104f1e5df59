package org.diffindex.lab.demo;

import java.io.Closeable;
import java.io.IOException;
import java.util.Random;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.client.DiffIndexAdmin;

/**
 * Changes of origin on one table; change {@code n} is the same for every table and run. Only flights at odd positions
 * change; those at even positions keep the origin of the file.
 */
final class Origins implements InterleavedRounds.Subject, Closeable {
    private static final long SEED = 3;

    private final FlightTable target;
    private final Flights flights;
    private final Table table;
    private final DiffIndexAdmin admin;

    Origins(Connection connection, FlightTable target, Flights flights) throws IOException {
        this.target = target;
        this.flights = flights;
        this.table = connection.getTable(target.name());
        this.admin = new DiffIndexAdmin(connection);
    }

    @Override
    public void run(int n) throws IOException {
        table.put(change(flights, n));
    }

    /** Returns change {@code n}: a flight receives the origin of another one. */
    static Put change(Flights flights, int n) {
        Random random = new Random(SEED * 1_000_003 + n);
        Flight flight = flights.get(2 * random.nextInt(flights.size() / 2) + 1);
        return flight.moveTo(flights.get(random.nextInt(flights.size())).origin());
    }

    @Override
    public void settle() throws IOException {
        target.drain(admin);
    }

    @Override
    public void close() throws IOException {
        try (admin) {
            table.close();
        }
    }
}
