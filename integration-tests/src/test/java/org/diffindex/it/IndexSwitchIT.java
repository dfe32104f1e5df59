package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.BuildListener;
import org.diffindex.client.BuildOptions;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexedTable;
import org.diffindex.cluster.Conditions;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexNotReadableException;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.tasks.IndexStates;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Indexes are taken out of service and put into service again while their table is written. */
@ExtendWith(ClusterExtension.class)
class IndexSwitchIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final String BY_CITY = "by_city";
    private static final int ROWS = 300;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final AtomicLong written = new AtomicLong();

    @AfterEach
    void stop() {
        stopping.set(true);
        threads.shutdownNow();
    }

    private static IndexedFixture indexed(Connection connection, IndexScheme scheme) throws IOException {
        return new IndexedFixture(
                connection,
                1,
                name -> List.of(IndexDefinition.builder(name, BY_CITY)
                        .column("f", "city", ColumnTypes.STRING)
                        .scheme(scheme)
                        .build()));
    }

    /** Writes random rows, every fourth time a delete, until told to stop. */
    private Void write(IndexedFixture fixture, Random random) throws IOException {
        while (!stopping.get()) {
            int row = random.nextInt(ROWS);
            if (random.nextInt(4) == 0) {
                fixture.table.delete(new Delete(Bytes.toBytes(row(row))));
            } else {
                fixture.put(row(row), "city" + random.nextInt(20));
            }
            written.incrementAndGet();
        }
        return null;
    }

    private static String row(int number) {
        return (char) ('a' + number % 26) + "%03d".formatted(number);
    }

    private void awaitWrites(int more) throws InterruptedException, IOException {
        long enough = written.get() + more;
        assertThat(Conditions.await(PATIENCE, () -> written.get() >= enough))
                .as("the writers go on")
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource(names = {"SYNC_FULL", "ASYNC_SESSION"})
    void anIndexThatIsEnabledHasWhatWasWrittenMeanwhileAndNothingElse(IndexScheme scheme, Connection connection)
            throws Exception {
        assertExactAfterASwitch(scheme, connection);
    }

    @Tag("proof")
    @ParameterizedTest
    @EnumSource(names = {"SYNC_INSERT", "ASYNC_SIMPLE"})
    void soHasOneOfTheOtherSchemes(IndexScheme scheme, Connection connection) throws Exception {
        assertExactAfterASwitch(scheme, connection);
    }

    private void assertExactAfterASwitch(IndexScheme scheme, Connection connection) throws Exception {
        try (IndexedFixture fixture = indexed(connection, scheme)) {
            List<Future<?>> writers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Random random = new Random(i);
                writers.add(threads.submit(() -> write(fixture, random)));
            }
            awaitWrites(ROWS);
            assertThat(fixture.rows(BY_CITY)).isNotEmpty();

            fixture.admin.disableIndex(fixture.name, BY_CITY);
            assertThatThrownBy(() -> fixture.rows(BY_CITY))
                    .as("a reader that knows the index")
                    .hasCauseInstanceOf(IndexNotReadableException.class)
                    .hasMessageContaining("DISABLED");
            try (IndexedTable another = new IndexedTable(connection, fixture.name)) {
                assertThatThrownBy(() ->
                                another.getByIndex(IndexQuery.index(BY_CITY).build()))
                        .as("a reader that does not")
                        .isInstanceOf(IndexNotReadableException.class)
                        .hasMessageContaining("DISABLED");
            }
            awaitWrites(ROWS);

            fixture.admin.enableIndex(fixture.name, BY_CITY, BuildOptions.DEFAULT);
            fixture.admin.awaitIndex(fixture.name, BY_CITY, BuildListener.NONE);
            awaitWrites(ROWS);
            stopping.set(true);
            for (Future<?> writer : writers) {
                writer.get();
            }
            fixture.assertIndexesEqualBase();
        }
    }

    /** Of every kind: entries that are missing, that have no row, and more. */
    @Test
    void aRebuildRepairsWhateverIsWrong(Connection connection) throws Exception {
        try (IndexedFixture fixture = indexed(connection, IndexScheme.SYNC_FULL)) {
            for (int i = 0; i < ROWS; i++) {
                fixture.put(row(i), "city" + i % 20);
            }
            new Damage(fixture, fixture.admin.describeIndex(fixture.name, BY_CITY)).plantEveryKind();
            fixture.admin.rebuildIndex(fixture.name, BY_CITY, BuildOptions.DEFAULT);
            fixture.admin.awaitIndex(fixture.name, BY_CITY, BuildListener.NONE);
            assertThat(fixture.admin.stateOf(fixture.name, BY_CITY)).contains(IndexState.ACTIVE);
            fixture.assertIndexesEqualBase();
        }
    }

    /** Of an update that was sent before the index was disabled, and arrives after its table was emptied. */
    @Test
    void anUpdateForTheIndexOfBeforeIsRefused(Connection connection) throws Exception {
        try (IndexedFixture fixture = indexed(connection, IndexScheme.SYNC_FULL);
                Admin hbase = connection.getAdmin()) {
            fixture.put("a1", "Oslo");
            IndexDefinition before = fixture.admin.describeIndex(fixture.name, BY_CITY);
            fixture.admin.disableIndex(fixture.name, BY_CITY);
            assertThat(IndexStates.renew(hbase, before.indexTable(), before.id(), "another"))
                    .isTrue();
            IndexEntry late = new IndexEntry(Bytes.toBytes("Bergen\0a1"), System.currentTimeMillis());
            try (Table own = connection.getTable(before.indexTable())) {
                assertThatThrownBy(() -> own.put(before.entryFormat().put(late, late.timestamp())))
                        .hasMessageContaining("it is for an index that was dropped");
            }
            fixture.admin.enableIndex(fixture.name, BY_CITY, BuildOptions.DEFAULT);
            fixture.admin.awaitIndex(fixture.name, BY_CITY, BuildListener.NONE);
            fixture.assertIndexesEqualBase();
        }
    }

    /** The way out for an operator whose writers fail because of a table that does not answer. */
    @Test
    void anIndexWhoseTableIsAwayIsDisabledAndWritesSucceedAgain(Connection connection) throws Exception {
        try (IndexedFixture fixture = indexed(connection, IndexScheme.SYNC_FULL);
                Admin hbase = connection.getAdmin()) {
            fixture.put("a1", "Oslo");
            hbase.disableTable(
                    fixture.admin.describeIndex(fixture.name, BY_CITY).indexTable());
            fixture.admin.disableIndex(fixture.name, BY_CITY);
            fixture.put("b1", "Bergen");
            fixture.admin.enableIndex(fixture.name, BY_CITY, BuildOptions.DEFAULT);
            fixture.admin.awaitIndex(fixture.name, BY_CITY, BuildListener.NONE);
            fixture.assertIndexesEqualBase();
            assertThat(fixture.rows(BY_CITY)).containsExactly("b1", "a1");
        }
    }
}
