package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.it.IndexedFixture.putOf;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.BuildListener;
import org.diffindex.client.BuildOptions;
import org.diffindex.client.BuildStatus;
import org.diffindex.cluster.Conditions;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The creation of indexes on tables with rows: bounded pages and interruptions. */
@ExtendWith(ClusterExtension.class)
class CreationIT {
    private static final int ROWS = 500;

    @Test
    void aBuildGoesOnWhereItWasAfterRegionsSplit(Connection connection) throws Exception {
        try (IndexedFixture fixture = rows(connection);
                Admin hbase = connection.getAdmin()) {
            IndexDefinition index = IndexDefinition.builder(fixture.name, "by_city")
                    .column("f", "city", ColumnTypes.STRING)
                    .build();
            fixture.admin.beginIndex(index, BuildOptions.DEFAULT.limitedTo(100));
            assertThat(Conditions.await(
                            Duration.ofMinutes(1),
                            () -> fixture.admin
                                            .builds()
                                            .status(fixture.name, "by_city")
                                            .rows()
                                    > 0))
                    .as("a page was written")
                    .isTrue();
            fixture.admin.builds().pause(fixture.name, "by_city");
            assertThat(fixture.admin.stateOf(fixture.name, "by_city")).contains(IndexState.BUILDING);
            fixture.put("p", "Oslo");
            RegionInfo last = hbase.getRegions(fixture.name).get(3);
            hbase.splitRegionAsync(last.getRegionName(), Bytes.toBytes("w")).get();

            List<IndexDefinition> continued = new ArrayList<>();
            fixture.admin.createIndex(index, new BuildListener() {
                @Override
                public void progress(BuildStatus status) {}

                @Override
                public void continued(IndexDefinition begun) {
                    continued.add(begun);
                    go(fixture);
                }
            });
            assertThat(continued).hasSize(1);
            assertThat(fixture.admin.stateOf(fixture.name, "by_city")).contains(IndexState.ACTIVE);
            fixture.assertIndexesEqualBase();
        }
    }

    private static void go(IndexedFixture fixture) {
        try {
            fixture.admin.builds().limit(fixture.name, "by_city", 0);
            fixture.admin.builds().resume(fixture.name, "by_city");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Nearly all rows lack the column; a page has a fiftieth of them. */
    @Test
    void buildsASparseColumnInManyPages(Connection connection) throws Exception {
        try (IndexedFixture fixture = rows(connection)) {
            fixture.table.put(putOf("n", "Oslo", 7));
            fixture.admin.beginIndex(
                    IndexDefinition.builder(fixture.name, "by_age")
                            .column("f", "age", ColumnTypes.INT)
                            .build(),
                    BuildOptions.DEFAULT.limitedTo(ROWS / 5.0));
            List<BuildStatus> told = new ArrayList<>();
            fixture.admin.awaitIndex(fixture.name, "by_age", told::add);
            BuildStatus last = told.get(told.size() - 1);
            assertThat(told).extracting(BuildStatus::rows).isSorted().hasSizeGreaterThan(5);
            assertThat(last.rows()).isBetween(ROWS + 1L, ROWS + 4L); // three regions start at a key that is not a row
            assertThat(last.entries()).isEqualTo(1);
            assertThat(fixture.rows("by_age", 7)).containsExactly("n");
        }
    }

    /** Creates a table without an index, and rows in each of its regions. */
    private static IndexedFixture rows(Connection connection) throws IOException {
        IndexedFixture fixture = new IndexedFixture(connection, 1, name -> List.of());
        List<Put> puts = new ArrayList<>();
        for (int i = 0; i < ROWS; i++) {
            puts.add(putOf((char) ('a' + i % 26) + "%03d".formatted(i), "city" + i % 7));
        }
        fixture.table.put(puts);
        return fixture;
    }
}
