package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.FakeConnection;
import org.diffindex.server.local.LocalTable;
import org.diffindex.server.local.ManualClock;
import org.diffindex.server.sequences.TableShape;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests a server that dies while an index is created, and the replay of a batch from before: one of its rows has an
 * index under a TTL, the other one has the timestamp of a client.
 */
class ReplayBesideExpiryTest {
    private static final long START = 1_700_000_000_000L;
    private static final long MICROSECONDS = START * 1_000;
    private static final byte[] F = Bytes.toBytes("f");
    private static final byte[] G = Bytes.toBytes("g");
    private static final byte[] A = Bytes.toBytes("A");
    private static final byte[] STAYS = Bytes.toBytes("stays");

    @TempDir
    Path folder;

    private ManualClock clock;
    private FakeConnection network;
    private LocalTable table;

    @BeforeEach
    void open() throws IOException {
        clock = ManualClock.install(START);
        network = new FakeConnection(TableShape.VERSIONS_1.bare());
        table = TableShape.VERSIONS_1.openBare(folder, network);
    }

    @AfterEach
    void close() throws IOException {
        table.close();
        clock.close();
    }

    private IndexDefinition index(String name, String family, IndexScheme scheme) throws IOException {
        IndexDefinition index = IndexDefinition.builder(TableShape.NAME, name)
                .column(family, "A", ColumnTypes.STRING)
                .scheme(scheme)
                .build();
        network.serveIndex(index.indexTable());
        return index;
    }

