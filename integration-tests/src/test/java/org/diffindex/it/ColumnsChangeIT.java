package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.it.CityClients.BY_CITY;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.BuildListener;
import org.diffindex.client.BuildOptions;
import org.diffindex.client.ColumnsChange;
import org.diffindex.client.ColumnsChangeListener;
import org.diffindex.client.IndexGenerations;
import org.diffindex.client.IndexQuery;
import org.diffindex.cluster.Conditions;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.verify.IndexComparison;
import org.diffindex.verify.ScrubReport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The columns of an index are changed while clients that know the ones before write and read. */
@ExtendWith(ClusterExtension.class)
class ColumnsChangeIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private static IndexDefinition byCity(TableName table, IndexScheme scheme) {
        return IndexDefinition.builder(table, BY_CITY)
                .column("f", "city", ColumnTypes.STRING)
                .scheme(scheme)
                .splitAt("city1", "city2")
                .build();
    }

    private static IndexDefinition byCityAndNote(TableName table) {
        return IndexDefinition.builder(table, BY_CITY)
                .column("f", "city", ColumnTypes.STRING)
                .column("f", "note", ColumnTypes.STRING)
                .splitAt("city15")
                .build();
    }

    private static IndexedFixture indexed(Connection connection, IndexScheme scheme) throws IOException {
        return new IndexedFixture(connection, 1, name -> List.of(byCity(name, scheme)));
    }

    private static void change(IndexedFixture fixture, IndexDefinition wanted) throws IOException {
        ColumnsChange.run(fixture.connection, wanted, BuildOptions.DEFAULT, ColumnsChangeListener.NONE);
    }

    @Test
    void everyReadIsRightWhileTheColumnsChange(Connection connection) throws Exception {
        follow(connection, IndexScheme.SYNC_FULL);
    }

    @ParameterizedTest
    @EnumSource(names = "SYNC_FULL", mode = EnumSource.Mode.EXCLUDE)
    @Tag("proof")
    void everyReadIsRightWhileTheColumnsChangeUnderTheOtherSchemes(IndexScheme scheme, Connection connection)
            throws Exception {
        follow(connection, scheme);
    }

    private static void follow(Connection connection, IndexScheme scheme) throws Exception {
        try (IndexedFixture fixture = indexed(connection, scheme);
                CityClients clients = new CityClients(connection, fixture.name, scheme)) {
            clients.start();
            for (IndexDefinition wanted : List.of(byCityAndNote(fixture.name), byCity(fixture.name, scheme))) {
                change(fixture, wanted);
                clients.requireRunning();
                clients.whileQuiet(() -> {
                    fixture.assertReadersOfSynchronousIndexesSeeTheBase();
                    fixture.assertIndexesEqualBase();
                    return null;
                });
                IndexDefinition present = fixture.admin.describeIndex(fixture.name, BY_CITY);
                assertThat(present.hasShapeOf(wanted)).as("%s", present).isTrue();
                assertThat(present.scheme()).isEqualTo(scheme);
            }
            clients.stop();
            assertThat(clients.writes.get()).isPositive();
            assertThat(fixture.admin.describeIndex(fixture.name, BY_CITY).indexTable())
                    .isEqualTo(TableName.valueOf(fixture.name + ".by_city.3"));
            try (Admin hbase = connection.getAdmin()) {
                assertThat(hbase.tableExists(TableName.valueOf(fixture.name + ".by_city")))
                        .isFalse();
            }
        }
    }

    /** Truncated while the shadow is there: the master empties and builds both. */
    @Test
    void aTruncationInTheMiddleOfAChangeEmptiesBoth(Connection connection) throws Exception {
        try (IndexedFixture fixture = indexed(connection, IndexScheme.SYNC_FULL);
                Admin hbase = connection.getAdmin()) {
            fixture.put("a1", "city1");
            assertThat(ColumnsChange.begin(connection, byCityAndNote(fixture.name), BuildOptions.DEFAULT))
                    .isPresent();
            hbase.disableTable(fixture.name);
            hbase.truncateTable(fixture.name, true);
            fixture.admin.awaitIndex(fixture.name, BY_CITY, BuildListener.NONE);
            fixture.table.put(IndexedFixture.putOf("a2", "city2")
                    .addColumn(IndexedFixture.F, IndexedFixture.NOTE, Bytes.toBytes("x")));
            completed(fixture);
            assertThat(fixture.rows(IndexQuery.index(BY_CITY).build())).containsExactly("a2");
            fixture.assertIndexesEqualBase();
        }
    }

    /** The shadow may be without a definition for a moment, while the master empties it. */
    private static void completed(IndexedFixture fixture) throws Exception {
        boolean unused = Conditions.await(PATIENCE, () -> isCompleted(fixture));
        change(
                fixture,
                byCityAndNote(fixture.name)); // does nothing if it is complete, and fails as it has failed before
    }

    private static boolean isCompleted(IndexedFixture fixture) {
        return isChanged(fixture, byCityAndNote(fixture.name));
    }

    private static boolean isChanged(IndexedFixture fixture, IndexDefinition wanted) {
        try {
            change(fixture, wanted);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** A snapshot of before the change is restored in the middle of it, and one of the middle after it is cancelled. */
    @Test
    void aSnapshotIsRestoredWithTheIndexesOfNow(Connection connection) throws Exception {
        List<String> snapshots = List.of("before-of-columns", "middle-of-columns");
        try (IndexedFixture fixture = indexed(connection, IndexScheme.SYNC_FULL);
                Admin hbase = connection.getAdmin()) {
            fixture.table.put(noted("a1", "city1"));
            hbase.snapshot(snapshots.get(0), fixture.name);
            assertThat(ColumnsChange.begin(connection, byCityAndNote(fixture.name), BuildOptions.DEFAULT))
                    .isPresent();
            fixture.table.put(noted("a2", "city2"));
            hbase.snapshot(snapshots.get(1), fixture.name);
            fixture.table.put(noted("a3", "city2"));

            restore(hbase, snapshots.get(0), fixture.name);
            fixture.admin.awaitIndex(fixture.name, BY_CITY, BuildListener.NONE);
            assertThat(fixture.rows(IndexQuery.index(BY_CITY).build())).containsExactly("a1");
            completed(fixture);
            assertThat(fixture.rows(IndexQuery.index(BY_CITY).build())).containsExactly("a1");
            fixture.assertIndexesEqualBase();

            hbase.disableTable(fixture.name);
            assertThatThrownBy(() -> hbase.restoreSnapshot(snapshots.get(1), false))
                    .as("the columns of then are others")
                    .hasStackTraceContaining("change by_city back (bin/diffindex alter-index");
            hbase.enableTable(fixture.name);
            fixture.admin.awaitIndex(fixture.name, BY_CITY, BuildListener.NONE);
            boolean unused =
                    Conditions.await(PATIENCE, () -> isChanged(fixture, byCity(fixture.name, IndexScheme.SYNC_FULL)));
            restore(hbase, snapshots.get(1), fixture.name);
            fixture.admin.awaitIndex(fixture.name, BY_CITY, BuildListener.NONE);
            assertThat(fixture.rows(IndexQuery.index(BY_CITY).build())).containsExactly("a1", "a2");
            assertThat(fixture.admin.describeIndex(fixture.name, BY_CITY).name())
                    .isEqualTo("by_city.3");
            fixture.assertIndexesEqualBase();
            hbase.deleteSnapshots(Pattern.compile(".*-of-columns"));
        }
    }

    private static void restore(Admin hbase, String snapshot, TableName table) throws IOException {
        hbase.disableTable(table);
        hbase.restoreSnapshot(snapshot, false);
        hbase.enableTable(table);
    }

    private static Put noted(String row, String city) {
        return IndexedFixture.putOf(row, city).addColumn(IndexedFixture.F, IndexedFixture.NOTE, Bytes.toBytes("x"));
    }

    /** Both are scrubbed while the shadow is ACTIVE and readers have not gone over. */
    @Test
    void everyGenerationIsScrubbed(Connection connection) throws Exception {
        try (IndexedFixture fixture = indexed(connection, IndexScheme.SYNC_FULL)) {
            fixture.table.put(noted("a1", "city1"));
            IndexDefinition shadow = ColumnsChange.begin(connection, byCityAndNote(fixture.name), BuildOptions.DEFAULT)
                    .orElseThrow();
            assertThat(Conditions.await(
                            PATIENCE, () -> IndexGenerations.stateOf(connection, fixture.name, shadow.name())
                                    .equals(Optional.of(IndexState.ACTIVE))))
                    .as("the shadow is built")
                    .isTrue();
            fixture.table.put(noted("a2", "city2"));
            for (IndexDefinition generation :
                    IndexGenerations.of(connection, fixture.name).loaded().values()) {
                ScrubReport report = IndexComparison.compare(connection, generation);
                assertThat(report.isClean()).as("%s", report).isTrue();
                assertThat(report.entries()).as("%s", report).isEqualTo(2);
            }
            assertThat(IndexGenerations.of(connection, fixture.name).names()).containsExactly(BY_CITY, shadow.name());
        }
    }

    @Test
    void aChangeIsCancelledOrDroppedWithItsIndex(Connection connection) throws Exception {
        try (IndexedFixture fixture = indexed(connection, IndexScheme.SYNC_INSERT);
                Admin hbase = connection.getAdmin()) {
            fixture.put("a1", "city1");
            IndexDefinition wanted = byCityAndNote(fixture.name);
            assertThat(ColumnsChange.begin(connection, wanted, BuildOptions.DEFAULT.paused()))
                    .isPresent();
            assertThatThrownBy(() -> fixture.admin.disableIndex(fixture.name, BY_CITY))
                    .hasMessageContaining("a change of its columns has begun");
            ColumnsChange.cancel(connection, fixture.name, BY_CITY);
            assertThat(fixture.rows(BY_CITY, "city1")).containsExactly("a1");
            assertThat(fixture.admin.stateOf(fixture.name, BY_CITY)).contains(IndexState.ACTIVE);
            assertThat(ColumnsChange.begin(connection, wanted, BuildOptions.DEFAULT.paused()))
                    .isPresent();
            fixture.admin.dropIndex(fixture.name, BY_CITY);
            assertThat(hbase.tableExists(TableName.valueOf(fixture.name + ".by_city.2")))
                    .isFalse();
            assertThat(fixture.admin.listIndexes(fixture.name)).isEmpty();
        }
    }
}
