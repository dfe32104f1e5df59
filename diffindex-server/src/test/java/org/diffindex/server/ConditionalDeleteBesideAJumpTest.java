package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.ManualClock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a delete of an indexed column, with and without a condition, and a clock that jumps back between HBase's reading
 * of it and the stamp of the write, for example while the write waits for another one of its row.
 */
class ConditionalDeleteBesideAJumpTest {
    private static final long START = 1_700_000_000_000L;
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final byte[] ABSENT = Bytes.toBytes("absent");

    @TempDir
    Path folder;

    /** A deed that deletes the column. */
    @FunctionalInterface
    private interface Deletion {
        void in(LocalRegion local, Delete delete) throws IOException;
    }

    @Test
    void aPutAfterADeleteIsVisible() throws IOException {
        aPutIsVisibleAfter((local, delete) -> local.region().delete(delete));
    }

    /** A delete never takes the timestamp of the cell that is checked. */
    @Test
    void aPutAfterAConditionalDeleteIsVisible() throws IOException {
        aPutIsVisibleAfter((local, delete) -> assertThat(local.region()
                        .checkAndMutate(CheckAndMutate.newBuilder(row("r"))
                                .ifNotExists(F, ABSENT)
                                .build(delete))
                        .isSuccess())
                .isTrue());
    }

    private void aPutIsVisibleAfter(Deletion deletion) throws IOException {
        try (ManualClock clock = ManualClock.install(START);
                LocalRegion local = new LocalRegion(
                        folder,
                        1,
                        List.of(Flights.byOrigin(IndexScheme.SYNC_FULL)),
                        Map.of(),
                        table -> OtherCoprocessorsTest.withNeighbour(table, Coprocessor.PRIORITY_USER - 1))) {
            var neighbour = local.region().getCoprocessorHost().findCoprocessor(OtherCoprocessorsTest.Neighbour.class);
            put(local, "ORD");
            clock.move(1_000);
            neighbour.beforeBatch = batch -> clock.move(-10_000);
            deletion.in(local, new Delete(row("r")).addColumns(F, ORIGIN));
            neighbour.beforeBatch = batch -> {};
            assertThat(local.region().get(new Get(row("r"))).isEmpty()).isTrue();
            put(local, "LAX");
            assertThat(Bytes.toString(local.region().get(new Get(row("r"))).getValue(F, ORIGIN)))
                    .as("what HBase shows after the acknowledgement of the put")
                    .isEqualTo("LAX");
        }
    }

    private static void put(LocalRegion local, String origin) throws IOException {
        local.region().put(new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes(origin)));
    }
}
