package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests a call that another coprocessor refuses when it begins, of whose end HBase tells no coprocessor. */
class RefusedCallTest {
    @TempDir
    Path folder;

    /** Otherwise each handler would keep the region's parts after the region is closed. */
    @Test
    void aCallThatALaterCoprocessorRefusesLeavesNothingBehindOnItsThread() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(Flights.byOrigin(IndexScheme.SYNC_FULL)))) {
            HRegion region = local.region();
            region.getCoprocessorHost().load(Refusing.class, Integer.MAX_VALUE, region.getReadOnlyConfiguration());
            Put put = new Put(Flights.row("r")).addColumn(Flights.F, Bytes.toBytes("origin"), Bytes.toBytes("ORD"));
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(() -> region.put(put)).hasStackTraceContaining("refused");
            }
        }
        assertThat(PerThread.ofThisThread()).isEmpty();
    }

    /** Refuses each batch when HBase begins it. */
    public static final class Refusing implements RegionCoprocessor, RegionObserver {
        @Override
        public Optional<RegionObserver> getRegionObserver() {
            return Optional.of(this);
        }

        @Override
        public void postStartRegionOperation(
                ObserverContext<RegionCoprocessorEnvironment> context, Region.Operation operation) throws IOException {
            if (operation == Region.Operation.BATCH_MUTATE) {
                throw new IOException("refused");
            }
        }
    }
}
