package org.diffindex.lab.demo;

import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.CompareOperator;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.filter.SingleColumnValueFilter;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;

/** Reads one of the demo's tables, by its indexes or by a scan. */
final class FlightReader implements Closeable {
    private final Table table;
    private final IndexedTable indexed;

    FlightReader(Connection connection, FlightTable source) throws IOException {
        this.table = connection.getTable(source.name());
        this.indexed = new IndexedTable(connection, source.name());
    }

    /** Returns the table for reads by its indexes. */
    IndexedTable indexed() {
        return indexed;
    }

    /** Counts the flights from an airport by index, keys only. */
    long countByIndex(String airport) throws IOException {
        return read(IndexQuery.index(FlightTable.BY_ORIGIN).equalTo(airport).caching(1_000))
                .size();
    }

    /** Counts the flights from an airport by index, reading whole rows. */
    long fetchByIndex(String airport) throws IOException {
        return read(IndexQuery.index(FlightTable.BY_ORIGIN).equalTo(airport).withRows())
                .size();
    }

    /** Counts the flights from an airport by a filtered scan of the whole table, reading whole rows. */
    long fetchByScan(String airport) throws IOException {
        SingleColumnValueFilter filter = new SingleColumnValueFilter(
                FlightTable.FAMILY, FlightTable.ORIGIN, CompareOperator.EQUAL, Bytes.toBytes(airport));
        filter.setFilterIfMissing(true);
        long count = 0;
        try (ResultScanner rows = table.getScanner(new Scan().setFilter(filter))) {
            for (Result row = rows.next(); row != null; row = rows.next()) {
                count++;
            }
        }
        return count;
    }

    /** Finds one flight by its origin and date. */
    void findByIndex(Flight flight) throws IOException {
        IndexQuery.Builder exact = IndexQuery.index(FlightTable.BY_ORIGIN_DATE)
                .equalTo(flight.origin(), flight.date())
                .limit(1);
        if (read(exact).isEmpty()) {
            throw new IOException(
                    "The index " + FlightTable.BY_ORIGIN_DATE + " of " + table.getName() + " does not find " + flight);
        }
    }

    /** Returns the departures from an airport on a day, with their rows, ordered by time. */
    List<IndexHit> departures(String airport, String day) throws IOException {
        return read(IndexQuery.index(FlightTable.BY_ORIGIN_DATE)
                .equalTo(airport)
                .from(day)
                .to(day + "U")
                .withRows());
    }

    private List<IndexHit> read(IndexQuery.Builder query) throws IOException {
        List<IndexHit> found = new ArrayList<>();
        try (IndexScanner hits = indexed.getByIndex(query.build())) {
            hits.forEach(found::add);
        }
        return found;
    }

    @Override
    public void close() throws IOException {
        try (indexed) {
            table.close();
        }
    }
}
