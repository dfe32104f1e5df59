package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.it.IndexedFixture.CITY;
import static org.diffindex.it.IndexedFixture.F;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.hfile.HFile;
import org.apache.hadoop.hbase.io.hfile.HFileContextBuilder;
import org.apache.hadoop.hbase.tool.BulkLoadHFiles;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.diffindex.client.BuildListener;
import org.diffindex.client.BuildOptions;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.client.NoSuchIndexException;
import org.diffindex.cluster.Conditions;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexNotReadableException;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.model.Rebuild;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Operations of HBase on a table as a whole leave its indexes right, or are refused. */
@ExtendWith(ClusterExtension.class)
class TableOperationsIT {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final String SYNC = "by_city";
    private static final String ASYNC = "by_city_later";

    private final Connection connection;
    private final EmbeddedCluster cluster;
    private final Admin hbase;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicBoolean stopping = new AtomicBoolean();

    TableOperationsIT(Connection connection, EmbeddedCluster cluster) throws IOException {
        this.connection = connection;
        this.cluster = cluster;
        this.hbase = connection.getAdmin();
    }

    @AfterEach
    void stop() throws IOException {
        stopping.set(true);
        threads.shutdownNow();
        hbase.close();
    }

    private static IndexDefinition index(TableName table, String name, IndexScheme scheme) {
        return IndexDefinition.builder(table, name)
                .column("f", "city", ColumnTypes.STRING)
                .scheme(scheme)
                .build();
    }

    private IndexedFixture indexed() throws IOException {
        return new IndexedFixture(
                connection,
                1,
                name -> List.of(
                        index(name, SYNC, IndexScheme.SYNC_FULL), index(name, ASYNC, IndexScheme.ASYNC_SIMPLE)));
    }

    private static void awaitActive(IndexedFixture fixture) throws IOException {
        for (String index : List.of(SYNC, ASYNC)) {
            fixture.admin.awaitIndex(fixture.name, index, BuildListener.NONE);
            assertThat(fixture.admin.stateOf(fixture.name, index)).contains(IndexState.ACTIVE);
        }
    }

    private static TableName indexTable(IndexedFixture fixture, String index) {
        return IndexDefinition.indexTable(fixture.name, index);
    }

    private String idOf(IndexedFixture fixture, String index) throws IOException {
        return IndexDefinitions.indexIdOf(hbase.getDescriptor(indexTable(fixture, index)));
    }

