package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.it.IndexedFixture.putOf;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.BackfillListener;
import org.diffindex.client.BackfillProgress;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexState;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The creation of indexes on tables with rows: bounded calls and interruptions. */
@ExtendWith(ClusterExtension.class)
class CreationIT {
    private static final int ROWS = 500;

    @Test
    void resumesAfterAClientDiedAndRegionsSplit(Connection connection) throws Exception {
        try (IndexedFixture fixture = rows(connection);
                Admin hbase = connection.getAdmin()) {
            IndexDefinition index = IndexDefinition.builder(fixture.name, "by_city")
                    .column("f", "city", ColumnTypes.STRING)
                    .build();
            assertThatThrownBy(() -> fixture.admin.createIndex(index, CreationIT::die))
                    .hasMessageContaining("again with the same definition to resume");
            assertThat(fixture.admin.stateOf(fixture.name, "by_city")).contains(IndexState.BUILDING);
            fixture.put("p", "Oslo");
            RegionInfo last = hbase.getRegions(fixture.name).get(3);
            hbase.splitRegionAsync(last.getRegionName(), Bytes.toBytes("w")).get();

            List<IndexDefinition> continued = new ArrayList<>();
            fixture.admin.createIndex(index, new BackfillListener() {
                @Override
                public void backfilled(BackfillProgress progress) {}

                @Override
                public void continued(IndexDefinition begun) {
                    continued.add(begun);
                }
            });
            assertThat(continued).hasSize(1);
            assertThat(fixture.admin.stateOf(fixture.name, "by_city")).contains(IndexState.ACTIVE);
            fixture.assertIndexesEqualBase();
        }
    }

    private static void die(BackfillProgress progress) {
        if (progress.regionsDone() > 0) {
            throw new IllegalStateException("the client died");
        }
    }

    /** Nearly all rows lack the column; each call reads few of them. */
    @Test
    void backfillsASparseColumnInManyCalls(Connection connection) throws Exception {
        Configuration conf = new Configuration(connection.getConfiguration());
        conf.setInt("diffindex.client.fill.rows", 20);
        try (IndexedFixture fixture = rows(connection);
                Connection impatient = ConnectionFactory.createConnection(conf);
                DiffIndexAdmin admin = new DiffIndexAdmin(impatient)) {
            fixture.table.put(putOf("n", "Oslo", 7));
            List<BackfillProgress> progress = new ArrayList<>();
            admin.createIndex(
                    IndexDefinition.builder(fixture.name, "by_age")
                            .column("f", "age", ColumnTypes.INT)
                            .build(),
                    progress::add);
            assertThat(progress).hasSizeGreaterThan(ROWS / 20);
            assertThat(progress.get(progress.size() - 1).rowsRead())
                    .isBetween(ROWS + 1L, ROWS + 4L); // three regions start at a key that is not a row
            assertThat(progress.get(progress.size() - 1).rows()).isEqualTo(1);
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
