package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.diffindex.it.IndexedFixture.F;
import static org.diffindex.it.IndexedFixture.putOf;

import com.google.protobuf.ByteString;
import com.google.protobuf.ServiceException;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.security.access.GetUserPermissionsRequest;
import org.apache.hadoop.hbase.security.access.Permission;
import org.apache.hadoop.hbase.security.access.Permission.Action;
import org.apache.hadoop.hbase.security.access.UserPermission;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.BuildListener;
import org.diffindex.client.BuildOptions;
import org.diffindex.client.BuildStatus;
import org.diffindex.client.ColumnsChange;
import org.diffindex.client.ColumnsChangeListener;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.client.Inspector;
import org.diffindex.client.Session;
import org.diffindex.client.SessionOptions;
import org.diffindex.cluster.Conditions;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.model.SessionChange;
import org.diffindex.protocol.DiffIndexProtos.BuildRequest;
import org.diffindex.protocol.DiffIndexProtos.CheckRequest;
import org.diffindex.protocol.DiffIndexProtos.DiffIndexService;
import org.diffindex.verify.IndexComparison;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The operations that HBase's AccessController and Diff-Index together permit to each user. */
@Isolated
class AccessIT {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final String SYNC_INSERT = IndexScheme.SYNC_INSERT.schemeName();

    private static ControlledCluster cluster;
    private static IndexedFixture fixture;
    private static AccessMatrix matrix;

    @BeforeAll
    static void startAndGrant() throws IOException {
        cluster = new ControlledCluster();
        fixture = new IndexedFixture(cluster.superuser, 1, IndexedFixture::indexOfEachScheme);
        cluster.grant("writer", fixture.name, Action.WRITE);
        cluster.grant("creator", fixture.name, Action.CREATE);
        cluster.grant("admin", fixture.name, Action.ADMIN);
        cluster.grant("user", fixture.name, Action.READ, Action.WRITE);
        matrix = new AccessMatrix(cluster, fixture);
        matrix.grant();
        cluster.grant("reader", fixture.name, Action.READ);
        for (IndexDefinition index : fixture.admin.listIndexes(fixture.name)) {
            cluster.grant("admin", index.indexTable(), Action.ADMIN, Action.WRITE);
            cluster.awaitGranted("reader", index.indexTable()); // the master has given it
        }
        cluster.awaitGranted("reader", fixture.name);
    }

    @AfterAll
    static void stop() throws IOException {
        if (fixture != null) {
            fixture.close();
        }
        if (cluster != null) {
            cluster.close();
        }
    }

    private static Set<String> allowedCalls(String user) throws IOException {
        IndexDefinition index = fixture.admin.describeIndex(fixture.name, SYNC_INSERT);
        Set<String> allowed = new TreeSet<>();
        try (Table base = cluster.as(user).getTable(fixture.name)) {
            for (String call : IndexCalls.ALL) {
                if (Grants.isAllowed(() -> IndexCalls.call(call, base, index))) {
                    allowed.add(call);
                }
            }
        }
        return allowed;
    }

    private static BuildRequest.Builder buildRequest(IndexDefinition index) {
        return BuildRequest.newBuilder().setIndex(index.name()).setIndexId(index.id());
    }

    private static List<String> rows(String user, IndexQuery query) throws IOException {
        List<String> rows = new ArrayList<>();
        try (IndexedTable table = new IndexedTable(cluster.as(user), fixture.name);
                IndexScanner hits = table.getByIndex(query)) {
            for (IndexHit hit = hits.next(); hit != null; hit = hits.next()) {
                rows.add(Bytes.toString(hit.row()));
            }
        }
        return rows;
    }

    private static List<String> rows(String user, String index, String city) throws IOException {
        return rows(user, IndexQuery.index(index).equalTo(city).build());
    }

    private static void write(String user, List<Put> puts) throws IOException {
        try (Table table = cluster.as(user).getTable(fixture.name)) {
            table.put(puts);
        }
    }

    /** Returns the keys in an index table, whether readers would return them or not. */
    private static List<String> keys(String index, String prefix) throws IOException {
        List<String> keys = new ArrayList<>();
        TableName name = fixture.admin.describeIndex(fixture.name, index).indexTable();
        try (Table table = cluster.superuser.getTable(name);
                ResultScanner entries =
                        table.getScanner(new Scan().setStartStopRowForPrefixScan(Bytes.toBytes(prefix)))) {
            for (Result entry : entries) {
                keys.add(Bytes.toStringBinary(entry.getRow()));
            }
        }
        return keys;
    }

