package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests that no replicated write is refused for its content, because the other cluster would send it again for ever.
 */
class ReplicatedWriteTest {
    private static final byte[] NUMBER = Bytes.toBytes("number");
    private static final IndexDefinition INDEX = IndexDefinition.builder(Flights.TABLE, "by_number")
            .column("f", "number", ColumnTypes.INT)
            .scheme(IndexScheme.SYNC_FULL)
            .build();

    @TempDir
    Path folder;

    private static <M extends Mutation> M replicated(M mutation) {
        mutation.setClusterIds(List.of(new UUID(1, 2)));
        return mutation;
    }

    private static Put put(String row, long timestamp, byte[] value) {
        return new Put(row(row)).addColumn(F, NUMBER, timestamp, value);
    }

    @Test
    void acceptsAValueThatCannotBeIndexedWithoutAnEntry() throws IOException {
        byte[] poison = {1, 2, 3};
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            assertThatThrownBy(() -> local.region().put(put("r", 7, poison)))
                    .hasMessageContaining("nothing was written");
            local.region().put(put("r", 5, Bytes.toBytes(1)));
            local.region().batchMutate(new Mutation[] {
                replicated(put("r", 7, poison)), replicated(put("s", 7, Bytes.toBytes(2)))
            });
            assertThat(local.region().get(new Get(row("r"))).getValue(F, NUMBER))
                    .isEqualTo(poison);
            assertThat(local.drain()).isZero();
            assertThat(local.indexTable(INDEX).entries()).hasSize(1).isEqualTo(local.expected(INDEX));
            local.region().delete(replicated(new Delete(row("r")).addColumn(F, NUMBER, 7)));
            assertThat(local.drain()).isZero();
            assertThat(local.indexTable(INDEX).entries()).isEqualTo(local.expected(INDEX));
        }
    }

    @Test
    void anUnavailableIndexDoesNotBlockReplication() throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(INDEX))) {
            local.network().faults.outage();
            assertThatThrownBy(() -> local.region().put(put("own", 7, Bytes.toBytes(1))))
                    .isInstanceOf(IndexUpdateDelayedException.class);
            assertThatCode(() -> {
                        local.region().put(replicated(put("one", 7, Bytes.toBytes(1))));
                        local.region().batchMutate(new Mutation[] {
                            replicated(put("r", 7, Bytes.toBytes(2))), replicated(put("s", 7, Bytes.toBytes(3)))
                        });
                    })
                    .doesNotThrowAnyException();
            local.network().faults.end();
            assertThat(local.drain()).isZero();
            assertThat(local.indexTable(INDEX).entries()).hasSize(4).isEqualTo(local.expected(INDEX));
        }
    }
}
