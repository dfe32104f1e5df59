package org.diffindex.lab.demo;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.IndexHit;

/**
 * The queries that the demo shows: all departures from an airport, those of a day, and one flight whose origin changes.
 */
final class Story {
    private static final String AIRPORT = "ORD";
    private static final int SHOWN = 4;
    private static final double NANOS_PER_MILLI = 1e6;

    private final Connection connection;
    private final Flights flights;
    private final List<FlightTable> tables;
    private final PrintWriter out;

    Story(Connection connection, Flights flights, List<FlightTable> tables, PrintWriter out) {
        this.connection = connection;
        this.flights = flights;
        this.tables = tables;
        this.out = out;
    }

    /** Runs the queries and prints their results. */
    void tell() throws IOException {
        departures();
        departuresOfDay();
    }

    private void departures() throws IOException {
        out.printf("%nAll departures from %s, counted by the index on (origin):%n", AIRPORT);
        for (FlightTable table : tables) {
            try (FlightReader reader = new FlightReader(connection, table)) {
                boolean indexed = table.scheme().isPresent();
                long start = System.nanoTime();
                long found = indexed ? reader.countByIndex(AIRPORT) : reader.fetchByScan(AIRPORT);
                double millis = (System.nanoTime() - start) / NANOS_PER_MILLI;
                out.printf(
                        Locale.ROOT,
                        "  %-13s  %,6d of %,d flights  %6.0f ms%s%n",
                        table.label(),
                        found,
                        flights.size(),
                        millis,
                        indexed ? "" : "  (a full scan with a filter)");
            }
        }
        out.flush();
    }

    private void departuresOfDay() throws IOException {
        String day = flights.busiestDay(AIRPORT);
        FlightTable table = tables.get(tables.size() - 1);
        try (FlightReader reader = new FlightReader(connection, table)) {
            long start = System.nanoTime();
            List<IndexHit> hits = reader.departures(AIRPORT, day);
            double millis = (System.nanoTime() - start) / NANOS_PER_MILLI;
            out.printf(
                    Locale.ROOT,
                    "%nDepartures from %s on %s, whole rows by the index on (origin, date): %d in %.0f ms%n",
                    AIRPORT,
                    day,
                    hits.size(),
                    millis);
            hits.stream().limit(SHOWN).map(Story::line).forEach(out::println);
            if (hits.size() > SHOWN) {
                out.printf("  ... and %d more%n", hits.size() - SHOWN);
            }
        }
        out.flush();
    }

    private static String line(IndexHit hit) {
        return String.format(
                "  %s  flight %s to %s, %s",
                hit.text().get(1).substring(11),
                Bytes.toString(hit.row()),
                value(hit, "destination"),
                punctuality(Integer.parseInt(value(hit, "delay"))));
    }

    /** Returns the delay in words; negative means early. */
    static String punctuality(int delay) {
        if (delay == 0) {
            return "on time";
        }
        return Math.abs(delay) + (delay > 0 ? " min late" : " min early");
    }

    private static String value(IndexHit hit, String column) {
        return Bytes.toString(hit.result().getValue(FlightTable.FAMILY, Bytes.toBytes(column)));
    }

    /**
     * Returns the flight whose origin changes: one from the airport of the story, at an odd position, as {@link
     * Origins} changes.
     */
    static Flight traveller(Flights flights) {
        for (int i = 1; i < flights.size(); i += 2) {
            if (flights.get(i).origin().equals(AIRPORT)) {
                return flights.get(i);
            }
        }
        throw new IllegalArgumentException("No flight leaves from " + AIRPORT);
    }

    /** Prints the end of the story, one flight's change of origin, and returns the broken promises. */
    List<String> changeOfOrigin() throws IOException {
        Flight flight = traveller(flights);
        OriginChange change = new OriginChange(connection, flight, "MDW");
        out.printf(
                "%nFlight %s moves from %s to %s; the airports under which a read by index finds it:%n",
                flight.id(), flight.origin(), "MDW");
        out.printf("  %-13s  %-11s  %-12s  %s%n", "", "after ack", "in session", "after drain");
        List<String> broken = new ArrayList<>();
        for (FlightTable table : tables) {
            if (table.scheme().isPresent()) {
                OriginChange.Sightings seen = change.run(table);
                out.printf(
                        "  %-13s  %-11s  %-12s  %s%n",
                        table.label(),
                        String.join("+", seen.afterAck()),
                        seen.inSession().map(found -> String.join("+", found)).orElse("-"),
                        String.join("+", seen.afterDrain()));
                broken.addAll(change.broken(table.scheme().get(), seen));
            }
        }
        out.flush();
        return broken;
    }
}