    /** Reads until told to stop; returns the answers that were not empty. */
    private List<List<String>> answers(IndexedFixture fixture) throws IOException {
        List<List<String>> answers = new ArrayList<>();
        try (IndexedTable reader = new IndexedTable(connection, fixture.name)) {
            while (!stopping.get()) {
                try (IndexScanner hits =
                        reader.getByIndex(IndexQuery.index(SYNC).equalTo("Oslo").build())) {
                    List<String> rows = new ArrayList<>();
                    hits.forEach(hit -> rows.add(Bytes.toString(hit.row())));
                    if (!rows.isEmpty()) {
                        answers.add(rows);
                    }
                } catch (IOException | RuntimeException e) {
                    assertThat(e).as("a refusal").hasMessageNotContaining("internal error");
                }
            }
        }
        return answers;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theIndexesOfATruncatedTableHaveNothingOfBefore(boolean isPreserving) throws Exception {
        try (IndexedFixture fixture = indexed()) {
            fixture.put("a1", "Oslo");
            fixture.put("n1", "Oslo");
            String before = idOf(fixture, SYNC);
            hbase.disableTable(fixture.name);
            hbase.truncateTable(fixture.name, isPreserving);
            Future<List<List<String>>> reader = threads.submit(() -> answers(fixture));
            fixture.put("b2", "Bergen");
            awaitActive(fixture);
            fixture.put("u3", "Bergen");
            stopping.set(true);
            assertThat(reader.get()).as("rows that are gone").isEmpty();
            fixture.assertIndexesEqualBase();
            assertThat(fixture.rows(SYNC, "Bergen")).containsExactly("b2", "u3");
            assertThat(idOf(fixture, SYNC)).isNotEqualTo(before);
            assertThat(hbase.getRegions(fixture.name)).hasSize(isPreserving ? 4 : 1);
        }
    }

    /** HBase does not truncate a table that is enabled, and the indexes need not be rebuilt. */
    @Test
    void aTruncationThatHBaseRefusesConcernsNoIndex() throws Exception {
        try (IndexedFixture fixture = indexed()) {
            fixture.put("a1", "Oslo");
            String before = idOf(fixture, SYNC);
            assertThatThrownBy(() -> hbase.truncateTable(fixture.name, true))
                    .hasMessageContaining("TableNotDisabledException");
            assertThat(fixture.rows(SYNC, "Oslo")).containsExactly("a1");
            assertThat(idOf(fixture, SYNC)).isEqualTo(before);
        }
    }

    @Test
    void aRegionIsTruncatedBesideWritersOfTheOthers() throws Exception {
        try (IndexedFixture fixture = indexed()) {
            fixture.put("a1", "Oslo");
            fixture.put("c1", "Oslo");
            Future<?> writer = threads.submit(() -> {
                for (int i = 0; !stopping.get(); i++) {
                    fixture.put("n" + i % 50, "city" + i % 7);
                }
                return null;
            });
            hbase.truncateRegion(hbase.getRegions(fixture.name).get(0).getRegionName());
            awaitActive(fixture);
            stopping.set(true);
            writer.get(); // no write failed, or was told that its indexes are late
            fixture.assertIndexesEqualBase();
            assertThat(fixture.rows(SYNC, "Oslo")).containsExactly("c1");
        }
    }

    /** One of the indexes has had another id since the snapshot. */
    @Test
    void theIndexesOfARestoredTableHaveTheRowsOfThen() throws Exception {
        String snapshot = "of-a-table-to-restore";
        try (IndexedFixture fixture = indexed()) {
            fixture.put("a1", "Oslo");
            fixture.put("n1", "Oslo");
            hbase.snapshot(snapshot, fixture.name);
            fixture.put("a1", "Bergen");
            fixture.put("u2", "Oslo");
            fixture.admin.rebuildIndex(fixture.name, ASYNC, BuildOptions.DEFAULT);
            awaitActive(fixture);
            hbase.disableTable(fixture.name);
            hbase.restoreSnapshot(snapshot, false);
            Future<List<List<String>>> reader = threads.submit(() -> answers(fixture));
            hbase.enableTable(fixture.name);
            awaitActive(fixture);
            stopping.set(true);
            assertThat(reader.get()).as("answers").allMatch(List.of("a1", "n1")::equals);
            fixture.assertIndexesEqualBase();
            fixture.put("c3", "Oslo");
            assertThat(fixture.rows(SYNC, "Oslo")).containsExactly("a1", "c3", "n1");
            fixture.assertIndexesEqualBase();
            hbase.deleteSnapshot(snapshot);
        }
    }

    /** The second time while the indexes wait to be built: the table gets back the ids of then, which are none of theirs. */
    @Test
    void aTableThatIsRestoredTwiceHasTheRowsOfTheLastTime() throws Exception {
        List<String> snapshots = List.of("first-of-two", "second-of-two");
        try (IndexedFixture fixture = indexed()) {
            for (String snapshot : snapshots) {
                fixture.put(snapshot, "Oslo");
                hbase.snapshot(snapshot, fixture.name);
            }
            fixture.put("u1", "Oslo");
            hbase.disableTable(fixture.name);
            hbase.restoreSnapshot(snapshots.get(1), false);
            for (String index : List.of(SYNC, ASYNC)) {
                assertThat(Conditions.await(PATIENCE, () -> isDefinedAnew(fixture, index)))
                        .as("the master enters %s again", index)
                        .isTrue();
            }
            hbase.restoreSnapshot(snapshots.get(0), false);
            hbase.enableTable(fixture.name);
            awaitActive(fixture);
            fixture.assertIndexesEqualBase();
            assertThat(fixture.rows(SYNC, "Oslo")).containsExactly(snapshots.get(0));
            hbase.deleteSnapshots(Pattern.compile(".*-of-two"));
        }
    }

    private boolean isDefinedAnew(IndexedFixture fixture, String index) throws IOException {
        Set<String> ids = fixture.admin.listIndexes(fixture.name).stream()
                .map(IndexDefinition::id)
                .collect(Collectors.toSet());
        return hbase.listTableDescriptors().stream() // HBase has no descriptor of a table while it truncates it
                .filter(own -> own.getTableName().equals(indexTable(fixture, index)))
                .anyMatch(own -> !Rebuild.isDue(own) && ids.contains(IndexDefinitions.indexIdOf(own)));
    }

    @Test
    void aCloneHasNoIndexesAndLeavesThoseOfTheOriginalAlone() throws Exception {
        String snapshot = "of-a-table-to-clone";
        try (IndexedFixture fixture = indexed()) {
            fixture.put("a1", "Oslo");
            hbase.snapshot(snapshot, fixture.name);
            TableName name = TableName.valueOf("clone-of-" + fixture.name);
            hbase.cloneSnapshot(snapshot, name);
            try (Table clone = connection.getTable(name);
                    IndexedTable reader = new IndexedTable(connection, name)) {
                assertThat(fixture.admin.listIndexes(name)).isEmpty();
                assertThat(hbase.getDescriptor(name).getCoprocessorDescriptors())
                        .isEmpty();
                clone.put(IndexedFixture.putOf("b2", "Oslo"));
                assertThatThrownBy(
                                () -> reader.getByIndex(IndexQuery.index(SYNC).build()))
                        .isInstanceOf(NoSuchIndexException.class);
                assertThat(fixture.rows(SYNC, "Oslo")).containsExactly("a1");
                fixture.admin.createIndex(index(name, SYNC, IndexScheme.SYNC_FULL));
                try (IndexScanner hits =
                        reader.getByIndex(IndexQuery.index(SYNC).equalTo("Oslo").build())) {
                    assertThat(hits)
                            .extracting(IndexHit::row)
                            .extracting(Bytes::toString)
                            .containsExactly("a1", "b2");
                }
            }
            fixture.assertIndexesEqualBase();
            hbase.deleteSnapshot(snapshot);
        }
    }

    @Test
    void theTableOfAnIndexIsNeitherTruncatedNorRestoredNorClonedNorDeleted() throws Exception {
        String snapshot = "of-an-index";
        try (IndexedFixture fixture = indexed()) {
            fixture.put("a1", "Oslo");
            TableName own = indexTable(fixture, SYNC);
            byte[] region = hbase.getRegions(own).get(0).getRegionName();
            hbase.snapshot(snapshot, own);
            assertThatThrownBy(() -> hbase.truncateRegion(region)).hasMessageContaining("table of index " + SYNC);
            assertThatThrownBy(() -> hbase.cloneSnapshot(snapshot, TableName.valueOf("clone-of-an-index")))
                    .hasMessageContaining("create the index on the clone");
            hbase.disableTable(own);
            assertThatThrownBy(() -> hbase.truncateTable(own, true)).hasMessageContaining("rebuild the index instead");
            assertThatThrownBy(() -> hbase.deleteTable(own)).hasMessageContaining("drop the index instead");
            assertThatThrownBy(() -> hbase.restoreSnapshot(snapshot, false))
                    .hasStackTraceContaining("Restore a snapshot of the base table instead");
            hbase.enableTable(own);
            assertThat(fixture.rows(SYNC, "Oslo")).containsExactly("a1");
            hbase.deleteSnapshot(snapshot);
        }
    }

    @Test
    void aFamilyThatAnIndexReadsIsNotDropped() throws Exception {
        try (IndexedFixture fixture = indexed()) {
            fixture.put("a1", "Oslo");
            assertThatThrownBy(() -> hbase.deleteColumnFamily(fixture.name, F))
                    .hasMessageContaining("needs the column family f");
            hbase.deleteColumnFamily(fixture.name, Bytes.toBytes("g"));
            fixture.put("b2", "Oslo");
            assertThat(fixture.rows(SYNC, "Oslo")).containsExactly("a1", "b2");
        }
    }

    @Test
    void filesAreNotLoadedPastTheIndexes() throws Exception {
        Configuration conf = cluster.conf();
        Path folder = new Path(CommonFSUtils.getRootDir(conf), "to-load");
        FileSystem files = folder.getFileSystem(conf);
        try (IndexedFixture fixture = indexed()) {
            Path file = new Path(folder, "f/file");
            try (HFile.Writer writer = HFile.getWriterFactoryNoCache(conf)
                    .withPath(files, file)
                    .withFileContext(new HFileContextBuilder().build())
                    .create()) {
                writer.append(new KeyValue(Bytes.toBytes("a1"), F, CITY, 1, Bytes.toBytes("Oslo")));
            }
            assertThatThrownBy(() -> BulkLoadHFiles.create(conf).bulkLoad(fixture.name, folder))
                    .hasStackTraceContaining("Bulk load refused, nothing was loaded");
            fixture.assertIndexesEqualBase();
            assertThat(fixture.rows(SYNC, "Oslo")).isEmpty();
        } finally {
            assertThat(files.delete(folder, true)).isTrue();
        }
    }

    @Test
    void aTableThatIsDisabledAndEnabledAndThenDeletedLeavesNothing() throws Exception {
        try (IndexedFixture fixture = indexed()) {
            fixture.put("a1", "Oslo");
            hbase.disableTable(fixture.name);
            assertThatThrownBy(() -> hbase.deleteTable(fixture.name)).hasMessageContaining("drop them first");
            hbase.enableTable(fixture.name);
            fixture.put("b2", "Oslo");
            fixture.assertIndexesEqualBase();
            fixture.admin.dropIndex(fixture.name, SYNC);
            fixture.admin.dropIndex(fixture.name, ASYNC);
            hbase.disableTable(fixture.name);
            hbase.deleteTable(fixture.name);
            assertThat(hbase.tableExists(indexTable(fixture, SYNC))).isFalse();
            assertThat(hbase.tableExists(indexTable(fixture, ASYNC))).isFalse();
        }
    }

    private void assertIndexed(TableName name, UnaryOperator<TableDescriptorBuilder> properties, IndexScheme scheme)
            throws Exception {
        try (DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            admin.createTable(
                    properties
                            .apply(TableDescriptorBuilder.newBuilder(name)
                                    .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F)))
                            .build(),
                    new byte[][] {Bytes.toBytes("m")},
                    index(name, SYNC, scheme));
            try (Table table = connection.getTable(name);
                    IndexedTable reader = new IndexedTable(connection, name)) {
                table.put(IndexedFixture.putOf("a1", "Oslo"));
                table.put(IndexedFixture.putOf("n1", "Oslo"));
                table.put(IndexedFixture.putOf("a1", "Bergen"));
                try (IndexScanner hits = reader.getByIndex(
                        IndexQuery.index(SYNC).equalTo("Oslo").withRows().build())) {
                    assertThat(hits)
                            .extracting(hit -> Bytes.toString(hit.row()))
                            .containsExactly("n1");
                }
            }
        }
    }

    /** Only the first replica of a region maintains the indexes; the others would do it a second time. */
    @Test
    void aTableWithRegionReplicasIsIndexed() throws Exception {
        assertIndexed(
                TableName.valueOf("replicated-regions"), table -> table.setRegionReplication(2), IndexScheme.SYNC_FULL);
    }

    @Test
    void theTableOfAnIndexIsInTheNamespaceOfItsBaseTable() throws Exception {
        hbase.createNamespace(NamespaceDescriptor.create("indexed").build());
        TableName name = TableName.valueOf("indexed", "table");
        assertIndexed(name, table -> table, IndexScheme.SYNC_INSERT);
        assertThat(hbase.listTableNamesByNamespace("indexed"))
                .containsExactlyInAnyOrder(name, IndexDefinition.indexTable(name, SYNC));
        assertThatThrownBy(() -> hbase.deleteNamespace("indexed")).hasMessageContaining("empty namespaces");
    }

    /** The normalizer merges small regions, of the index as of its base table, and the balancer moves them. */
    @Test
    void regionsOfBothTablesAreMergedAndMoved() throws Exception {
        try (IndexedFixture fixture = indexed()) {
            for (int i = 0; i < 60; i++) {
                fixture.put((char) ('a' + i % 26) + "-" + i, "city" + i % 5);
            }
            hbase.modifyTable(TableDescriptorBuilder.newBuilder(hbase.getDescriptor(indexTable(fixture, SYNC)))
                    .setNormalizationEnabled(true)
                    .build());
            List<byte[]> regions = hbase.getRegions(fixture.name).stream()
                    .map(region -> region.getEncodedNameAsBytes())
                    .toList();
            hbase.move(regions.get(3));
            hbase.mergeRegionsAsync(new byte[][] {regions.get(0), regions.get(1)}, false)
                    .get();
            hbase.balance();
            fixture.put("a-0", "Oslo");
            fixture.assertIndexesEqualBase();
            assertThat(fixture.rows(SYNC, "Oslo")).containsExactly("a-0");
        }
    }

    /** Of a reader that knows the index as it was before, and of one that does not. */
    @Test
    void readersAreRefusedWhileTheIndexIsRebuilt() throws Exception {
        try (IndexedFixture fixture = indexed();
                IndexedTable another = new IndexedTable(connection, fixture.name)) {
            fixture.put("a1", "Oslo");
            assertThat(fixture.rows(SYNC, "Oslo")).containsExactly("a1");
            hbase.disableTable(fixture.name); // so that the index cannot be built
            hbase.truncateTable(fixture.name, true);
            hbase.disableTable(fixture.name);
            IndexQuery query = IndexQuery.index(SYNC).equalTo("Oslo").build();
            for (IndexedTable reader : List.of(fixture.indexed, another)) {
                assertThat(Conditions.await(PATIENCE, () -> isRefused(reader, query)))
                        .isTrue();
            }
            hbase.enableTable(fixture.name);
            awaitActive(fixture);
            assertThat(fixture.rows(SYNC, "Oslo")).isEmpty();
        }
    }

    /** Returns whether a reader is told that the index is built; else it is told that the index has gone, for a moment. */
    private static boolean isRefused(IndexedTable reader, IndexQuery query) throws IOException {
        try (IndexScanner hits = reader.getByIndex(query)) {
            throw new AssertionError("an answer from an index that is rebuilt: " + hits.next());
        } catch (IndexNotReadableException e) {
            return true;
        } catch (NoSuchIndexException | TableNotEnabledException e) {
            return false;
        }
    }
}
