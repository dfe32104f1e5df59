package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.F;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.BaseProbe;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.LocalRegion;
import org.diffindex.server.local.Waiting;
import org.diffindex.server.maintain.RowMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** When a write of a row reads the row, and when its region remembers what the row shows. On a real region. */
class RowMemoryTest {
    private static final byte[] ORIGIN = Bytes.toBytes("origin");
    private static final byte[] DATE = Bytes.toBytes("date");
    private static final Cell ORD = Flights.cell("r", "origin", "ORD", 100);
    private static final IndexDefinition INDEX = Flights.byOriginAndDate(IndexScheme.SYNC_FULL);

    @TempDir
    Path folder;

    /** A write of a row. */
    @FunctionalInterface
    private interface Write {
        void to(HRegion region) throws IOException;
    }

    @Test
    void theNextPutOfARowReadsNothing() throws IOException {
        try (LocalRegion local = local(Map.of())) {
            write(local, put("origin", "ORD", "date", "1"));
            assertThat(readsOf(local, put("origin", "LAX", "date", "2"))).isZero();
            assertThat(readsOf(local, put("origin", "SFO", "date", "3"))).isZero();
            assertIndexed(local);
        }
    }

    @Test
    void aPutOfOneColumnKeepsTheOthersInMind() throws IOException {
        try (LocalRegion local = local(Map.of())) {
            write(local, put("origin", "ORD", "date", "1"));
            assertThat(readsOf(local, put("date", "2"))).isZero();
            assertThat(readsOf(local, put("origin", "LAX"))).isZero();
            assertIndexed(local);
        }
    }

    @Test
    void aRowIsRememberedOnceItWasRead() throws IOException {
        try (LocalRegion local = local(Map.of())) {
            write(local, put("origin", "ORD", "date", "1"));
            write(local, new Delete(row("r")));
            assertThat(readsOf(local, put("date", "2"))).isPositive();
            assertThat(readsOf(local, put("origin", "LAX"))).isZero();
            assertIndexed(local);
        }
    }

