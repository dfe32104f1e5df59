package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.it.IndexedFixture.AGE;
import static org.diffindex.it.IndexedFixture.CITY;
import static org.diffindex.it.IndexedFixture.F;
import static org.diffindex.it.IndexedFixture.putOf;

import com.google.protobuf.ByteString;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexScheme;
import org.diffindex.protocol.DiffIndexProtos.DiffIndexService;
import org.diffindex.protocol.DiffIndexProtos.Repair;
import org.diffindex.protocol.DiffIndexProtos.RepairRequest;
import org.diffindex.verify.Difference;
import org.diffindex.verify.FoundDifference;
import org.diffindex.verify.ScrubListener;
import org.diffindex.verify.ScrubOptions;
import org.diffindex.verify.ScrubReport;
import org.diffindex.verify.Scrubber;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests the scrubber under each scheme: it finds every damage and nothing else, and repairs it, also while writers
 * write.
 */
@ExtendWith(ClusterExtension.class)
class ScrubIT {
    private static final int ROWS = 1_500;
    private static final int WRITERS = 3;
    private static final int HOT_ROWS = 40;
    private static final long PAST = 1_000_000;
    private static final ScrubOptions AT_ONCE = ScrubOptions.DEFAULT.withLag(Duration.ZERO);

    private static IndexedFixture fixture(Connection connection, IndexScheme scheme) throws IOException {
        return new IndexedFixture(
                connection,
                3,
                table -> List.of(
                        IndexDefinition.builder(table, "by_city")
                                .column("f", "city", ColumnTypes.STRING)
                                .scheme(scheme)
                                .splitAt("H", "P")
                                .build(),
                        IndexDefinition.builder(table, "by_city_age")
                                .column("f", "city", ColumnTypes.STRING)
                                .column("f", "age", ColumnTypes.INT)
                                .scheme(scheme)
                                .build()));
    }

    /**
     * Performs every kind of write: updates, deletes, client timestamps, values that cannot be indexed, rows without a
     * value.
     */
    private static void fill(IndexedFixture fixture) throws Exception {
        Random random = new Random(7);
        for (int round = 0; round < 3; round++) {
            List<Row> batch = new ArrayList<>();
            for (int i = 0; i < ROWS; i++) {
                batch.add(write(random, row(random.nextInt(ROWS))));
            }
            fixture.table.batch(batch, new Object[batch.size()]);
        }
        fixture.drain();
    }

    private static Row write(Random random, String row) {
        byte[] key = Bytes.toBytes(row);
        byte[] city = Bytes.toBytes("city" + random.nextInt(50));
        long future = System.currentTimeMillis() + TimeUnit.DAYS.toMillis(1);
        return switch (random.nextInt(12)) {
            case 0 -> new Delete(key);
            case 1 -> new Delete(key).addColumns(F, CITY);
            case 2 -> new Delete(key).addColumn(F, CITY);
            case 3 -> new Put(key).addColumn(F, CITY, PAST + random.nextInt(1_000), city);
            case 4 -> new Put(key).addColumn(F, CITY, future + random.nextInt(1_000), city);
            case 5 -> new Append(key).addColumn(F, AGE, new byte[] {1});
            case 6 -> new Put(key).addColumn(F, IndexedFixture.NOTE, city);
            default -> putOf(row, Bytes.toString(city), random.nextInt(90));
        };
    }

    private static String row(int number) {
        return (char) ('a' + number % 26) + "-" + number;
    }

    private static ScrubReport scrub(IndexedFixture fixture, String index, ScrubOptions options) throws IOException {
        return Scrubber.scrub(
                fixture.connection, fixture.admin.describeIndex(fixture.name, index), options, ScrubListener.NONE);
    }