    @Test
    void eachCallRequiresItsPermission() throws IOException {
        int orders = 1; // a call of Build that requires more than the others
        assertThat(IndexCalls.ALL)
                .hasSize(DiffIndexService.getDescriptor().getMethods().size() + orders);
        Set<String> readers = Set.of("Build", "Check", "Definitions", "ReportStale", "Status");
        Set<String> writers = Set.of("Build", "Check", "Definitions", "ReportStale", "Status", "Drain");
        assertThat(allowedCalls("stranger")).isEmpty();
        assertThat(allowedCalls("reader")).isEqualTo(readers);
        assertThat(allowedCalls("writer")).isEqualTo(writers);
        assertThat(allowedCalls("user")).isEqualTo(writers);
        assertThat(allowedCalls("creator")).containsExactlyElementsOf(IndexCalls.ALL);
        assertThat(allowedCalls("admin")).containsExactlyElementsOf(IndexCalls.ALL);
    }

    /** All readers of the index see all its keys. */
    @Test
    void aCellWithAnAclOfItsOwnIsNotIndexed() throws IOException {
        Put secret = putOf("p-secret", "Secret");
        secret.setACL("reader", new Permission(Action.READ));
        write("user", List.of(secret, putOf("p-open", "Secret")));
        fixture.drain();
        for (IndexScheme scheme : IndexScheme.values()) {
            assertThat(rows("reader", scheme.schemeName(), "Secret"))
                    .as("%s", scheme)
                    .containsExactly("p-open");
            assertThat(keys(scheme.schemeName(), "Secret")).as("%s", scheme).hasSize(1);
            assertThat(IndexComparison.compare(
                                    cluster.superuser, fixture.admin.describeIndex(fixture.name, scheme.schemeName()))
                            .isClean())
                    .as("a scrub of %s, which does not see the tags of cells", scheme)
                    .isTrue();
        }
        deleteBecauseOthersCompareWithoutTags("p-secret");
    }

    /** The reader may see the value, but others who read the index may not. */
    @Test
    void aRowWhoseValueGetsAnAclIsFoundByNoIndex() throws IOException {
        write("user", List.of(putOf("p-turned", "Turned")));
        fixture.drain();
        try (Admin superuser = cluster.superuser.getAdmin()) {
            superuser.flush(fixture.name); // servers forget what the row shows
        }
        Put turned = putOf("p-turned", "Turned");
        turned.setACL("reader", new Permission(Action.READ));
        write("user", List.of(turned));
        fixture.drain();
        for (IndexScheme scheme : IndexScheme.values()) {
            IndexQuery.Builder query = IndexQuery.index(scheme.schemeName()).equalTo("Turned");
            assertThat(rows("reader", query.build())).as("%s", scheme).isEmpty();
            assertThat(rows("reader", query.withRows().build()))
                    .as("%s", scheme)
                    .isEmpty();
            assertThat(Conditions.await(Duration.ofMinutes(1), () -> keys(scheme.schemeName(), "Turned")
                            .isEmpty()))
                    .as("%s", scheme)
                    .isTrue();
        }
        deleteBecauseOthersCompareWithoutTags("p-turned");
    }

    private static void deleteBecauseOthersCompareWithoutTags(String row) throws IOException {
        try (Table base = cluster.superuser.getTable(fixture.name)) {
            base.delete(new Delete(Bytes.toBytes(row)));
        }
    }

    @Test
    void entriesAreConfirmedToThoseWhoMayReadTheirRows() throws IOException, ServiceException {
        write("writer", List.of(putOf("p-confirmed", "Confirmed")));
        IndexDefinition index = fixture.admin.describeIndex(fixture.name, SYNC_INSERT);
        byte[] row = Bytes.toBytes("p-confirmed");
        IndexEntry entry;
        try (Table base = cluster.superuser.getTable(fixture.name)) {
            entry = new IndexEntryFunction(index)
                    .entryOf(row, base.get(new Get(row)).listCells())
                    .orElseThrow();
        }
        CheckRequest request = CheckRequest.newBuilder()
                .setIndex(index.name())
                .setIndexId(index.id())
                .addKey(ByteString.copyFrom(entry.key()))
                .addFingerprint(entry.fingerprint())
                .build();
        assertThat(confirmed("reader", row, request)).isEqualTo(1);
        assertThat(confirmed("writer", row, request)).isZero();
    }

