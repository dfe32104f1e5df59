package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants.OperationStatusCode;
import org.apache.hadoop.hbase.PrivateCellUtil;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.regionserver.OperationStatus;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests, on a real region, writes of which a user's coprocessor changes the timestamps, or to which it adds others. */
class ChangedWritesTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final byte[] OTHER = Bytes.toBytes("other");
    private static final IndexDefinition SYNC = Flights.byOrigin(IndexScheme.SYNC_FULL);
    private static final IndexDefinition SYNC_INSERT = Flights.byOrigin(IndexScheme.SYNC_INSERT);

    @TempDir
    Path folder;

    private LocalRegion local;
    private OtherCoprocessorsTest.Neighbour neighbour;

    private void open(Function<TableDescriptorBuilder, TableDescriptorBuilder> change) throws IOException {
        local = new LocalRegion(
                folder,
                1,
                List.of(SYNC, SYNC_INSERT),
                Map.of(),
                table -> change.apply(OtherCoprocessorsTest.withNeighbour(table)));
        neighbour = local.region().getCoprocessorHost().findCoprocessor(OtherCoprocessorsTest.Neighbour.class);
    }

    private void open() throws IOException {
        open(table -> table);
    }

    private static TableDescriptorBuilder withTtl(TableDescriptorBuilder table) {
        return table.modifyColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(F)
                .setMaxVersions(1)
                .setTimeToLive(100_000)
                .build());
    }

    @AfterEach
    void indexesAreExact() throws IOException {
        assertThat(local.drain()).isZero();
        assertThat(local.indexTable(SYNC).entries()).isEqualTo(local.expected(SYNC));
        assertThat(local.indexTable(SYNC_INSERT).entries()).containsAll(local.expected(SYNC_INSERT));
        local.close();
    }

    private static Put put(String origin) {
        return new Put(row("r")).addColumn(F, ORIGIN, Bytes.toBytes(origin));
    }

    private static Put unindexed() {
        return new Put(row("r")).addColumn(F, OTHER, Bytes.toBytes("x"));
    }

    private void dateInPlace(long time) {
        neighbour.beforeBatch = batch -> PrivateCellUtil.setTimestamp(
                batch.getOperation(0).getFamilyCellMap().get(F).get(0), time);
    }

    /** The row continues to show the earlier put, which has the later timestamp. */
    @Test
    void indexesTheRowIfTheNeighbourDatesItsWriteInPlace() throws IOException {
        open();
        local.region().put(put("ORD"));
        dateInPlace(1);
        local.region().put(put("LAX"));
        assertThat(local.indexTable(SYNC).entries()).isNotEmpty().isEqualTo(local.expected(SYNC));
    }

    @Test
    void underATtlRefusesAWriteThatTheNeighbourDatesInPlace() throws IOException {
        open(ChangedWritesTest::withTtl);
        dateInPlace(System.currentTimeMillis() - 1_000);
        assertThatThrownBy(() -> local.region().put(put("LAX")))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("timestamp of its own");
        assertThat(local.region().get(new Get(row("r"))).isEmpty()).isTrue();
    }

    /** A write that the promises allow beside an indexed one of its row. */
    enum Allowed {
        WITH_A_TTL {
            @Override
            Put of(Put unindexed) {
                return unindexed.setTTL(100_000);
            }
        },
        WITHOUT_A_SYNC {
            @Override
            Put of(Put unindexed) {
                return unindexed.setDurability(Durability.ASYNC_WAL);
            }
        };

        abstract Put of(Put unindexed);
    }

    private void batchSucceeds(Mutation... writes) throws IOException {
        assertThat(local.region().batchMutate(writes))
                .extracting(OperationStatus::getOperationStatusCode)
                .containsOnly(OperationStatusCode.SUCCESS);
        assertThat(local.indexTable(SYNC).entries()).isNotEmpty().isEqualTo(local.expected(SYNC));
    }

    @ParameterizedTest
    @EnumSource
    void acceptsAnUnindexedWriteOfARowToWhichTheNeighbourAddsAnUnindexedOne(Allowed allowed) throws IOException {
        open();
        neighbour.beforeBatch = batch -> batch.addOperationsFromCP(0, new Mutation[] {unindexed()});
        batchSucceeds(put("LAX"), allowed.of(unindexed()));
    }

    @ParameterizedTest
    @EnumSource
    void acceptsAnUnindexedWriteOfARowOfWhichTheNeighbourChangesAnotherInPlace(Allowed allowed) throws IOException {
        open();
        neighbour.beforeBatch =
                batch -> ((Put) batch.getOperation(0)).addColumn(F, ORIGIN, 1, Bytes.toBytes("of long ago"));
        batchSucceeds(put("LAX"), allowed.of(unindexed()));
    }

    @ParameterizedTest
    @EnumSource
    void refusesSuchAWriteIfTheNeighbourAddsTheIndexedColumnToIt(Allowed allowed) throws IOException {
        open();
        neighbour.beforeBatch = batch -> ((Put) batch.getOperation(1)).addColumn(F, ORIGIN, 1, Bytes.toBytes("JFK"));
        assertThatThrownBy(() -> local.region().batchMutate(new Mutation[] {put("LAX"), allowed.of(unindexed())}))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("nothing was written");
        assertThat(local.region().get(new Get(row("r"))).isEmpty()).isTrue();
    }
}