    @ParameterizedTest
    @EnumSource
    void findsNoDifferenceInACorrectIndex(IndexScheme scheme, Connection connection) throws Exception {
        try (IndexedFixture fixture = fixture(connection, scheme)) {
            fill(fixture);
            for (String index : List.of("by_city", "by_city_age")) {
                ScrubReport report = scrub(fixture, index, AT_ONCE);
                assertThat(report.rows()).isGreaterThan(ROWS / 4);
                assertThat(report.isClean()).as(report.toString()).isTrue();
                assertThat(report.unsettled()).isZero();
                if (scheme.leavesStaleEntries()) {
                    assertThat(report.found()).containsOnlyKeys(Difference.STALE, Difference.DANGLING);
                } else {
                    assertThat(report.found()).isEmpty();
                    assertThat(report.entries()).isEqualTo(report.rows());
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void findsAndRepairsEveryDamage(IndexScheme scheme, Connection connection) throws Exception {
        try (IndexedFixture fixture = fixture(connection, scheme)) {
            fill(fixture);
            for (String index : List.of("by_city", "by_city_age")) {
                ScrubReport before = scrub(fixture, index, AT_ONCE.withRepair(true));
                assertThat(before.isClean()).as(before.toString()).isTrue();

                Damage damage = new Damage(fixture, fixture.admin.describeIndex(fixture.name, index));
                damage.plantEveryKind();
                ScrubReport found = scrub(fixture, index, AT_ONCE);
                assertThat(places(found)).isEqualTo(damage.planted());
                assertThat(found.isClean()).isFalse();
                assertThat(found.repaired()).isEmpty();

                ScrubReport repaired = scrub(fixture, index, AT_ONCE.withRepair(true));
                assertThat(repaired.found()).as(repaired.toString()).isEqualTo(found.found());
                assertThat(repaired.repaired()).isEqualTo(repaired.found());
                assertThat(repaired.isClean()).isTrue();
                ScrubReport after = scrub(fixture, index, AT_ONCE);
                assertThat(after.found()).as(after.toString()).isEmpty();
                assertThat(after.rows()).isEqualTo(found.rows());
            }
            // a repaired entry is maintained like any other
            Random random = new Random(8);
            for (int i = 0; i < ROWS; i += 3) {
                fixture.table.put(putOf(row(i), "moved" + random.nextInt(9), 1));
            }
            fixture.assertIndexesEqualBase();
            assertThat(scrub(fixture, "by_city", AT_ONCE).left(Difference.MISSING))
                    .isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void reportsNoDifferenceWhileWritersWrite(IndexScheme scheme, Connection connection) throws Exception {
        try (IndexedFixture fixture = fixture(connection, scheme);
                Writers writers = new Writers(fixture)) {
            for (int i = 0; i < 4; i++) {
                writers.awaitMoreWrites();
                ScrubReport report = scrub(fixture, "by_city", AT_ONCE);
                assertThat(report.isClean()).as(report.toString()).isTrue();
            }
            Damage damage = new Damage(fixture, fixture.admin.describeIndex(fixture.name, "by_city"));
            fixture.put("quiet", "Oslo");
            fixture.drain();
            damage.remove("quiet");
            writers.awaitMoreWrites();
            ScrubReport report = scrub(fixture, "by_city", AT_ONCE);
            assertThat(report.found(Difference.MISSING)).as(report.toString()).isEqualTo(1);
            assertThat(report.left(Difference.WRONG_TIMESTAMP)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aRepairDamagesNothingWhileWritersWrite(IndexScheme scheme, Connection connection) throws Exception {
        try (IndexedFixture fixture = fixture(connection, scheme)) {
            try (Writers writers = new Writers(fixture)) {
                Damage damage = new Damage(fixture, fixture.admin.describeIndex(fixture.name, "by_city"));
                for (int i = 0; i < 6; i++) {
                    writers.awaitMoreWrites();
                    damage.plantOnHotRows(i);
                    ScrubReport unused = scrub(fixture, "by_city", AT_ONCE.withRepair(true));
                }
            }
            fixture.drain();
            ScrubReport last = scrub(fixture, "by_city", AT_ONCE.withRepair(true));
            assertThat(last.isClean()).as(last.toString()).isTrue();
            fixture.assertIndexesEqualBase();
            ScrubReport after = scrub(fixture, "by_city", AT_ONCE);
            assertThat(after.found()).as(after.toString()).isEmpty();
        }
    }

    /** Repairs entries that are correct, were, or will be, while their rows are written. */
    @ParameterizedTest
    @EnumSource
    void aRepairOfACorrectEntryDoesNoHarm(IndexScheme scheme, Connection connection) throws Exception {
        try (IndexedFixture fixture = fixture(connection, scheme)) {
            IndexDefinition index = fixture.admin.describeIndex(fixture.name, "by_city");
            IndexKeyCodec codec = new IndexKeyCodec(index);
            try (Writers writers = new Writers(fixture)) {
                for (int round = 0; round < 10; round++) {
                    for (int hot = 0; hot < HOT_ROWS; hot++) {
                        byte[] row = Bytes.toBytes(row(hot));
                        RepairRequest.Builder request =
                                RepairRequest.newBuilder().setIndex("by_city").setIndexId(index.id());
                        for (int city = 0; city < 50; city++) {
                            byte[] key = codec.encode(List.of(Bytes.toBytes("city" + city)), row);
                            request.addRepairs(Repair.newBuilder()
                                    .setRow(ByteString.copyFrom(row))
                                    .setKey(ByteString.copyFrom(key))
                                    .setStamp(System.currentTimeMillis()));
                        }
                        DiffIndexService.newBlockingStub(fixture.table.coprocessorService(row))
                                .repair(null, request.build());
                    }
                    writers.awaitMoreWrites();
                }
            }
            fixture.drain();
            ScrubReport report = scrub(fixture, "by_city", AT_ONCE);
            assertThat(report.isClean()).as(report.toString()).isTrue();
            assertThat(report.rows()).isPositive();
            if (!scheme.leavesStaleEntries()) {
                assertThat(report.found()).isEmpty();
            }
        }
    }

    @Test
    void aRegionRepairsOnlyItsOwnRows(Connection connection) throws Exception {
        try (IndexedFixture fixture = fixture(connection, IndexScheme.SYNC_FULL)) {
            fixture.put("alice", "Oslo");
            fixture.put("zoe", "Rome");
            IndexDefinition index = fixture.admin.describeIndex(fixture.name, "by_city");
            String id = index.id();
            Damage damage = new Damage(fixture, index);
            damage.remove("alice");
            damage.remove("zoe");
            DiffIndexService.BlockingInterface region =
                    DiffIndexService.newBlockingStub(fixture.table.coprocessorService(Bytes.toBytes("alice")));
            RepairRequest both = RepairRequest.newBuilder()
                    .setIndex("by_city")
                    .setIndexId(id)
                    .addRepairs(Repair.newBuilder().setRow(ByteString.copyFromUtf8("zoe")))
                    .addRepairs(Repair.newBuilder().setRow(ByteString.copyFromUtf8("alice")))
                    .build();
            assertThat(region.repair(null, both).getElsewhereList()).containsExactly(0);
            assertThat(fixture.rows("by_city")).containsExactly("alice");

            Repair keyOfAnother = Repair.newBuilder()
                    .setRow(ByteString.copyFromUtf8("alice"))
                    .setKey(ByteString.copyFromUtf8("Rome\0\1zoe"))
                    .setStamp(1)
                    .build();
            RepairRequest strange = RepairRequest.newBuilder()
                    .setIndex("by_city")
                    .setIndexId(id)
                    .addRepairs(keyOfAnother)
                    .build();
            assertThatThrownBy(() -> region.repair(null, strange)).hasStackTraceContaining("Repair refused");
            assertThat(scrub(fixture, "by_city", AT_ONCE.withRepair(true)).repaired())
                    .isEqualTo(Map.of(Difference.MISSING, 1L));
            assertThat(fixture.rows("by_city")).containsExactly("alice", "zoe");
        }
    }

    /** Returns the base rows, or the keys if they name none, at which a report names a difference of each kind. */
    private static Map<Difference, List<String>> places(ScrubReport report) {
        return report.samples().stream()
                .collect(Collectors.groupingBy(
                        FoundDifference::difference,
                        TreeMap::new,
                        Collectors.collectingAndThen(
                                Collectors.mapping(ScrubIT::place, Collectors.toList()),
                                places -> places.stream().sorted().toList())));
    }

    private static String place(FoundDifference found) {
        return found.row().isEmpty() ? "no row" : found.row();
    }

    /** Writers of a few hot rows, which write until they are closed. */
    private static final class Writers implements AutoCloseable {
        private final ExecutorService pool = Executors.newFixedThreadPool(WRITERS);
        private final AtomicBoolean stopped = new AtomicBoolean();
        private final Semaphore written = new Semaphore(0);
        private final List<Future<?>> running = new ArrayList<>();

        Writers(IndexedFixture fixture) {
            for (int writer = 0; writer < WRITERS; writer++) {
                Random random = new Random(writer);
                running.add(pool.submit(() -> {
                    while (!stopped.get()) {
                        String row = row(random.nextInt(HOT_ROWS));
                        fixture.table.batch(List.of(write(random, row)), new Object[1]);
                        written.release();
                    }
                    return null;
                }));
            }
        }

        /** Waits until a few hundred more writes are done. */
        void awaitMoreWrites() throws Exception {
            written.drainPermits();
            while (!written.tryAcquire(300, 1, TimeUnit.SECONDS)) {
                for (Future<?> writer : running) {
                    if (writer.isDone()) {
                        writer.get();
                    }
                }
            }
        }

        @Override
        public void close() throws IOException {
            stopped.set(true);
            pool.shutdown();
            for (Future<?> writer : running) {
                try {
                    writer.get();
                } catch (ExecutionException e) {
                    throw new IOException("A writer failed", e.getCause());
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw (IOException) new InterruptedIOException().initCause(e);
                }
            }
        }
    }
}
