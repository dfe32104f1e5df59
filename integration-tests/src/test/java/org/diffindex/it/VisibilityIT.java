package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.it.IndexedFixture.CITY;
import static org.diffindex.it.IndexedFixture.F;
import static org.diffindex.it.IndexedFixture.putOf;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.hbase.security.visibility.Authorizations;
import org.apache.hadoop.hbase.security.visibility.CellVisibility;
import org.apache.hadoop.hbase.security.visibility.VisibilityClient;
import org.apache.hadoop.hbase.security.visibility.VisibilityController;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.cluster.Conditions;
import org.diffindex.model.IndexAddress;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.verify.Difference;
import org.diffindex.verify.IndexComparison;
import org.diffindex.verify.ScrubReport;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Indexed tables beside HBase's VisibilityController: cells with a label have no entry and are shown to nobody by an
 * index, and tombstones hide what the labels let them hide.
 */
@Isolated
@Tag("proof")
@Tag("turn-3")
class VisibilityIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final String SECRET = "secret";
    private static final String PRIVATE = "private";

    private static ControlledCluster cluster;

    private IndexedFixture fixture;

    @BeforeAll
    static void startAndLabel() throws IOException {
        cluster = new ControlledCluster(VisibilityController.class);
        try {
            assertThat(Conditions.await(PATIENCE, VisibilityIT::addsLabels))
                    .as("labels are added")
                    .isTrue();
            VisibilityClient.setAuths(cluster.superuser, new String[] {SECRET, PRIVATE}, "cleared");
        } catch (Throwable e) { // as VisibilityClient declares
            throw new IOException(e);
        }
    }

    private static boolean addsLabels() throws IOException {
        try {
            return VisibilityClient.addLabels(cluster.superuser, new String[] {SECRET, PRIVATE})
                    .getResultList()
                    .stream()
                    .noneMatch(result -> result.hasException());
        } catch (TableNotFoundException e) { // the master creates the table of labels after it has started
            return false;
        } catch (Throwable e) { // as VisibilityClient declares
            throw new IOException(e);
        }
    }

    @AfterAll
    static void stop() throws IOException {
        if (cluster != null) {
            cluster.close();
        }
    }

    @BeforeEach
    void create() throws IOException {
        fixture = new IndexedFixture(cluster.superuser, 5, IndexedFixture::indexOfEachScheme);
        for (String user : List.of("cleared", "uncleared")) {
            cluster.grant(user, fixture.name, Action.READ, Action.WRITE);
            cluster.awaitGranted(user, fixture.name);
            for (IndexDefinition index : fixture.admin.listIndexes(fixture.name)) {
                cluster.awaitGranted(user, index.indexTable());
            }
        }
    }

    private static <M extends Mutation> M labelled(M mutation, String label) {
        mutation.setCellVisibility(new CellVisibility(label));
        return mutation;
    }

    private void write(String user, Put... puts) throws IOException {
        try (Table table = cluster.as(user).getTable(fixture.name)) {
            table.put(List.of(puts));
        }
    }

    /** Returns the rows that a user finds by a value. */
    private List<String> rows(String user, IndexScheme scheme, String city, boolean withRows) throws IOException {
        IndexQuery.Builder query = IndexQuery.index(scheme.schemeName()).equalTo(city);
        List<String> rows = new ArrayList<>();
        try (IndexedTable table = new IndexedTable(cluster.as(user), fixture.name);
                IndexScanner hits = table.getByIndex(withRows ? query.withRows().build() : query.build())) {
            for (IndexHit hit : hits) {
                rows.add(Bytes.toString(hit.row()));
            }
        }
        return rows;
    }

    private List<String> keys(IndexScheme scheme) throws IOException {
        List<String> keys = new ArrayList<>();
        TableName name =
                fixture.admin.describeIndex(fixture.name, scheme.schemeName()).indexTable();
        try (Table table = cluster.superuser.getTable(name);
                ResultScanner entries = table.getScanner(new Scan())) {
            entries.forEach(entry -> keys.add(Bytes.toStringBinary(entry.getRow())));
        }
        return keys;
    }

    @Test
    void aLabelledCellIsFoundByNobodyAndIsInNoIndex() throws IOException {
        write("cleared", labelled(putOf("p-secret", "Lima"), SECRET), putOf("p-open", "Lima"));
        fixture.drain();
        for (IndexScheme scheme : IndexScheme.values()) {
            for (String user : List.of("cleared", "uncleared")) {
                assertThat(rows(user, scheme, "Lima", false))
                        .as("%s by %s", scheme, user)
                        .containsExactly("p-open");
                assertThat(rows(user, scheme, "Lima", true))
                        .as("%s by %s", scheme, user)
                        .containsExactly("p-open");
            }
            assertThat(keys(scheme)).as("%s", scheme).hasSize(1);
        }
    }

    /** The older value is one that HBase shows to readers without the label. */
    @Test
    void aRowWhoseValueGetsALabelIsFoundByNoIndex() throws IOException {
        write("cleared", putOf("p-turned", "Lima"));
        fixture.drain();
        write("cleared", labelled(putOf("p-turned", "Quito"), SECRET));
        fixture.drain();
        for (IndexScheme scheme : IndexScheme.values()) {
            for (String city : List.of("Lima", "Quito")) {
                assertThat(rows("uncleared", scheme, city, false))
                        .as("%s %s", scheme, city)
                        .isEmpty();
                assertThat(rows("cleared", scheme, city, false))
                        .as("%s %s", scheme, city)
                        .isEmpty();
            }
            assertThat(Conditions.await(PATIENCE, () -> keys(scheme).isEmpty()))
                    .as("%s: %s", scheme, keys(scheme))
                    .isTrue();
        }
    }

    /** HBase hides by a delete only what has the delete's labels. */
    @Test
    void aDeleteHidesWhatItsLabelLetsItHide() throws IOException {
        write("cleared", putOf("p-open", "Lima"), putOf("p-both", "Lima"));
        write("cleared", labelled(putOf("p-both", "Quito"), SECRET));
        fixture.drain();
        try (Table table = cluster.as("cleared").getTable(fixture.name)) {
            table.delete(labelled(new Delete(Bytes.toBytes("p-open")).addColumns(F, CITY), SECRET)); // hides nothing
            table.delete(labelled(new Delete(Bytes.toBytes("p-both")).addColumns(F, CITY), SECRET)); // hides Quito
        }
        assertIndexesFollowFromWhatHBaseShows();
        for (IndexScheme scheme : IndexScheme.values()) {
            assertThat(rows("uncleared", scheme, "Lima", false))
                    .as("%s", scheme)
                    .containsExactly("p-both", "p-open");
        }
        try (Table table = cluster.as("cleared").getTable(fixture.name)) {
            table.delete(new Delete(Bytes.toBytes("p-both")));
        }
        assertIndexesFollowFromWhatHBaseShows();
        for (IndexScheme scheme : IndexScheme.values()) {
            assertThat(rows("uncleared", scheme, "Lima", false))
                    .as("%s", scheme)
                    .containsExactly("p-open");
        }
    }

    /** HBase puts the filter that hides labelled cells behind the filter of a scan, which must not stop at the first cell. */
    @Test
    void aScrubMeetsRowsWhoseFirstCellIsHidden() throws IOException {
        byte[] before = Bytes.toBytes("a");
        assertThat(Bytes.compareTo(before, CITY)).isNegative();
        for (String row : List.of("p-1", "p-2", "p-3")) {
            write("cleared", putOf(row, "Lima"));
            write("cleared", labelled(new Put(Bytes.toBytes(row)).addColumn(F, before, CITY), SECRET));
        }
        fixture.drain();
        cluster.grant("auditor", fixture.name, Action.READ, Action.ADMIN);
        cluster.awaitGranted("auditor", fixture.name);
        for (IndexDefinition index : fixture.admin.listIndexes(fixture.name)) {
            cluster.awaitGranted("auditor", index.indexTable());
            removeAnEntry(index);
            ScrubReport report = IndexComparison.compare(cluster.as("auditor"), index);
            assertThat(report.rows()).as("%s", report).isEqualTo(3);
            assertThat(report.found()).as("%s", report).isEqualTo(Map.of(Difference.MISSING, 1L));
        }
    }

    private static void removeAnEntry(IndexDefinition index) throws IOException {
        try (Table own = cluster.superuser.getTable(index.indexTable());
                ResultScanner entries = own.getScanner(new Scan())) {
            Delete delete = index.entryFormat().delete(entries.next().getRow(), System.currentTimeMillis());
            own.delete(IndexAddress.of(delete, index.id()));
        }
    }

    /** HBase labels what an Append came to after the hooks in which an index checks writes. */
    @Test
    void anAppendThatLabelsItsCellEndsTheEntry() throws IOException {
        write("cleared", putOf("p-appended", "Li"), putOf("p-open", "Li"));
        try (Table table = cluster.as("cleared").getTable(fixture.name)) {
            table.append(new Append(Bytes.toBytes("p-open")).addColumn(F, CITY, Bytes.toBytes("ma")));
            table.append(
                    labelled(new Append(Bytes.toBytes("p-appended")).addColumn(F, CITY, Bytes.toBytes("ma")), SECRET));
        }
        assertIndexesFollowFromWhatHBaseShows();
        for (IndexScheme scheme : IndexScheme.values()) {
            assertThat(rows("cleared", scheme, "Lima", false)).as("%s", scheme).containsExactly("p-open");
        }
    }

    @Test
    void aConditionalPutWithALabelHasNoEntry() throws IOException {
        byte[] row = Bytes.toBytes("p-conditional");
        write("cleared", putOf("p-conditional", "Lima"));
        try (Table table = cluster.as("cleared").getTable(fixture.name)) {
            assertThat(table.checkAndMutate(CheckAndMutate.newBuilder(row)
                                    .ifEquals(F, CITY, Bytes.toBytes("Lima"))
                                    .build(labelled(putOf("p-conditional", "Quito"), SECRET)))
                            .isSuccess())
                    .isTrue();
        }
        assertIndexesFollowFromWhatHBaseShows();
        for (IndexScheme scheme : IndexScheme.values()) {
            assertThat(rows("cleared", scheme, "Quito", false)).as("%s", scheme).isEmpty();
        }
    }

    /** The VisibilityController refuses one write of a batch within the hook that precedes the index's. */
    @Test
    void aWriteWithAnUnknownLabelIsRefusedAloneAndHasNoEntry() throws IOException, InterruptedException {
        List<Put> puts = List.of(putOf("p-1", "Lima"), labelled(putOf("p-2", "Lima"), "unknown"), putOf("p-3", "Lima"));
        Object[] results = new Object[puts.size()];
        try (Table table = cluster.as("cleared").getTable(fixture.name)) {
            assertThatThrownBy(() -> table.batch(puts, results)).isInstanceOf(IOException.class);
        }
        assertThat(results[0]).isInstanceOf(Result.class);
        assertThat(results[1]).isInstanceOf(Throwable.class);
        assertThat(results[2]).isInstanceOf(Result.class);
        assertIndexesFollowFromWhatHBaseShows();
        for (IndexScheme scheme : IndexScheme.values()) {
            assertThat(rows("cleared", scheme, "Lima", false)).as("%s", scheme).containsExactly("p-1", "p-3");
        }
    }

    @Test
    void randomLabelledWritesBesideFlushesAndMoves() throws IOException {
        long seed = Long.getLong("diffindex.seed", 1);
        Random random = new Random(seed);
        try (Table table = cluster.as("cleared").getTable(fixture.name);
                Admin admin = cluster.superuser.getAdmin()) {
            for (int round = 0; round < 6; round++) {
                for (int i = 0; i < 60; i++) {
                    apply(table, random);
                }
                assertIndexesFollowFromWhatHBaseShows();
                if (round % 2 == 0) {
                    admin.flush(fixture.name);
                } else {
                    moveTheRegions(admin);
                }
            }
        }
    }

    private static void apply(Table table, Random random) throws IOException {
        byte[] row = Bytes.toBytes((char) ('a' + random.nextInt(6) * 4) + "-row");
        String label = List.of("", SECRET, PRIVATE, SECRET + "|" + PRIVATE).get(random.nextInt(4));
        Mutation mutation =
                switch (random.nextInt(6)) {
                    case 0 -> new Delete(row).addColumns(F, CITY);
                    case 1 -> new Delete(row).addColumn(F, CITY);
                    case 2 -> new Delete(row);
                    default -> new Put(row).addColumn(F, CITY, Bytes.toBytes("City " + random.nextInt(3)));
                };
        if (!label.isEmpty()) {
            mutation.setCellVisibility(new CellVisibility(label));
        }
        if (mutation instanceof Put put) {
            table.put(put);
        } else {
            table.delete((Delete) mutation);
        }
    }

    private void moveTheRegions(Admin admin) throws IOException {
        try (RegionLocator locator = cluster.superuser.getRegionLocator(fixture.name)) {
            for (HRegionLocation region : locator.getAllRegionLocations()) {
                admin.move(region.getRegion().getEncodedNameAsBytes());
            }
        }
    }

    /**
     * Asserts that each index has an entry for each row whose newest visible cell has no label, and no other. Such a
     * cell is one that a reader without labels and one with all of them see as the newest.
     */
    private void assertIndexesFollowFromWhatHBaseShows() throws IOException {
        fixture.drain();
        Map<String, String> all = newest("cleared", new Authorizations(SECRET, PRIVATE));
        Map<String, String> open = newest("uncleared", new Authorizations());
        List<String> expected = all.entrySet().stream()
                .filter(cell -> cell.getValue().equals(open.get(cell.getKey())))
                .map(cell -> cell.getKey() + "@" + cell.getValue())
                .toList();
        for (IndexDefinition index : fixture.admin.listIndexes(fixture.name)) {
            assertThat(hits(cluster.as("uncleared"), index))
                    .as("%s", index)
                    .containsExactlyInAnyOrderElementsOf(expected);
            assertThat(IndexComparison.compare(cluster.superuser, index).isClean())
                    .as("a comparison of %s", index)
                    .isTrue();
        }
    }

    private Map<String, String> newest(String user, Authorizations labels) throws IOException {
        Map<String, String> cells = new TreeMap<>();
        try (Table table = cluster.as(user).getTable(fixture.name);
                ResultScanner rows =
                        table.getScanner(new Scan().addColumn(F, CITY).setAuthorizations(labels))) {
            for (Result row : rows) {
                Cell cell = row.getColumnLatestCell(F, CITY);
                cells.put(Bytes.toString(row.getRow()), Bytes.toString(row.value()) + "@" + cell.getTimestamp());
            }
        }
        return cells;
    }

    private List<String> hits(Connection connection, IndexDefinition index) throws IOException {
        List<String> found = new ArrayList<>();
        try (IndexedTable table = new IndexedTable(connection, fixture.name);
                IndexScanner hits =
                        table.getByIndex(IndexQuery.index(index.name()).build())) {
            for (IndexHit hit : hits) {
                found.add(Bytes.toString(hit.row()) + "@" + hit.text().get(0) + "@" + hit.timestamp());
            }
        }
        return found;
    }
}
