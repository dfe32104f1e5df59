package org.diffindex.lab.demo;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.client.Session;
import org.diffindex.model.IndexScheme;

/** Changes the origin of one flight and observes where reads by index find it. */
final class OriginChange {
    private final Connection connection;
    private final Flight flight;
    private final String to;

    OriginChange(Connection connection, Flight flight, String to) {
        this.connection = connection;
        this.flight = flight;
        this.to = to;
    }

    /**
     * The airports, of the old and the new one, under which the flight was found.
     *
     * @param afterAck by a read outside of a session, right after the acknowledgement
     * @param inSession by the next read, in the session that wrote; empty for a scheme without sessions
     * @param afterDrain by a read outside of a session, after a drain
     */
    record Sightings(List<String> afterAck, Optional<List<String>> inSession, List<String> afterDrain) {}

    /** A read by index, in a session or outside. */
    @FunctionalInterface
    private interface Reader {
        IndexScanner getByIndex(IndexQuery query) throws IOException;
    }

    /** Changes the origin in one indexed table, and reads by index before and after a drain. */
    Sightings run(FlightTable target) throws IOException {
        try (IndexedTable table = new IndexedTable(connection, target.name());
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            airports(table::getByIndex); // fetches the definitions and opens the connection beforehand
            List<String> afterAck;
            Optional<List<String>> inSession = Optional.empty();
            if (target.scheme().filter(IndexScheme::hasSessions).isPresent()) {
                try (Session session = table.openSession()) {
                    session.put(flight.moveTo(to));
                    afterAck = airports(table::getByIndex);
                    inSession = Optional.of(airports(session::getByIndex));
                }
            } else {
                put(target);
                afterAck = airports(table::getByIndex);
            }
            target.drain(admin);
            return new Sightings(afterAck, inSession, airports(table::getByIndex));
        }
    }

    private void put(FlightTable target) throws IOException {
        try (Table table = connection.getTable(target.name())) {
            table.put(flight.moveTo(to));
        }
    }

    private List<String> airports(Reader reader) throws IOException {
        List<String> found = new ArrayList<>();
        for (String airport : List.of(flight.origin(), to)) {
            IndexQuery exact = IndexQuery.index(FlightTable.BY_ORIGIN_DATE)
                    .equalTo(airport, flight.date())
                    .build();
            try (IndexScanner hits = reader.getByIndex(exact)) {
                for (IndexHit hit : hits) {
                    if (Arrays.equals(hit.row(), flight.row())) {
                        found.add(airport);
                    }
                }
            }
        }
        return found;
    }

    /** Returns the broken promises of a scheme, as text. */
    List<String> broken(IndexScheme scheme, Sightings seen) {
        List<String> kept = List.of(to);
        List<String> broken = new ArrayList<>();
        if (scheme.readsAcknowledgedWrites() && !seen.afterAck().equals(kept)) {
            broken.add(broken(scheme, "right after the acknowledgement", seen.afterAck()));
        }
        if (seen.inSession().isPresent() && !seen.inSession().get().equals(kept)) {
            broken.add(
                    broken(scheme, "in the session that wrote", seen.inSession().get()));
        }
        if (!seen.afterDrain().equals(kept)) {
            broken.add(broken(scheme, "after a drain", seen.afterDrain()));
        }
        return broken;
    }

    private String broken(IndexScheme scheme, String when, List<String> seen) {
        return scheme + ": flight " + flight.id() + " is in " + to + ", but a read by index " + when
                + " finds it under " + seen;
    }
}
