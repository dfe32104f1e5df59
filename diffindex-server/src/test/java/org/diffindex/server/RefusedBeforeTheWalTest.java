package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.apache.hadoop.hbase.wal.WALKey;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.protocol.DiffIndexProtos.ReportStaleRequest;
import org.diffindex.protocol.DiffIndexProtos.StaleEntry;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.Waiting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests writes that another coprocessor refuses just before their WAL append, when their entries have been sent to a
 * sync-insert index. No replay can bring them back, so the entries are stale for certain.
 */
class RefusedBeforeTheWalTest {
    private static final IndexDefinition INDEX = Flights.byOrigin(IndexScheme.SYNC_INSERT);

    /** More than the rows whose uncertain writes a region tracks individually. */
    private static final int MANY = 1_100;

    @TempDir
    Path folder;

    private LocalRegion local;
    private Gatekeeper gatekeeper;

    /** A coprocessor whose hooks come after the index's. */
    public static final class Gatekeeper implements RegionCoprocessor, RegionObserver {
        private volatile boolean refuses;

        @Override
        public Optional<RegionObserver> getRegionObserver() {
            return Optional.of(this);
        }

        @Override
        public void preWALAppend(ObserverContext<RegionCoprocessorEnvironment> context, WALKey key, WALEdit edit)
                throws IOException {
            if (refuses) {
                throw new DoNotRetryIOException("not here");
            }
        }
    }

    @BeforeEach
    void open() throws IOException {
        local = new LocalRegion(
                folder,
                1,
                List.of(INDEX),
                Map.of(Settings.STALE_DELAY_MS, "0"),
                RefusedBeforeTheWalTest::withGatekeeper);
        gatekeeper = local.region().getCoprocessorHost().findCoprocessor(Gatekeeper.class);
    }

    private static TableDescriptorBuilder withGatekeeper(TableDescriptorBuilder table) {
        try {
            return table.setCoprocessor(CoprocessorDescriptorBuilder.newBuilder(Gatekeeper.class.getName())
                    .setPriority(Coprocessor.PRIORITY_USER + 1)
                    .build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @AfterEach
    void close() throws IOException {
        local.close();
    }

    @Test
    void theirEntriesAreCleanedUp() {
        refused("r");
        Waiting.until("the entry has arrived", () -> has("ORD"));
        reportStale("r", "ORD");
        Waiting.until("the entry is deleted", () -> !has("ORD"));
    }

    @Test
    void keepNoEntryOfAnotherRow() throws IOException {
        for (int i = 0; i < MANY; i++) {
            refused("refused-" + i);
        }
        put("r", "JFK");
        put("r", "LAX");
        reportStale("r", "JFK");
        Waiting.until("the old entry is deleted", () -> !has("JFK"));
    }

    private void refused(String row) {
        gatekeeper.refuses = true;
        assertThatThrownBy(() -> put(row, "ORD"))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("not here");
        gatekeeper.refuses = false;
    }

    private void put(String row, String origin) throws IOException {
        local.region().put(new Put(row(row)).addColumn(F, Bytes.toBytes("origin"), Bytes.toBytes(origin)));
    }

    private boolean has(String origin) {
        return local.indexTable(INDEX).entries().stream().anyMatch(entry -> entry.startsWith(origin));
    }

    /** Reports a row's entries of one value as stale; no other row must have any. */
    private void reportStale(String row, String origin) {
        ReportStaleRequest.Builder request =
                ReportStaleRequest.newBuilder().setIndex(INDEX.name()).setIndexId(INDEX.id());
        for (Cell entry : local.indexTable(INDEX).visible().values()) {
            byte[] key = CellUtil.cloneRow(entry);
            if (Bytes.startsWith(key, Bytes.toBytes(origin))) {
                request.addEntries(StaleEntry.newBuilder()
                        .setRow(ByteString.copyFrom(row(row)))
                        .setKey(ByteString.copyFrom(key))
                        .setStamp(entry.getTimestamp()));
            }
        }
        local.endpoint().reportStale(new ServerRpcController(), request.build(), response -> {});
    }
}
