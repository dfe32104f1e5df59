package org.diffindex.lab.demo;

import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * One flight of the included data set; all fields as text, as in the file.
 *
 * @param id the row key
 * @param date local departure time, {@code 2001-01-01T00:01}
 * @param delay minutes; negative if early
 * @param distance miles
 * @param origin IATA code
 * @param destination IATA code
 */
record Flight(String id, String date, String delay, String distance, String origin, String destination) {
    private static final byte[] DELAY = Bytes.toBytes("delay");
    private static final byte[] DISTANCE = Bytes.toBytes("distance");
    private static final byte[] DESTINATION = Bytes.toBytes("destination");

    /** Returns the bytes of the row key. */
    byte[] row() {
        return Bytes.toBytes(id);
    }

    /** Returns the day of departure, such as {@code 2001-01-01}. */
    String day() {
        return date.substring(0, 10);
    }

    /** Returns a put of the whole row: five cells of UTF-8 text. */
    Put put() {
        return new Put(row())
                .addColumn(FlightTable.FAMILY, FlightTable.DATE, Bytes.toBytes(date))
                .addColumn(FlightTable.FAMILY, DELAY, Bytes.toBytes(delay))
                .addColumn(FlightTable.FAMILY, DISTANCE, Bytes.toBytes(distance))
                .addColumn(FlightTable.FAMILY, FlightTable.ORIGIN, Bytes.toBytes(origin))
                .addColumn(FlightTable.FAMILY, DESTINATION, Bytes.toBytes(destination));
    }

    /** Returns a put that changes only the origin. */
    Put moveTo(String airport) {
        return new Put(row()).addColumn(FlightTable.FAMILY, FlightTable.ORIGIN, Bytes.toBytes(airport));
    }
}