    private static int confirmed(String user, byte[] row, CheckRequest request) throws IOException, ServiceException {
        try (Table base = cluster.as(user).getTable(fixture.name)) {
            ByteString confirmed = DiffIndexService.newBlockingStub(base.coprocessorService(row))
                    .check(null, request)
                    .getConfirmed();
            return BitSet.valueOf(confirmed.toByteArray()).cardinality();
        }
    }

    @Test
    void aReaderNeedsNoRightToWriteForReadRepair() throws IOException {
        write("writer", List.of(putOf("a-moved", "Old Town"), putOf("z-moved", "Old Town")));
        write("writer", List.of(putOf("a-moved", "New Town"), putOf("z-moved", "New Town")));
        assertThat(keys(SYNC_INSERT, "Old Town")).hasSize(2);

        assertThat(rows("reader", SYNC_INSERT, "Old Town")).isEmpty();

        assertThat(Conditions.await(
                        PATIENCE, () -> keys(SYNC_INSERT, "Old Town").isEmpty()))
                .as("entries left: %s", keys(SYNC_INSERT, "Old Town"))
                .isTrue();
        assertThat(rows("reader", SYNC_INSERT, "New Town")).containsExactly("a-moved", "z-moved");
        assertThat(rows(
                        "reader",
                        IndexQuery.index(SYNC_INSERT)
                                .equalTo("New Town")
                                .withRows()
                                .build()))
                .containsExactly("a-moved", "z-moved");
    }

    @Test
    void aWriterNeedsNoRightOnTheIndexes() throws Exception {
        List<Put> puts = new ArrayList<>();
        for (int i = 0; i < 26; i++) {
            puts.add(putOf((char) ('a' + i) + "-written", "Lima"));
        }
        write("writer", puts);
        try (Table table = cluster.as("writer").getTable(fixture.name)) {
            table.put(putOf("c-written", "Quito"));
            table.delete(new Delete(Bytes.toBytes("n-written")));
            table.mutateRow(RowMutations.of(List.of(
                    putOf("u-written", "Quito"),
                    new Delete(Bytes.toBytes("u-written")).addColumns(F, IndexedFixture.AGE))));
        }
        fixture.drain();
        for (IndexScheme scheme : IndexScheme.values()) {
            assertThat(rows("reader", scheme.schemeName(), "Lima"))
                    .as("%s", scheme)
                    .hasSize(23);
            assertThat(rows("reader", scheme.schemeName(), "Quito"))
                    .as("%s", scheme)
                    .containsExactly("c-written", "u-written");
            assertThatThrownBy(() -> rows("writer", scheme.schemeName(), "Lima"))
                    .as("%s", scheme)
                    .isInstanceOf(AccessDeniedException.class);
        }
        fixture.assertIndexesEqualBase();
    }

    @Test
    void aSessionNeedsOnlyThePermissionsToReadAndWrite() throws IOException {
        String index = IndexScheme.ASYNC_SESSION.schemeName();
        SessionOptions small = SessionOptions.builder().maxBytes(40_000).build();
        try (IndexedTable table = new IndexedTable(cluster.as("user"), fixture.name);
                Session session = table.openSession(small)) {
            for (int i = 0; i < 60; i++) {
                String row = (char) ('a' + i % 26) + "-session" + i;
                session.put(putOf(row, "Session City"));
                try (IndexScanner hits = session.getByIndex(
                        IndexQuery.index(index).equalTo("Session City").build())) {
                    assertThat(hits)
                            .extracting(hit -> Bytes.toString(hit.row()))
                            .contains(row);
                }
            }
        }
    }

    /** The changes that a session receives of an index reveal columns that the writer may not be allowed to read. */
    @Test
    void aSessionReceivesNoChangesOfIndexesThatItsUserMayNotRead() throws Exception {
        Put put = putOf("g-told", "Kent").setAttribute(SessionChange.ATTRIBUTE, new byte[0]);
        assertThat(answerTo("user", put)).extracting(SessionChange::index).containsExactly("async-session");
        assertThat(answerTo("writer", put)).isEmpty();
    }

    private static List<SessionChange> answerTo(String user, Put put) throws Exception {
        Object[] answers = new Object[1];
        try (Table table = cluster.as(user).getTable(fixture.name)) {
            table.batch(List.of(put), answers);
        }
        return SessionChange.of((Result) answers[0]);
    }