    /** Returns the descriptor of a table with a TTL of the family g and an index of it. */
    private static TableDescriptor withTtl(IndexDefinition expiring) throws IOException {
        TableDescriptor withTtl = TableDescriptorBuilder.newBuilder(TableShape.VERSIONS_1.bare())
                .modifyColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(G)
                        .setMaxVersions(1)
                        .setTimeToLive(86_400)
                        .build())
                .build();
        return IndexDefinitions.with(withTtl, expiring);
    }

    /** Where a replayed change waits for its delivery. */
    enum Waits {
        IN_MEMORY,
        IN_MEMORY_UNTIL_THE_NEXT_WRITE,
        PARKED,
        COVERED
    }

    /** With another stamp the entry would not expire together with its cell. */
    @ParameterizedTest
    @EnumSource
    void anExpiringEntryOfARowThatAlsoHasAnotherKeepsItsStamp(Waits waits) throws IOException {
        IndexDefinition expiring = index("expiring", "g", IndexScheme.SYNC_FULL);
        IndexDefinition created = index("created", "f", IndexScheme.SYNC_FULL);
        TableDescriptor before = withTtl(expiring);
        table.alter(before);
        put(new Put(STAYS).addColumn(F, A, Bytes.toBytes("old")));
        put(new Put(STAYS).addColumn(F, A, Bytes.toBytes("new")).addColumn(G, A, Bytes.toBytes("x")));
        List<Long> written = List.of(START + 2);
        assertThat(stampsIn(expiring)).isEqualTo(written);
        table.die();
        clock.move(10);
        network.failures.outage(waits != Waits.IN_MEMORY);
        table.set(Settings.QUEUE_MAX_BYTES, waits == Waits.PARKED ? 1 : 1 << 20);
        table.recover(IndexDefinitions.with(before, created));
        if (waits == Waits.COVERED) {
            table.die();
            table.recover();
        }
        network.failures.outage(false);
        if (waits == Waits.IN_MEMORY_UNTIL_THE_NEXT_WRITE) {
            put(new Put(STAYS).addColumn(F, A, Bytes.toBytes("newer")));
        }
        assertThat(table.drain()).isZero();
        assertThat(stampsIn(expiring)).isEqualTo(written);
        assertThat(stampsIn(created)).singleElement().isNotEqualTo(written.get(0));
        assertThat(table.entries(created)).isEqualTo(LocalTable.expected(created, table.visible(List.of("stays"))));
    }

    private List<Long> stampsIn(IndexDefinition index) {
        return network.index(index.indexTable()).visible().values().stream()
                .map(Cell::getTimestamp)
                .toList();
    }

    private void put(Put put) throws IOException {
        clock.move(1);
        table.regionOf(STAYS).put(put);
    }

    /** The last put has the stamp with which it was logged, those before it have none. */
    @ParameterizedTest
    @EnumSource
    void aRowThatAlsoHasAnExpiringEntryKeepsItsOtherEntry(IndexScheme scheme) throws IOException {
        IndexDefinition expiring = index("expiring", "g", IndexScheme.SYNC_FULL);
        IndexDefinition created = index("created", "f", scheme);
        TableDescriptor before = withTtl(expiring);
        table.alter(before);
        put(new Put(STAYS).addColumn(F, A, Bytes.toBytes("old")));
        put(new Put(STAYS).addColumn(F, A, Bytes.toBytes("other")));
        put(new Put(STAYS).addColumn(F, A, Bytes.toBytes("old")).addColumn(G, A, Bytes.toBytes("x")));
        table.die();
        clock.move(10);
        table.recover(IndexDefinitions.with(before, created));
        assertThat(table.drain()).isZero();
        table.backfill(created);
        assertThat(table.drain()).isZero();
        assertThat(table.entries(created)).isEqualTo(LocalTable.expected(created, table.visible(List.of("stays"))));
    }

    @Test
    void anEntryOfARowThatDoesNotExpireIsDeletedByTheNextWrite() throws IOException {
        IndexDefinition expiring = index("expiring", "g", IndexScheme.SYNC_FULL);
        IndexDefinition created = index("created", "f", IndexScheme.SYNC_FULL);
        TableDescriptor before = withTtl(expiring);
        table.alter(before);
        clock.move(1);
        table.regionOf(STAYS).batchMutate(new Mutation[] {
            new Put(Bytes.toBytes("expires")).addColumn(G, A, Bytes.toBytes("x")),
            new Put(STAYS).addColumn(F, A, MICROSECONDS, Bytes.toBytes("old"))
        });
        table.die();
        clock.move(10);
        table.recover(IndexDefinitions.with(before, created));
        assertThat(table.drain()).isZero();
        table.backfill(created);
        clock.move(10);
        table.regionOf(STAYS).put(new Put(STAYS).addColumn(F, A, MICROSECONDS + 1, Bytes.toBytes("new")));
        assertThat(table.drain()).isZero();
        assertThat(table.entries(created))
                .isEqualTo(LocalTable.expected(created, table.visible(List.of("expires", "stays"))));
    }

    /** Each of the writes gets a stamp of its own, faster than one per millisecond. */
    @Test
    void aRowThatWasWrittenOftenDatesNoCellAhead() throws IOException {
        IndexDefinition expiring = index("expiring", "g", IndexScheme.SYNC_FULL);
        IndexDefinition created = index("created", "f", IndexScheme.SYNC_FULL);
        TableDescriptor before = withTtl(expiring);
        table.alter(before);
        for (int i = 0; i < 5_000; i++) {
            put(new Put(STAYS).addColumn(F, A, Bytes.toBytes("value" + i)));
        }
        table.die();
        clock.move(10);
        table.recover(IndexDefinitions.with(before, created));
        assertThat(aheadOfTheClock("another", G)).isZero();
        assertThat(aheadOfTheClock("stays", F)).isZero();
        assertThat(table.drain()).isZero();
        assertThat(table.entries(created))
                .isEqualTo(LocalTable.expected(created, table.visible(List.of("another", "stays"))));
    }

    /** Writes a row; returns by how many milliseconds its cell is dated ahead. */
    private long aheadOfTheClock(String row, byte[] family) throws IOException {
        byte[] key = Bytes.toBytes(row);
        table.regionOf(key).put(new Put(key).addColumn(family, A, Bytes.toBytes("x")));
        return table.visible(List.of(row)).get(row).get(0).getTimestamp() - clock.millis();
    }
}
