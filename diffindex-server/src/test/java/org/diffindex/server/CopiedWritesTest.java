package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.ManualClock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests a coprocessor of one indexed table that writes each put into another one too, as it finds it: with the timestamps
 * that the first server has given. The attributes of a write go with its copy, on the same server and by HBase's client.
 */
class CopiedWritesTest {
    private static final long START = 1_700_000_000_000L;
    private static final byte[] ORIGIN = Bytes.toBytes("origin");

    @TempDir
    Path folder;

    private ManualClock clock;

    @BeforeEach
    void installClock() {
        clock = ManualClock.install(START);
    }

    @AfterEach
    void removeClock() {
        clock.close();
    }

    private LocalRegion open(String name) throws IOException {
        return new LocalRegion(folder.resolve(name), 3, List.of(Flights.byOrigin(IndexScheme.SYNC_FULL)));
    }

    private static long timestampOf(LocalRegion local, byte[] column) throws IOException {
        return local.region()
                .get(new Get(row("r")))
                .getColumnLatestCell(F, column)
                .getTimestamp();
    }

    /** How a write is made. */
    enum Way {
        PLAIN {
            @Override
            void write(LocalRegion local, Put put) throws IOException {
                local.region().put(put);
            }
        },
        CONDITIONAL {
            @Override
            void write(LocalRegion local, Put put) throws IOException {
                CheckAndMutate.Builder unlessAbsent =
                        CheckAndMutate.newBuilder(put.getRow()).ifNotExists(F, Bytes.toBytes("absent"));
                assertThat(local.region()
                                .checkAndMutate(unlessAbsent.build(put))
                                .isSuccess())
                        .isTrue();
            }
        };

        abstract void write(LocalRegion local, Put put) throws IOException;
    }

    @ParameterizedTest
    @CsvSource({"PLAIN, PLAIN", "PLAIN, CONDITIONAL", "CONDITIONAL, PLAIN", "CONDITIONAL, CONDITIONAL"})
    void theCopyOfAPutKeepsItsTimestamp(Way way, Way ofCopy) throws IOException {
        try (LocalRegion first = open("first");
                LocalRegion second = open("second")) {
            Put put = new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("ORD"));
            way.write(first, put);
            assertThat(timestampOf(first, ORIGIN)).isEqualTo(START);
            clock.move(1_000);
            ofCopy.write(second, new Put(put));
            assertThat(timestampOf(second, ORIGIN)).isEqualTo(START);
        }
    }

    @ParameterizedTest
    @EnumSource
    void theCopyOfAPutThatIsNotVisibleYetKeepsItsTimestamp(Way way) throws IOException {
        try (LocalRegion first = new LocalRegion(
                        folder.resolve("first"),
                        3,
                        List.of(Flights.byOrigin(IndexScheme.SYNC_FULL)),
                        Map.of(),
                        OtherCoprocessorsTest::withNeighbour);
                LocalRegion second = open("second")) {
            var neighbour = first.region().getCoprocessorHost().findCoprocessor(OtherCoprocessorsTest.Neighbour.class);
            neighbour.beforeBatch = batch -> {
                clock.move(1_000);
                second.region().put(new Put((Put) batch.getOperation(0)));
            };
            way.write(first, new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("ORD")));
            assertThat(timestampOf(first, ORIGIN)).isEqualTo(START);
            assertThat(timestampOf(second, ORIGIN)).isEqualTo(START);
        }
    }

    @Test
    void theCopyOfAPutOfAColumnThatNoIndexReadsKeepsItsTimestamp() throws IOException {
        byte[] other = Bytes.toBytes("other");
        try (LocalRegion first = open("first");
                LocalRegion second = open("second")) {
            Put put = new Put(row("r")).addColumn(F, other, Bytes.toBytes("x"));
            first.region().put(put);
            clock.move(1_000);
            second.region().put(new Put(row("r")).addColumn(F, other, Bytes.toBytes("newer")));
            second.region().put(new Put(put));
            assertThat(second.region().get(new Get(row("r"))).getValue(F, other))
                    .as("what a table without an index would show, since the copied put is the older one")
                    .isEqualTo(Bytes.toBytes("newer"));
        }
    }
}