    /** Every right, with every operation, on an index of every scheme. */
    @Test
    void eachRightAdmitsToItsOperations() throws Exception {
        write("writer", List.of(putOf("k-read", "Bonn")));
        fixture.drain();
        List<AccessMatrix.Combination> all = matrix.combinations();
        assertThat(all).hasSizeGreaterThan(400);
        List<String> wrong = new ArrayList<>();
        for (AccessMatrix.Combination combination : all) {
            boolean isAllowed = matrix.isAllowed(combination);
            if (isAllowed != combination.isExpected()) {
                wrong.add(combination + " is " + (isAllowed ? "allowed" : "refused"));
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void thoseReadAnIndexWhoMayReadItsColumns() throws IOException {
        TableName indexTable =
                fixture.admin.describeIndex(fixture.name, SYNC_INSERT).indexTable();
        Permission city = Permission.newBuilder(fixture.name)
                .withFamily(F)
                .withQualifier(Bytes.toBytes("city"))
                .withActions(Action.READ)
                .build();
        assertThat(mayScan("leaver", indexTable)).isFalse();
        cluster.grant("leaver", city);
        cluster.awaitGranted("leaver", indexTable);
        cluster.revoke("leaver", city);
        assertThat(Conditions.await(PATIENCE, () -> !mayScan("leaver", indexTable)))
                .as("the user whose permission was revoked reads the index no more")
                .isTrue();
    }

    private static boolean mayScan(String user, TableName table) throws IOException {
        return Grants.isAllowed(() -> {
            try (Table own = cluster.as(user).getTable(table);
                    ResultScanner scanner = own.getScanner(new Scan().setLimit(1))) {
                return scanner.next();
            }
        });
    }

    /** A superuser cannot be refused, but what that user grants is taken again. */
    @Test
    void nobodyIsMadeAReaderOfAnIndexByHand() throws IOException {
        TableName indexTable =
                fixture.admin.describeIndex(fixture.name, SYNC_INSERT).indexTable();
        UserPermission read = new UserPermission(
                "index-reader",
                Permission.newBuilder(indexTable).withActions(Action.READ).build());
        try (Admin owner = cluster.as("admin").getAdmin();
                Admin superuser = cluster.superuser.getAdmin()) {
            assertThatThrownBy(() -> owner.grant(read, true))
                    .hasMessageContaining(
                            "Cannot grant READ, CREATE or ADMIN on " + indexTable + ", nothing was changed");
            superuser.grant(read, true);
            assertThat(Conditions.await(PATIENCE, () -> superuser
                            .getUserPermissions(GetUserPermissionsRequest.newBuilder(indexTable)
                                    .withUserName("index-reader")
                                    .build())
                            .isEmpty()))
                    .isTrue();
        }
    }

    @Test
    void noUserWritesToAnIndexTable() throws IOException {
        IndexDefinition index = fixture.admin.describeIndex(fixture.name, SYNC_INSERT);
        for (String user : List.of("user", "admin")) {
            try (Table table = cluster.as(user).getTable(index.indexTable())) {
                assertThatThrownBy(() -> table.delete(new Delete(Bytes.toBytes("Oslo"))))
                        .as(user)
                        .hasMessageContaining(user.equals("user") ? "Insufficient permissions" : "Write refused");
            }
        }
    }

    @Test
    void anIndexIsCreatedAndDroppedByUsersWhoMayCreateTables() throws IOException {
        try (IndexedFixture plain = new IndexedFixture(cluster.superuser, 1, table -> List.of())) {
            cluster.grant("other", plain.name, Action.READ, Action.WRITE);
            cluster.grant("maker", plain.name, Action.CREATE, Action.READ);
            cluster.awaitGranted("maker", plain.name);
            plain.put("p", "Kyiv");
            IndexDefinition index = IndexDefinition.builder(plain.name, "made")
                    .column("f", "city", ColumnTypes.STRING)
                    .build();
            for (String user : List.of("stranger", "other", "maker")) {
                try (DiffIndexAdmin admin = new DiffIndexAdmin(cluster.as(user))) {
                    assertThatThrownBy(() -> admin.createIndex(index))
                            .as(user)
                            .hasStackTraceContaining(AccessDeniedException.class.getName());
                }
                assertThat(plain.admin.listIndexes(plain.name)).isEmpty();
            }
            cluster.grant(
                    "maker",
                    Permission.newBuilder("default").withActions(Action.CREATE).build());
            try (DiffIndexAdmin admin = new DiffIndexAdmin(cluster.as("maker"));
                    IndexedTable table = new IndexedTable(cluster.as("maker"), plain.name)) {
                admin.createIndex(index);
                assertThat(admin.stateOf(plain.name, "made")).contains(IndexState.ACTIVE);
                cluster.awaitGranted("maker", index.indexTable()); // HBase made it the owner
                try (IndexScanner hits = table.getByIndex(
                        IndexQuery.index("made").equalTo("Kyiv").build())) {
                    assertThat(hits)
                            .extracting(hit -> Bytes.toString(hit.row()))
                            .containsExactly("p");
                }
                try (DiffIndexAdmin other = new DiffIndexAdmin(cluster.as("other"))) {
                    assertThatThrownBy(() -> other.dropIndex(plain.name, "made"))
                            .hasStackTraceContaining(AccessDeniedException.class.getName());
                }
                admin.dropIndex(plain.name, "made");
            }
        }
    }

    @Test
    void anIndexIsBuiltWhateverItsMakerMayRead() throws IOException {
        cluster.grant(
                "blind",
                Permission.newBuilder("default").withActions(Action.CREATE).build());
        try (IndexedFixture plain = new IndexedFixture(cluster.superuser, 1, table -> List.of())) {
            cluster.grant("blind", plain.name, Action.CREATE);
            cluster.grant("reader", plain.name, Action.READ);
            cluster.awaitGranted("reader", plain.name); // and so what was granted before
            plain.put("p", "Kyiv");
            try (DiffIndexAdmin admin = new DiffIndexAdmin(cluster.as("blind"));
                    Table base = cluster.as("blind").getTable(plain.name)) {
                assertThat(sees(base, "p")).isFalse();
                admin.createIndex(IndexDefinition.builder(plain.name, "made")
                        .column("f", "city", ColumnTypes.STRING)
                        .build());
            }
            try (IndexedTable table = new IndexedTable(cluster.superuser, plain.name);
                    IndexScanner hits = table.getByIndex(
                            IndexQuery.index("made").equalTo("Kyiv").build())) {
                assertThat(hits).extracting(hit -> Bytes.toString(hit.row())).containsExactly("p");
            }
        }
    }

    /** The user who changes the columns may read neither the table nor an index, and grants nothing. */
    @Test
    void nobodyIsRefusedByNewColumns() throws IOException {
        cluster.grant(
                "blind",
                Permission.newBuilder("default").withActions(Action.CREATE).build());
        try (IndexedFixture plain = new IndexedFixture(
                cluster.superuser,
                1,
                table -> List.of(IndexDefinition.builder(table, "made")
                        .column("f", "city", ColumnTypes.STRING)
                        .build()))) {
            cluster.grant("blind", plain.name, Action.CREATE);
            cluster.grant("reader", plain.name, Action.READ);
            cluster.awaitGranted("reader", TableName.valueOf(plain.name + ".made"));
            plain.table.put(putOf("p", "Kyiv").addColumn(F, IndexedFixture.NOTE, Bytes.toBytes("x")));
            ColumnsChange.run(
                    cluster.as("blind"),
                    IndexDefinition.builder(plain.name, "made")
                            .column("f", "note", ColumnTypes.STRING)
                            .build(),
                    BuildOptions.DEFAULT,
                    ColumnsChangeListener.NONE);
            try (IndexedTable table = new IndexedTable(cluster.as("reader"), plain.name);
                    IndexScanner hits = table.getByIndex(
                            IndexQuery.index("made").equalTo("x").build())) {
                assertThat(hits).extracting(hit -> Bytes.toString(hit.row())).containsExactly("p");
            }
        }
    }

    /** HBase hides what a user may not read, or refuses the read. */
    private static boolean sees(Table table, String row) throws IOException {
        try {
            return table.exists(new Get(Bytes.toBytes(row)));
        } catch (AccessDeniedException e) {
            return false;
        }
    }

    /**
     * What is ordered is recorded in the table of the index, on which only its maker has permissions. The calls reach both
     * region servers, so that one of them has the record, too.
     */
    @Test
    void aBuildIsControlledByThoseWhoMayChangeItsBaseTable() throws Exception {
        try (IndexedFixture plain = new IndexedFixture(cluster.superuser, 1, table -> List.of())) {
            cluster.grant("owner", plain.name, Action.CREATE, Action.READ);
            cluster.awaitGranted("owner", plain.name);
            plain.put("p", "Kyiv");
            plain.admin.beginIndex(
                    IndexDefinition.builder(plain.name, "controlled")
                            .column("f", "city", ColumnTypes.STRING)
                            .build(),
                    BuildOptions.DEFAULT.paused());
            IndexDefinition index = plain.admin.describeIndex(plain.name, "controlled");
            List<String> refused = new ArrayList<>();
            try (Table base = cluster.as("owner").getTable(plain.name)) {
                for (String row : List.of("a", "c", "n", "u")) {
                    BuildRequest request =
                            buildRequest(index).setRowsPerSecond(row.charAt(0)).build();
                    if (!Grants.isAllowed(
                            () -> DiffIndexService.newBlockingStub(base.coprocessorService(Bytes.toBytes(row)))
                                    .build(null, request))) {
                        refused.add(row);
                    }
                }
            }
            assertThat(refused).isEmpty();
            assertThat(Conditions.await(PATIENCE, () -> isRememberedFor(cluster.superuser, index.indexTable())))
                    .as("the master has taken the index over")
                    .isTrue();
            cluster.awaitGranted("owner", index.indexTable());
            assertThat(isRememberedFor(cluster.as("owner"), index.indexTable())).isTrue();
            cluster.grant("of-columns", plain.name, Action.READ);
            cluster.awaitGranted("of-columns", index.indexTable()); // the master has given it
            assertThat(isRememberedFor(cluster.as("of-columns"), index.indexTable()))
                    .isFalse();
            BuildStatus unused = plain.admin.builds().resume(plain.name, "controlled");
            plain.admin.awaitIndex(plain.name, "controlled", BuildListener.NONE);
            try (Table base = cluster.as("owner").getTable(plain.name)) {
                for (String row :
                        List.of("a", "c", "n", "u")) { // the record is gone, also from the region's own server
                    BuildRequest request = buildRequest(index).build();
                    assertThat(DiffIndexService.newBlockingStub(base.coprocessorService(Bytes.toBytes(row)))
                                    .build(null, request)
                                    .getBuilding())
                            .as(row)
                            .isFalse();
                }
            }
            plain.admin.dropIndex(plain.name, "controlled");
        }
    }

    /** Returns whether a user sees what a build remembers. */
    private static boolean isRememberedFor(Connection user, TableName indexTable) throws IOException {
        try (Table table = user.getTable(indexTable);
                ResultScanner rows = table.getScanner(BuildFamily.NAME)) {
            boolean isRemembered = rows.next() != null;
            assertThat(table.exists(new Get(BuildFamily.ROW).addFamily(BuildFamily.NAME)))
                    .isEqualTo(isRemembered);
            return isRemembered;
        }
    }

    /** HBase removes the permissions on a table with the table; what was granted on the index is to outlive a rebuild. */
    @Test
    void aRebuildKeepsTheGrantsOnTheIndexTable() throws IOException {
        String index = IndexScheme.SYNC_FULL.schemeName();
        write("writer", List.of(putOf("q-rebuilt", "Riga")));
        assertThat(rows("reader", index, "Riga")).containsExactly("q-rebuilt");
        assertThat(Grants.isAllowed(() -> {
                    try (DiffIndexAdmin user = new DiffIndexAdmin(cluster.as("user"))) {
                        user.disableIndex(fixture.name, index);
                        return true;
                    }
                }))
                .as("a user who may only read and write disables the index")
                .isFalse();
        fixture.admin.rebuildIndex(fixture.name, index, BuildOptions.DEFAULT);
        fixture.admin.awaitIndex(fixture.name, index, BuildListener.NONE);
        assertThat(rows("reader", index, "Riga")).containsExactly("q-rebuilt");
        assertThat(Grants.isAllowed(() -> rows("creator", index, "Riga")))
                .as("a user who may not read the column reads by the index")
                .isFalse();
    }

    /** HBase itself requires the global permission ADMIN before it passes a call to a server's own coprocessor. */
    @Test
    void aRegionReportsOnItsServerToEveryUser() throws IOException {
        try (Inspector stranger = new Inspector(cluster.as("stranger"));
                Inspector all = new Inspector(cluster.superuser);
                Admin hbase = cluster.superuser.getAdmin()) {
            assertThat(stranger.region(fixture.name, Bytes.toBytes("p")).settings())
                    .isEqualTo(all.region(fixture.name, Bytes.toBytes("p")).settings());
            assertThat(Grants.isAllowed(all::master)).isTrue();
            assertThat(Grants.isAllowed(stranger::master)).isFalse();
            var server = hbase.getRegionServers().iterator().next();
            assertThat(Grants.isAllowed(() -> all.regionServer(server))).isTrue();
            assertThat(Grants.isAllowed(() -> stranger.regionServer(server))).isFalse();
        }
    }
}