    static Stream<Arguments> otherWrites() throws IOException {
        return Stream.of(
                Arguments.of("the delete of a row", (Write) region -> region.delete(new Delete(row("r")))),
                Arguments.of("the delete of a column", (Write)
                        region -> region.delete(new Delete(row("r")).addColumns(F, ORIGIN))),
                Arguments.of("the delete of a version", (Write)
                        region -> region.delete(new Delete(row("r")).addColumn(F, ORIGIN))),
                Arguments.of(
                        "the delete of a family", (Write) region -> region.delete(new Delete(row("r")).addFamily(F))),
                Arguments.of("a put at a time of its own", (Write)
                        region -> region.put(new Put(row("r")).addColumn(F, ORIGIN, 7, Bytes.toBytes("JFK")))),
                Arguments.of("an append", (Write)
                        region -> region.append(new Append(row("r")).addColumn(F, ORIGIN, Bytes.toBytes("X")))),
                Arguments.of("an increment", (Write) region -> region.increment(new Increment(row("r"))
                        .addColumn(F, Bytes.toBytes("count"), 1)
                        .addColumn(F, Bytes.toBytes("number"), 1))),
                Arguments.of("several mutations", (Write) region -> region.mutateRow(new RowMutations(row("r"))
                        .add((Mutation) new Delete(row("r")).addColumns(F, DATE))
                        .add((Mutation) put("date", "9")))),
                Arguments.of(
                        "a checkAndMutate", (Write) region -> region.checkAndMutate(CheckAndMutate.newBuilder(row("r"))
                                .ifNotExists(F, Bytes.toBytes("none"))
                                .build(new Delete(row("r")).addColumns(F, DATE)))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("otherWrites")
    void whatTheRowShowsAfterAnotherWriteIsWhatTheNextPutReplaces(String name, Write write) throws IOException {
        try (LocalRegion local = local(Map.of())) {
            write(local, put("origin", "ORD", "date", "1"));
            write(local, put("origin", "LAX", "date", "2"));
            write.to(local.region());
            assertIndexed(local);
            write(local, put("origin", "SFO"));
            assertIndexed(local);
            write(local, put("date", "3"));
            assertIndexed(local);
        }
    }

    @Test
    void withoutMemoryEveryWriteReadsItsRow() throws IOException {
        try (LocalRegion local = local(Map.of(Settings.ROW_MEMORY_BYTES, "0"))) {
            write(local, put("origin", "ORD", "date", "1"));
            assertThat(readsOf(local, put("origin", "LAX", "date", "2"))).isOne();
        }
    }

    @Test
    void aClosedRegionIsCollectedThoughItsRowsAreRemembered() {
        RowMemory.Shared shared = new RowMemory.Shared(1 << 20);
        WeakReference<byte[]> region = remember(shared);
        Waiting.until("the region is collected", () -> {
            System.gc();
            return region.get() == null;
        });
        assertThat(shared.bytes()).isPositive();
    }

    private static WeakReference<byte[]> remember(RowMemory.Shared shared) {
        byte[] region = new byte[1];
        BooleanSupplier isUsed = () -> region.length > 0;
        new RowMemory(shared, new LongAdder(), isUsed).remember(row("r"), List.of(ORD));
        return new WeakReference<>(region);
    }

    @Test
    void theMemoryIsBounded() throws IOException {
        try (LocalRegion local = local(Map.of(Settings.ROW_MEMORY_BYTES, "5000"))) {
            for (int round = 0; round < 2; round++) {
                for (int i = 0; i < 100; i++) {
                    local.region()
                            .put(new Put(row("r" + i))
                                    .addColumn(F, ORIGIN, Bytes.toBytes("ORD" + round))
                                    .addColumn(F, DATE, Bytes.toBytes("1")));
                }
            }
            assertThat(local.base().reads.own()).isBetween(180L, 200L);
            assertIndexed(local);
        }
    }

    @Test
    void whatIsReadLateIsNotRememberedOnceALaterWriteHasForgottenTheRow() {
        RowMemory memory = new RowMemory(new RowMemory.Shared(10_000), new LongAdder());
        RowMemory.Slot slot = memory.reserve(row("r"));
        assertThat(memory.take(row("r"), Long.MAX_VALUE)).as("not read yet").isEmpty();
        slot.fill(List.of(ORD));
        assertThat(memory.take(row("r"), Long.MAX_VALUE)).isEmpty();
    }

    @Test
    void regionsDoNotFindEachOthersRows() {
        RowMemory.Shared shared = new RowMemory.Shared(10_000);
        RowMemory memory = new RowMemory(shared, new LongAdder());
        memory.remember(row("r"), List.of(ORD));
        assertThat(new RowMemory(shared, new LongAdder()).take(row("r"), Long.MAX_VALUE))
                .isEmpty();
        assertThat(memory.take(row("r"), Long.MAX_VALUE)).contains(List.of(ORD));
    }

    @Test
    void whatAnUncertainWriteMayHaveChangedIsForgotten() {
        RowMemory memory = new RowMemory(new RowMemory.Shared(10_000), new LongAdder());
        memory.remember(row("r"), List.of(ORD));
        memory.forget(row("r"));
        assertThat(memory.take(row("r"), Long.MAX_VALUE)).isEmpty();
    }

    @Test
    void theMemoryKnowsItsSize() {
        RowMemory.Shared shared = new RowMemory.Shared(10_000);
        assertThat(shared.bytes()).isZero();
        RowMemory memory = new RowMemory(shared, new LongAdder());
        RowMemory.Slot slot = memory.reserve(row("r"));
        long empty = shared.bytes();
        slot.fill(List.of(ORD));
        assertThat(shared.bytes()).isGreaterThan(empty + ORD.getSerializedSize());
        memory.remember(row("r"), List.of(ORD));
        memory.forget(row("r"));
        assertThat(shared.bytes()).isZero();
        for (int i = 0; i < 1_000; i++) {
            memory.remember(row("r" + i), List.of(ORD));
        }
        assertThat(shared.bytes()).isBetween(5_000L, 10_000L);
    }

    /** The rows of regions that have moved away are forgotten before those that are being written. */
    @Test
    void whatAClosedRegionRememberedMakesRoom() {
        RowMemory.Shared shared = new RowMemory.Shared(100_000);
        RowMemory closed = new RowMemory(shared, new LongAdder());
        for (int round = 0; round < 60; round++) {
            hits(closed, 200);
        }
        RowMemory next = new RowMemory(shared, new LongAdder());
        assertThat(hits(next, 200)).isZero();
        assertThat(hits(next, 200)).isEqualTo(200);
    }

    /** Rows are often written a few times in succession, and then no more. */
    @Test
    void rowsThatAreSoonWrittenAgainAreFound() {
        RowMemory memory = new RowMemory(new RowMemory.Shared(100_000), new LongAdder());
        int found = 0;
        for (int i = 0; i < 5_000; i++) {
            hits(memory, "r" + i);
            found += hits(memory, "r" + Math.max(0, i - 30));
        }
        assertThat(found).isBetween(4_990, 5_000);
    }

    /** Writes each of so many rows once, and returns how many were remembered. */
    private static int hits(RowMemory memory, int rows) {
        int hits = 0;
        for (int i = 0; i < rows; i++) {
            hits += hits(memory, "r" + i);
        }
        return hits;
    }

    private static int hits(RowMemory memory, String row) {
        boolean known = memory.take(row(row), Long.MAX_VALUE).isPresent();
        memory.remember(row(row), List.of(ORD));
        return known ? 1 : 0;
    }

    @Test
    void aHitIsARowThatWasNotRead() throws IOException {
        try (LocalRegion local = local(Map.of())) {
            write(local, put("origin", "ORD", "date", "1"));
            assertThat(local.status().getRowMemoryHits()).isZero();
            write(local, put("origin", "LAX"));
            assertThat(local.status().getRowMemoryHits()).isOne();
        }
    }

    @Test
    void aPutThatNeedsNoOldValueIsNoHit() throws IOException {
        IndexDefinition index = Flights.byOrigin(IndexScheme.SYNC_INSERT);
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(index))) {
            write(local, put("origin", "ORD"));
            write(local, put("origin", "LAX"));
            assertThat(local.base().reads.own()).isZero();
            assertThat(local.status().getRowMemoryHits()).isZero();
        }
    }

    /** Replication writes cells that a client may not. */
    @Test
    void aRowWithACellThatMayExpireIsRead() throws IOException {
        try (LocalRegion local = local(Map.of())) {
            write(local, expiringOrigin());
            write(local, put("date", "1"));
            assertThat(readsOf(local, put("date", "2"))).isPositive();
            write(local, put("origin", "LAX"));
            assertThat(readsOf(local, put("date", "3"))).isZero();
        }
    }

    /** Returns a replicated put of a value that expires in a day. */
    static Put expiringOrigin() {
        return put("origin", "ORD").setTTL(Duration.ofDays(1).toMillis()).setClusterIds(List.of(new UUID(1, 2)));
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                Intruders.HidingFromGets.class,
                Intruders.IndexObserver.class,
                Intruders.Expiring.class,
                Intruders.Dropping.class,
                Intruders.StricterController.class
            })
    void rowsAreReadBesideACoprocessorThatMayHideOrDropCells(Class<? extends RegionCoprocessor> other)
            throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 3, List.of(INDEX), Map.of(), Intruders.with(other))) {
            write(local, put("origin", "ORD", "date", "1"));
            assertThat(readsOf(local, put("origin", "LAX", "date", "2"))).isPositive();
        }
    }

    @Test
    void rowsAreNotReadBesideACoprocessorThatIsSaidToBeHarmless() throws IOException {
        String harmless = BaseProbe.class.getName() + ", " + Intruders.Dropping.class.getName();
        try (LocalRegion local = new LocalRegion(
                folder,
                3,
                List.of(INDEX),
                Map.of(Settings.HARMLESS_COPROCESSORS, harmless),
                Intruders.with(Intruders.Dropping.class))) {
            write(local, put("origin", "ORD", "date", "1"));
            assertThat(readsOf(local, put("origin", "LAX", "date", "2"))).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"ASYNC_SIMPLE", "SYNC_FULL"})
    void aRegionKeepsNoFileOfEachCompaction(IndexScheme scheme) throws IOException {
        try (LocalRegion local = new LocalRegion(folder, 1, List.of(Flights.byOrigin(scheme)))) {
            RegionParts parts = local.region()
                    .getCoprocessorHost()
                    .findCoprocessor(IndexObserver.class)
                    .parts();
            for (int i = 0; i < 4; i++) {
                local.region().put(new Put(row("r" + i)).addColumn(F, Bytes.toBytes("carrier"), Bytes.toBytes("UA")));
                local.region().flush(true);
                local.region().compact(true);
            }
            assertThat(parts.unsettledCompactions()).isEqualTo(scheme == IndexScheme.SYNC_FULL ? 1 : 0);
        }
    }

    @Test
    void onlyRowsThatChangeByWritesAloneAreRemembered() {
        assertThat(isUsable(family -> family, IndexScheme.SYNC_FULL)).isTrue();
        assertThat(isUsable(family -> family.setTimeToLive(1_000), IndexScheme.SYNC_FULL))
                .isFalse();
        assertThat(isUsable(family -> family.setMinVersions(1), IndexScheme.SYNC_FULL))
                .isFalse();
        assertThat(isUsable(family -> family.setNewVersionBehavior(true), IndexScheme.SYNC_FULL))
                .isFalse();
    }

    @ParameterizedTest
    @EnumSource(IndexScheme.class)
    void rowsAreRememberedWhereAWriteNeedsItsOldValue(IndexScheme scheme) {
        assertThat(isUsable(family -> family, scheme)).isEqualTo(scheme != IndexScheme.ASYNC_SIMPLE);
    }

    private static boolean isUsable(UnaryOperator<ColumnFamilyDescriptorBuilder> change, IndexScheme scheme) {
        TableDescriptor table = TableDescriptorBuilder.newBuilder(Flights.TABLE)
                .setColumnFamily(change.apply(ColumnFamilyDescriptorBuilder.newBuilder(F))
                        .build())
                .build();
        return RowMemory.isUsable(table, List.of(Flights.byOrigin(scheme)));
    }

    private LocalRegion local(Map<String, String> settings) throws IOException {
        return new LocalRegion(folder, 3, List.of(INDEX), settings);
    }

    private static Put put(String... columnsAndValues) {
        Put put = new Put(row("r"));
        for (int i = 0; i < columnsAndValues.length; i += 2) {
            put.addColumn(F, Bytes.toBytes(columnsAndValues[i]), Bytes.toBytes(columnsAndValues[i + 1]));
        }
        return put;
    }

    private static void write(LocalRegion local, Mutation mutation) throws IOException {
        if (mutation instanceof Put put) {
            local.region().put(put);
        } else {
            local.region().delete((Delete) mutation);
        }
    }

    private static long readsOf(LocalRegion local, Put put) throws IOException {
        long before = local.base().reads.own();
        local.region().put(put);
        return local.base().reads.own() - before;
    }

    private static void assertIndexed(LocalRegion local) throws IOException {
        assertThat(local.indexTable(INDEX).entries()).isEqualTo(local.expected(INDEX));
    }
}
