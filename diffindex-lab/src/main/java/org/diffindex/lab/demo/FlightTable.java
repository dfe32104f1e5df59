package org.diffindex.lab.demo;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.lab.steps.Drain;
import org.diffindex.lab.steps.ParallelLoad;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;

/**
 * One of the demo's tables, with its two indexes.
 *
 * @param scheme the scheme of both indexes; empty for the table that has none
 */
record FlightTable(Optional<IndexScheme> scheme) {
    static final byte[] FAMILY = Bytes.toBytes("f");
    static final byte[] ORIGIN = Bytes.toBytes("origin");
    static final byte[] DATE = Bytes.toBytes("date");

    /** The index on {@code origin}. */
    static final String BY_ORIGIN = "by_origin";

    /** The index on {@code origin} and {@code date}. */
    static final String BY_ORIGIN_DATE = "by_origin_date";

    /** The number of indexes of an indexed table. */
    static final int INDEXES = 2;

    /** The number of regions of each table, and of each index. */
    private static final int REGIONS = 3;

    private static final ParallelLoad LOAD = new ParallelLoad(3, 2_000, 1);
    private static final Duration LONGEST_DRAIN = Duration.ofMinutes(5);

    /** Returns the table without an index, then one table per scheme. */
    static List<FlightTable> all() {
        Stream<FlightTable> indexed =
                Arrays.stream(IndexScheme.values()).map(scheme -> new FlightTable(Optional.of(scheme)));
        return Stream.concat(Stream.of(new FlightTable(Optional.empty())), indexed)
                .toList();
    }

    /** Returns the name in the output: the scheme's name, or {@code no index}. */
    String label() {
        return scheme.map(IndexScheme::schemeName).orElse("no index");
    }

    TableName name() {
        String suffix = scheme.map(it -> it.schemeName().replace('-', '_')).orElse("none");
        return TableName.valueOf("flights_" + suffix);
    }

    /** Returns the definitions of the indexes, split so that their regions hold about equally many flights. */
    List<IndexDefinition> indexes(Flights flights) {
        Object[] splits = flights.originSplits(REGIONS).toArray();
        List<IndexDefinition> definitions = new ArrayList<>();
        scheme.ifPresent(it -> {
            definitions.add(IndexDefinition.builder(name(), BY_ORIGIN)
                    .column("f", "origin", ColumnTypes.STRING)
                    .splitAt(splits)
                    .scheme(it)
                    .build());
            definitions.add(IndexDefinition.builder(name(), BY_ORIGIN_DATE)
                    .column("f", "origin", ColumnTypes.STRING)
                    .column("f", "date", ColumnTypes.STRING)
                    .splitAt(splits)
                    .scheme(it)
                    .build());
        });
        return definitions;
    }

    /** Creates the table and its indexes. */
    void create(Connection connection, Flights flights) throws IOException {
        byte[][] splits = flights.idSplits(REGIONS).stream().map(Bytes::toBytes).toArray(byte[][]::new);
        TableDescriptor table = TableDescriptorBuilder.newBuilder(name())
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(FAMILY))
                .build();
        try (DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            admin.createTable(table, splits, indexes(flights).toArray(IndexDefinition[]::new));
        }
    }

    /** Loads all flights; returns when every put is acknowledged. */
    void load(Connection connection, Flights flights) throws IOException {
        LOAD.into(connection, name(), flights.size(), (from, to) -> flights.rows().subList(from, to).stream()
                .map(Flight::put)
                .toList());
    }

    /** Waits until every update of the indexes is delivered; returns at once if the table has none. */
    void drain(DiffIndexAdmin admin) throws IOException {
        if (scheme.isPresent()) {
            Drain.await(admin, name(), LONGEST_DRAIN);
        }
    }
}
