package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.it.IndexedFixture.F;
import static org.diffindex.it.IndexedFixture.putOf;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.diffindex.client.Session;
import org.diffindex.cluster.Conditions;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Tests index tables that accept no writes for a while: the base table is written, flushed, moved, split and merged
 * meanwhile, and the indexes follow as soon as they can.
 */
@ExtendWith(ClusterExtension.class)
class OutageIT {
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Connection connection;
    private IndexedFixture fixture;
    private Admin hbase;

    OutageIT(Connection connection) {
        this.connection = connection;
    }

    @BeforeEach
    void makeTableWithAsynchronousIndexes() throws IOException {
        fixture = new IndexedFixture(connection, 1, name -> {
            List<IndexDefinition> indexes = new ArrayList<>();
            for (IndexScheme scheme : List.of(IndexScheme.ASYNC_SIMPLE, IndexScheme.ASYNC_SESSION)) {
                indexes.add(IndexDefinition.builder(name, scheme.schemeName())
                        .column("f", "city", ColumnTypes.STRING)
                        .scheme(scheme)
                        .build());
            }
            return indexes;
        });
        hbase = connection.getAdmin();
        for (int i = 0; i < 200; i++) {
            fixture.put(row(i), "before" + i % 7);
        }
        fixture.drain();
        for (TableName index : indexTables()) {
            hbase.disableTable(index);
        }
    }

    @AfterEach
    void close() throws IOException {
        hbase.close();
        fixture.close();
    }

    private List<TableName> indexTables() throws IOException {
        return fixture.admin.listIndexes(fixture.name).stream()
                .map(IndexDefinition::indexTable)
                .toList();
    }

    private static String row(int i) {
        return (char) ('a' + i % 26) + "-" + i;
    }

    private void writeDuringTheOutage() throws IOException {
        List<Put> puts = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            puts.add(putOf(row(i), "during" + i % 5));
        }
        fixture.table.put(puts);
        for (int i = 0; i < 200; i += 3) {
            fixture.table.delete(new Delete(Bytes.toBytes(row(i))));
            fixture.put(row(i + 1), "last");
        }
    }

    private void assertTheIndexesFollow() throws IOException {
        for (TableName index : indexTables()) {
            hbase.enableTable(index);
        }
        assertThat(fixture.admin.drain(fixture.name, PATIENCE)).isZero();
        fixture.assertIndexesEqualBase();
        assertThat(Conditions.await(PATIENCE, () -> spillFiles().isEmpty()))
                .as("files left: %s", spillFiles())
                .isTrue();
    }

    private List<String> spillFiles() throws IOException {
        Path folder = new Path(
                CommonFSUtils.getRootDir(connection.getConfiguration()),
                "diffindex/spill/default/" + fixture.name.getQualifierAsString());
        FileSystem fileSystem = folder.getFileSystem(connection.getConfiguration());
        List<String> names = new ArrayList<>();
        if (fileSystem.exists(folder)) {
            var files = fileSystem.listFiles(folder, true);
            while (files.hasNext()) {
                String name = files.next().getPath().getName();
                if (!name.startsWith(".looked") && !name.startsWith(".from-")) { // these are kept
                    names.add(name);
                }
            }
        }
        return names;
    }

    @Test
    void indexesFollowABaseThatIsFlushedAndCompacted() throws Exception {
        writeDuringTheOutage();
        hbase.flush(fixture.name);
        assertThat(spillFiles()).isNotEmpty();
        writeDuringTheOutage();
        hbase.flush(fixture.name);
        hbase.majorCompact(fixture.name);
        assertTheIndexesFollow();
    }

    @Test
    void indexesFollowABaseThatIsClosedAndOpenedAgain() throws Exception {
        writeDuringTheOutage();
        hbase.disableTable(fixture.name);
        hbase.enableTable(fixture.name);
        writeDuringTheOutage();
        assertTheIndexesFollow();
    }

    @Test
    void indexesFollowABaseThatIsMoved() throws Exception {
        writeDuringTheOutage();
        for (RegionInfo region : hbase.getRegions(fixture.name)) {
            hbase.move(region.getEncodedNameAsBytes());
        }
        writeDuringTheOutage();
        assertTheIndexesFollow();
    }

    @Test
    void theDaughtersOfASplitDeliverTheParentsUpdates() throws Exception {
        writeDuringTheOutage();
        RegionInfo first = hbase.getRegions(fixture.name).get(1);
        hbase.splitRegionAsync(first.getRegionName(), Bytes.toBytes("f")).get();
        writeDuringTheOutage();
        assertTheIndexesFollow();
    }

    @Test
    void aMergedRegionDeliversTheParentsUpdates() throws Exception {
        writeDuringTheOutage();
        List<RegionInfo> regions = hbase.getRegions(fixture.name);
        hbase.mergeRegionsAsync(
                        new byte[][] {
                            regions.get(0).getEncodedNameAsBytes(),
                            regions.get(1).getEncodedNameAsBytes()
                        },
                        false)
                .get();
        writeDuringTheOutage();
        assertTheIndexesFollow();
    }

    @Test
    void anIndexThatIsDroppedAndCreatedAgainReceivesNoUpdatesOfTheOldOne() throws Exception {
        writeDuringTheOutage();
        hbase.flush(fixture.name);
        IndexDefinition dropped = fixture.admin.describeIndex(fixture.name, "async-simple");
        fixture.admin.dropIndex(fixture.name, "async-simple");
        writeDuringTheOutage();
        fixture.admin.createIndex(IndexDefinition.builder(fixture.name, "async-simple")
                .column("f", "city", ColumnTypes.STRING)
                .scheme(dropped.scheme())
                .build());
        TableName other =
                fixture.admin.describeIndex(fixture.name, "async-session").indexTable();
        hbase.enableTable(other);
        assertThat(fixture.admin.drain(fixture.name, PATIENCE)).isZero();
        fixture.assertIndexesEqualBase();
    }

    @Test
    void aWriteReportsThatASynchronousIndexIsBehind() throws Exception {
        fixture.admin.createIndex(IndexDefinition.builder(fixture.name, "sync")
                .column("f", "city", ColumnTypes.STRING)
                .scheme(IndexScheme.SYNC_FULL)
                .build());
        TableName sync = fixture.admin.describeIndex(fixture.name, "sync").indexTable();
        hbase.disableTable(sync);
        assertThatThrownBy(() -> fixture.put("a-behind", "here"))
                .isInstanceOf(IndexUpdateDelayedException.class)
                .hasMessageContaining("the base row is durable and the index will follow");
        assertThat(Bytes.toString(fixture.table
                        .get(new org.apache.hadoop.hbase.client.Get(Bytes.toBytes("a-behind")))
                        .getValue(F, IndexedFixture.CITY)))
                .isEqualTo("here");
        try (Session session = fixture.indexed.openSession()) {
            assertThatThrownBy(() -> session.put(putOf("b-behind", "here")))
                    .isInstanceOf(IndexUpdateDelayedException.class)
                    .hasMessageStartingWith(IndexUpdateDelayedException.DESCRIPTION);
        }
        assertTheIndexesFollow(sync);
    }

    private void assertTheIndexesFollow(TableName disabledLast) throws IOException {
        hbase.enableTable(disabledLast);
        for (TableName index : indexTables()) {
            if (hbase.isTableDisabled(index)) {
                hbase.enableTable(index);
            }
        }
        assertThat(fixture.admin.drain(fixture.name, PATIENCE)).isZero();
        fixture.assertIndexesEqualBase();
    }
}
