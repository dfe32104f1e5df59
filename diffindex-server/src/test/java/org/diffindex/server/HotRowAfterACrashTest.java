package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.server.local.BaseProbe;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.local.Tally;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the next write of a row that was written very often before a crash does not take long. */
class HotRowAfterACrashTest {
    private static final long START = 1_700_000_000_000L;
    private static final int WRITES = 1_010;
    private static final int MOST_READS = 20;
    private static final byte[] F = Bytes.toBytes("f");
    private static final byte[] A = Bytes.toBytes("A");
    private static final byte[] HOT = Bytes.toBytes("hot");

    @TempDir
    Path folder;

    private ManualClock clock;
    private FakeConnection network;
    private LocalTable table;

    @BeforeEach
    void open() throws IOException {
        clock = ManualClock.install(START);
        network = new FakeConnection(TableShape.VERSIONS_1.bare());
        table = TableShape.VERSIONS_1.open(folder, clock, network);
    }

    @AfterEach
    void close() throws IOException {
        table.close();
        clock.close();
    }

    @Test
    void theNextPutReadsTheRowAFewTimes() throws IOException {
        for (int i = 0; i < WRITES; i++) {
            clock.move(1);
            put("value" + i);
        }
        network.faults.hold();
        table.die();
        clock.move(1);
        table.recover();
        Tally reads = reads();
        long before = reads.own();
        put("last");
        assertThat(reads.own() - before).isLessThan(MOST_READS);
        network.faults.end();
        indexesAgree();
    }

    /** After a move the row's cells are in files, which do not record whether clients gave their timestamps. */
    @Test
    void theNextPutAfterAMoveReadsTheRowAFewTimes() throws IOException {
        for (int i = 0; i < WRITES; i++) {
            clock.move(1);
            put("value" + i);
        }
        network.faults.hold();
        table.die();
        clock.move(1);
        table.recover();
        table.set(Settings.LOAD_WAIT_MS, TimeUnit.MINUTES.toMillis(1));
        table.move();
        Tally reads = reads();
        long before = reads.own();
        put("last");
        assertThat(reads.own() - before).isLessThan(MOST_READS);
        network.faults.end();
        indexesAgree();
    }

    private Tally reads() {
        HRegion region = table.regionOf(HOT);
        return region.getCoprocessorHost().findCoprocessor(BaseProbe.class).reads;
    }

    private void put(String value) throws IOException {
        table.regionOf(HOT).put(new Put(HOT).addColumn(F, A, Bytes.toBytes(value)));
    }

    private void indexesAgree() throws IOException {
        assertThat(table.drain()).isZero();
        Map<String, List<Cell>> visible = table.visible(List.of("hot"));
        for (IndexDefinition index : table.indexes()) {
            var expected = LocalTable.expected(index, visible);
            if (index.scheme().leavesStaleEntries()) {
                assertThat(table.entries(index)).as(index.name()).containsAll(expected);
            } else {
                assertThat(table.entries(index)).as(index.name()).isEqualTo(expected);
            }
        }
    }
}
