package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.Coprocessor;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests a put that another coprocessor bypasses in {@code prePut}: HBase reports its success, and writes nothing. */
class BypassedWritesTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");

    @TempDir
    Path folder;

    /** Bypasses the puts of the row "bypassed". */
    public static final class Bypass implements RegionCoprocessor, RegionObserver {
        @Override
        public Optional<RegionObserver> getRegionObserver() {
            return Optional.of(this);
        }

        @Override
        public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit) {
            if (Bytes.equals(put.getRow(), row("bypassed"))) {
                context.bypass();
            }
        }
    }

    private static TableDescriptorBuilder withBypass(TableDescriptorBuilder table) {
        try {
            return table.setCoprocessor(CoprocessorDescriptorBuilder.newBuilder(Bypass.class.getName())
                    .setPriority(Coprocessor.PRIORITY_USER - 1)
                    .build());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void isNotReportedAsDurableWhenTheIndexOfAnotherPutIsDelayed() throws IOException {
        try (LocalRegion local = new LocalRegion(
                folder,
                1,
                List.of(Flights.byOrigin(IndexScheme.SYNC_FULL)),
                Map.of(),
                BypassedWritesTest::withBypass)) {
            local.network().failures.outage(true);
            OperationStatus[] statuses = local.region().batchMutate(new Mutation[] {put("bypassed"), put("written")});
            local.network().failures.outage(false);
            assertThat(local.drain()).isZero();
            assertThat(local.region().get(new Get(row("bypassed"))).isEmpty()).isTrue();
            assertThat(statuses[1].getOperationStatusCode()).isEqualTo(OperationStatusCode.FAILURE);
            assertThat(statuses[0].getExceptionMsg())
                    .as("what the client is told of the put that was bypassed")
                    .isEmpty();
            assertThat(statuses[0].getOperationStatusCode()).isEqualTo(OperationStatusCode.SUCCESS);
        }
    }

    private static Put put(String row) {
        return new Put(row(row)).addColumn(F, ORIGIN, Bytes.toBytes("ORD"));
    }
}
