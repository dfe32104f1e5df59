package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.cell;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.io.ImmutableBytesWritable;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALKey;
import org.apache.hadoop.hbase.wal.WALKeyImpl;
import org.diffindex.server.local.FilledTime;
import org.diffindex.server.local.Flights;
import org.diffindex.server.maintain.RowClock;
import org.junit.jupiter.api.Test;

/** Tests that a replay reads the stamps that a batch logged, from bytes whose format does not change. */
class WalStampsTest {
    private static final long NOW = 1_000;
    private static final WalStamps.Stamps TIMESTAMPS = new WalStamps.Stamps(7, 8);

    private final Map<ImmutableBytesWritable, RowWrites> batch = new LinkedHashMap<>();
    private final RowClock clock = new RowClock(() -> Instant.ofEpochMilli(NOW));
    private final WALKey key = new WALKeyImpl(row("region"), Flights.TABLE, 42, 0, HConstants.DEFAULT_CLUSTER_ID);

    @Test
    void theMarkAloneMeansThatTimestampsAreStamps() throws IOException {
        write(served("r"));
        log(List.of());
        assertThat(bytes()).containsExactly(1);
        assertThat(logged().areOf(cell("r", "origin", "ORD", NOW))).isTrue();
        assertThat(logged().of(key("r"), TIMESTAMPS)).contains(TIMESTAMPS);
        assertThat(logged().areTimestamps(cell("r", "origin", "ORD", NOW))).isTrue();
    }

    @Test
    void stampsThatAreNotTimestampsAreLoggedWithTheirRow() throws IOException {
        write(served("r"));
        write(dated("other", 7));
        log(List.of());
        assertThat(bytes())
                .isEqualTo(ByteBuffer.allocate(26)
                        .put((byte) 1)
                        .putInt(5)
                        .put(row("other"))
                        .putLong(NOW)
                        .putLong(NOW)
                        .array());
        assertThat(logged().of(key("other"), TIMESTAMPS)).contains(WalStamps.Stamps.at(NOW));
        assertThat(logged().areTimestamps(cell("other", "origin", "ORD", 7))).isFalse();
        assertThat(logged().of(key("r"), TIMESTAMPS)).contains(TIMESTAMPS);
    }

    @Test
    void unindexedRowsHaveNoStamps() throws IOException {
        write(served("r"));
        log(List.of(cell("r", "origin", "ORD", NOW), cell("none", "carrier", "UA", 5), cell("none", "x", "", 6)));
        assertThat(bytes())
                .isEqualTo(ByteBuffer.allocate(25)
                        .put((byte) 1)
                        .putInt(4)
                        .put(row("none"))
                        .putLong(0)
                        .putLong(0)
                        .array());
        assertThat(logged().areOf(key("none"))).isFalse();
        assertThat(logged().areOf(cell("none", "carrier", "UA", 5))).isFalse();
        assertThat(logged().of(key("none"), TIMESTAMPS)).isEmpty();
        assertThat(logged().areTimestamps(cell("none", "carrier", "UA", 5))).isFalse();
        assertThat(logged().areOf(key("r"))).isTrue();
    }

    @Test
    void anUnindexedCellDoesNotDateItsRow() throws IOException {
        write(served("r"));
        log(List.of(cell("r", "origin", "ORD", NOW), cell("r", "carrier", "UA", 5)));
        assertThat(logged().of(key("r"), TIMESTAMPS)).contains(WalStamps.Stamps.at(NOW));
    }

    @Test
    void nothingHasStampsWithoutTheMark() throws IOException {
        assertThat(logged().areOf(key("r"))).isFalse();
        assertThat(logged().areOf(cell("r", "origin", "ORD", NOW))).isFalse();
        assertThat(logged().of(key("r"), TIMESTAMPS)).isEmpty();
        assertThat(logged().areTimestamps(cell("r", "origin", "ORD", NOW))).isFalse();
    }

    private void write(Put put) throws IOException {
        RowWrites writes = new RowWrites(new ImmutableBytesWritable(put.getRow()));
        writes.add(put);
        writes.stamp(clock, (row, families, now, stamp) -> now, any -> false);
        batch.put(writes.row(), writes);
    }

    private static Put dated(String row, long time) {
        return new Put(row(row)).addColumn(F, Bytes.toBytes("origin"), time, Bytes.toBytes("ORD"));
    }

    private static Put served(String row) throws IOException {
        Put put = new Put(row(row)).addColumn(F, Bytes.toBytes("origin"), Bytes.toBytes("ORD"));
        ServerTime.mark(put);
        FilledTime.fill(put, NOW);
        return put;
    }

    private void log(List<Cell> mixed) {
        WalStamps.of(batch, mixed).addTo(key);
    }

    private WalStamps logged() throws IOException {
        return WalStamps.of(key);
    }

    private byte[] bytes() {
        return key.getExtendedAttribute(WalStamps.ATTRIBUTE);
    }

    private static ImmutableBytesWritable key(String row) {
        return new ImmutableBytesWritable(row(row));
    }
}
