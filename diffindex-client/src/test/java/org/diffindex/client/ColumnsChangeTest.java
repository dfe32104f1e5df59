package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.io.compress.Compression;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexRole;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.model.SchemeState;
import org.diffindex.verify.SchemeChange;
import org.diffindex.verify.SchemeChangeListener;
import org.diffindex.verify.SchemeChangeOptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The columns of an index are changed; what is true if that ends between two steps, and what other clients may do then. */
class ColumnsChangeTest {
    private static final TableName FLIGHTS = TableName.valueOf("ns", "flights");
    private static final TableName FIRST = TableName.valueOf("ns", "flights.by_origin");
    private static final TableName SECOND = TableName.valueOf("ns", "flights.by_origin.2");

    private static final String CREATE = "create ns:flights.by_origin.2 in 1";
    private static final String ENTER = "modify ns:flights by_origin";
    private static final String BUILT = "modify ns:flights.by_origin.2 ACTIVE";
    private static final String SWITCH = "modify ns:flights by_origin retired";
    private static final String DROPPING = "modify ns:flights.by_origin DROPPING";
    private static final String REMOVE = "modify ns:flights";
    private static final String DISABLE = "disable ns:flights.by_origin";
    private static final String DELETE = "delete ns:flights.by_origin";

    private final FakeMaster master = new FakeMaster(FLIGHTS);
    private final Map<TableName, TableDescriptor> tables = master.tables;
    private DiffIndexAdmin admin;

    @BeforeEach
    void createIndex() throws IOException {
        tables.put(
                FLIGHTS,
                TableDescriptorBuilder.newBuilder(FLIGHTS)
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                        .build());
        master.undelivered = 0;
        admin = new DiffIndexAdmin(master.connection);
        master.totals = new BuildFamily.Totals(2_020, 20, 0);
        admin.createIndex(by("origin"));
        master.steps.clear();
    }

    private static IndexDefinition by(String column) {
        return IndexDefinition.builder(FLIGHTS, "by_origin")
                .column("f", column, ColumnTypes.STRING)
                .build();
    }

    private void change(String column) throws IOException {
        ColumnsChange.run(master.connection, by(column), BuildOptions.DEFAULT, ColumnsChangeListener.NONE);
    }

    private Optional<IndexDefinition> begin(String column) throws IOException {
        return ColumnsChange.begin(master.connection, by(column), BuildOptions.DEFAULT);
    }

    private void cancel() throws IOException {
        ColumnsChange.cancel(master.connection, FLIGHTS, "by_origin");
    }

    private IndexDefinition present() throws IOException {
        return admin.describeIndex(FLIGHTS, "by_origin");
    }

    private void assertIs(String column, TableName... indexTables) throws IOException {
        assertThat(present().hasShapeOf(by(column))).as("%s", present()).isTrue();
        assertThat(admin.listIndexes(FLIGHTS)).containsExactly(present());
        assertThat(admin.columnsChangeOf(FLIGHTS, "by_origin")).isEmpty();
        List<TableName> all = new ArrayList<>(List.of(indexTables));
        all.add(FLIGHTS);
        assertThat(tables.keySet()).containsExactlyInAnyOrderElementsOf(all);
    }

    @Test
    void buildsAShadowLetsReadersGoOverAndDropsWhatTheIndexWas() throws IOException {
        List<ColumnsChangeListener.Step> steps = new ArrayList<>();
        ColumnsChange.run(master.connection, by("dest"), BuildOptions.DEFAULT, new ColumnsChangeListener() {
            @Override
            public void begins(Step step) {
                steps.add(step);
            }

            @Override
            public void progress(BuildStatus status) {}
        });
        assertThat(steps).containsExactly(ColumnsChangeListener.Step.values());
        assertThat(master.steps).contains(CREATE, ENTER, BUILT, DROPPING, DELETE);
        assertThat(master.steps.indexOf(DROPPING)).isGreaterThan(master.steps.indexOf(BUILT));
        assertIs("dest", SECOND);
        assertThat(present().name()).isEqualTo("by_origin.2");
        assertThat(present().role()).isEqualTo(IndexRole.IN_SERVICE);
    }

    @Test
    void doesNothingIfTheIndexIsAsWanted() throws IOException {
        change("origin");
        assertThat(master.steps).isEmpty();
        change("dest");
        master.steps.clear();
        change("dest");
        assertThat(master.steps).isEmpty();
        assertThat(begin("dest")).isEmpty();
    }

    @Test
    void anIndexChangesAgainAndAgain() throws IOException {
        change("dest");
        change("carrier");
        assertIs("carrier", TableName.valueOf("ns", "flights.by_origin.3"));
        admin.dropIndex(FLIGHTS, "by_origin");
        assertThat(tables).containsOnlyKeys(FLIGHTS);
        admin.createIndex(by("origin"));
        assertIs("origin", FIRST);
    }

    /** Until readers go over, they use the index as it was; afterwards as it is now. */
    @ParameterizedTest
    @ValueSource(strings = {CREATE, ENTER, BUILT, SWITCH, DROPPING, REMOVE, DISABLE, DELETE})
    void theSameCallContinuesAChangeThatWasInterrupted(String step) throws IOException {
        boolean isOver = List.of(DROPPING, REMOVE, DISABLE, DELETE).contains(step);
        master.failures.put(step, new DoNotRetryIOException("client died"));
        if (step.equals(BUILT)) {
            assertThatThrownBy(() -> change("dest"))
                    .hasMessageContaining("its build has failed")
                    .hasMessageContaining(
                            "Readers use the index as it was. Repeat the change to continue it, or cancel it");
        } else {
            assertThatThrownBy(() -> change("dest"))
                    .hasMessageContaining("client died")
                    .hasMessageContaining(isOver ? "Repeat the change to remove it" : "Readers use the index as it was")
                    .hasMessageNotContaining("rop it again")
                    .hasMessageNotContaining("drop the index again");
        }
        assertThat(present().hasShapeOf(by(isOver ? "dest" : "origin"))).isTrue();
        assertThat(admin.listIndexes(FLIGHTS)).containsExactly(present());
        change("dest");
        assertIs("dest", SECOND);
    }

    @Test
    void aChangeThatHasBegunShowsHowFarItIs() throws IOException {
        IndexDefinition shadow = begin("dest").orElseThrow();
        assertThat(shadow.role()).isEqualTo(IndexRole.SHADOW);
        assertThat(present().hasShapeOf(by("origin"))).isTrue();
        ColumnsChangeStatus status = admin.columnsChangeOf(FLIGHTS, "by_origin").orElseThrow();
        assertThat(status.target()).isEqualTo(shadow);
        assertThat(status.progress()).startsWith("BUILDING");
        assertThat(admin.columnsChangeOf(FLIGHTS, "by_origin").orElseThrow().progress())
                .isEqualTo("ACTIVE");
        assertThat(admin.builds().status(FLIGHTS, "by_origin"))
                .as("of the shadow")
                .isNotNull();
        assertThat(begin("dest")).contains(shadow);
        change("dest");
        assertIs("dest", SECOND);
    }

    @Test
    void anotherChangeIsRefusedUntilTheFirstOneIsCompleteOrCancelled() throws IOException {
        begin("dest");
        assertThatThrownBy(() -> change("carrier"))
                .hasMessageContaining("Another change of index by_origin of ns:flights is under way")
                .hasMessageContaining("alter-index ns:flights by_origin --cancel")
                .hasMessageContaining("Nothing was changed");
        cancel();
        assertIs("origin", FIRST);
        change("carrier");
        assertIs("carrier", SECOND);
    }

    @Test
    void aCancellationThatWasInterruptedIsCompleted() throws IOException {
        begin("dest");
        master.failures.put("disable " + SECOND, new DoNotRetryIOException("client died"));
        assertThatThrownBy(this::cancel)
                .hasMessageContaining("client died")
                .hasMessageContaining("cancel the change again");
        assertThat(present().hasShapeOf(by("origin"))).isTrue();
        cancel();
        assertIs("origin", FIRST);
        assertThatThrownBy(this::cancel).hasMessageContaining("No change of the columns of index by_origin");
    }

    /** Nobody would maintain the index that readers use. */
    @Test
    void aCancellationDoesNotTakeAShadowToWhichReadersGoOverMeanwhile() throws IOException {
        begin("dest");
        master.before(ENTER, () -> change("dest")); // as the removal of the shadow's definition is called, too
        assertThatThrownBy(this::cancel).hasMessageContaining("is not cancelled");
        assertThat(present().hasShapeOf(by("dest"))).isTrue();
        assertThat(admin.stateOf(FLIGHTS, "by_origin")).contains(IndexState.ACTIVE);
    }

    @Test
    void aCancellationOfTheBuildCancelsTheChange() throws IOException {
        begin("dest");
        admin.builds().cancel(FLIGHTS, "by_origin");
        assertIs("origin", FIRST);
    }

    @Test
    void readersDoNotGoOverToWhatAnotherClientHasCancelled() throws IOException {
        master.before(SWITCH, this::cancel);
        assertThatThrownBy(() -> change("dest")).hasMessageContaining("was cancelled, dropped or rebuilt");
        assertIs("origin", FIRST);
    }

    @Test
    void readersGoOverAlsoIfAnotherClientChangesTheTableMeanwhile() throws IOException {
        IndexDefinition other = IndexDefinition.builder(FLIGHTS, "other")
                .column("f", "origin", ColumnTypes.STRING)
                .build();
        master.before(SWITCH, () -> admin.createIndex(other));
        change("dest");
        assertThat(present().hasShapeOf(by("dest"))).isTrue();
        assertThat(admin.listIndexes(FLIGHTS)).hasSize(2);
    }

    @Test
    void twoClientsWithOneTargetCompleteItTogether() throws IOException {
        master.before(SWITCH, () -> change("dest"));
        change("dest");
        assertIs("dest", SECOND);
    }

    @Test
    void aDropDropsTheShadowToo() throws IOException {
        begin("dest");
        admin.dropIndex(FLIGHTS, "by_origin");
        assertThat(tables).containsOnlyKeys(FLIGHTS);
        assertThat(master.steps.indexOf("delete " + SECOND))
                .as("the index itself last")
                .isLessThan(master.steps.indexOf(DELETE));
    }

    @Test
    void aDropDropsWhatAnInterruptedChangeHasLeft() throws IOException {
        master.failures.put(DISABLE, new DoNotRetryIOException("client died"));
        assertThatThrownBy(() -> change("dest")).hasMessageContaining("client died");
        admin.dropIndex(FLIGHTS, "by_origin");
        assertThat(tables).containsOnlyKeys(FLIGHTS);
    }

    @Test
    void anIndexThatIsBeingReplacedIsNeitherDisabledNorRebuilt() throws IOException {
        begin("dest");
        assertThatThrownBy(() -> admin.disableIndex(FLIGHTS, "by_origin"))
                .hasMessageContaining("Cannot disable index by_origin")
                .hasMessageContaining("--cancel");
        assertThatThrownBy(() -> admin.rebuildIndex(FLIGHTS, "by_origin", BuildOptions.DEFAULT))
                .hasMessageContaining("Cannot rebuild index by_origin");
        assertThatThrownBy(() -> SchemeChange.run(
                        master.connection,
                        FLIGHTS,
                        "by_origin",
                        IndexScheme.ASYNC_SIMPLE,
                        SchemeChangeOptions.DEFAULT,
                        SchemeChangeListener.NONE))
                .hasMessageContaining("Cannot change the scheme of index by_origin")
                .hasMessageContaining("a change of its columns has begun");
    }

    @Test
    void anIndexWhoseSchemeIsBeingChangedOrThatIsNotActiveIsNotReplaced() throws IOException {
        TableDescriptor own = tables.get(FIRST);
        tables.put(
                FIRST,
                IndexDefinitions.withSchemeState(
                        own, SchemeState.begin(Optional.empty(), IndexScheme.SYNC_FULL, IndexScheme.SYNC_INSERT, "c")));
        assertThatThrownBy(() -> change("dest"))
                .hasMessageContaining("a change of its scheme to sync-insert has begun")
                .hasMessageContaining("Nothing was changed");
        tables.put(FIRST, IndexDefinitions.broken(own, "no"));
        assertThatThrownBy(() -> change("dest")).hasMessageContaining("it is BROKEN");
        tables.put(FIRST, own);
        assertThat(master.steps).isEmpty();
    }

    @Test
    void anIndexThatWasReplacedIsDisabledAndEnabledByItsName() throws IOException {
        change("dest");
        admin.disableIndex(FLIGHTS, "by_origin");
        assertThat(admin.stateOf(FLIGHTS, "by_origin")).contains(IndexState.DISABLED);
        assertThatThrownBy(() -> change("carrier"))
                .isInstanceOf(NoSuchIndexException.class)
                .hasMessageContaining("is DISABLED");
        assertThatThrownBy(() -> admin.createIndex(by("origin")))
                .isInstanceOf(IndexExistsException.class)
                .hasMessageContaining("flights.by_origin.2");
        admin.enableIndex(FLIGHTS, "by_origin", BuildOptions.DEFAULT);
        admin.awaitIndex(FLIGHTS, "by_origin", BuildListener.NONE);
        assertIs("dest", SECOND);
    }

    @Test
    void thereIsNoSecondIndexOfTheName() throws IOException {
        change("dest");
        assertThatThrownBy(() -> admin.createIndex(by("origin")))
                .isInstanceOf(IndexExistsException.class)
                .hasMessageContaining("There is already an index by_origin of ns:flights");
        assertIs("dest", SECOND);
    }

    /** The base table lacks the definition for a while. */
    @Test
    void readersDoNotGoOverWhileTheIndexIsRebuilt() throws IOException {
        IndexDefinition before = present();
        master.before(SWITCH, () -> tables.put(FLIGHTS, IndexDefinitions.without(tables.get(FLIGHTS), before.name())));
        assertThatThrownBy(() -> change("dest")).hasMessageContaining("or is being rebuilt");
        tables.put(FLIGHTS, IndexDefinitions.with(tables.get(FLIGHTS), before));
        assertThatCode(() -> change("dest")).doesNotThrowAnyException();
        assertIs("dest", SECOND);
    }

    /** The table of the dropped index is the one of its second generation, and in the way of no other first one. */
    @Test
    void aDropLeavesALaterIndexOfTheName() throws IOException {
        change("dest");
        master.before("delete " + SECOND, () -> admin.createIndex(by("carrier")));
        admin.dropIndex(FLIGHTS, "by_origin");
        assertIs("carrier", FIRST);
    }

    @Test
    void whatHasLeftServiceIsRemovedOnlyIfItHas() throws IOException {
        assertThatThrownBy(() -> IndexRemoval.ofRetired(master.connection.getAdmin(), FLIGHTS, "by_origin", false)
                        .run())
                .hasMessageContaining("it has another role by now");
        assertThat(master.steps).as("its table is not marked").isEmpty();
        assertIs("origin", FIRST);
    }

    /** The index is dropped, and another one created under its name, while the table of the shadow is made. */
    @Test
    void aShadowIsNotEnteredBesideAnotherIndexOfTheName() throws IOException {
        master.before(ENTER, () -> {
            admin.dropIndex(FLIGHTS, "by_origin");
            admin.createIndex(by("carrier"));
        });
        assertThatThrownBy(() -> change("dest"))
                .hasMessageContaining("the index that it is to replace was dropped, disabled or rebuilt");
        assertIs("carrier", FIRST);
    }

    @Test
    void aShadowIsNotEnteredOfAnIndexThatIsDroppedMeanwhile() throws IOException {
        master.before(ENTER, () -> admin.dropIndex(FLIGHTS, "by_origin"));
        assertThatThrownBy(() -> change("dest"))
                .hasMessageContaining("the index that it is to replace was dropped, disabled or rebuilt");
        assertThat(tables).containsOnlyKeys(FLIGHTS);
    }

    /** Clients that have not gone over yet read by what the index was, which would keep its scheme. */
    @Test
    void theSchemeDoesNotChangeBeforeWhatAnIndexWasIsRemoved() throws IOException {
        master.failures.put(DROPPING, new DoNotRetryIOException("client died"));
        assertThatThrownBy(() -> change("dest")).hasMessageContaining("client died");
        assertThatThrownBy(() -> SchemeChange.run(
                        master.connection,
                        FLIGHTS,
                        "by_origin",
                        IndexScheme.ASYNC_SIMPLE,
                        SchemeChangeOptions.DEFAULT,
                        SchemeChangeListener.NONE))
                .hasMessageContaining("what it was before is not removed yet");
    }

    /** Such a row is found by the former columns, and would not be found by the new ones. */
    @Test
    void readersDoNotGoOverIfTheBuildHasLeftRowsOutUnlessThatIsAllowed() throws IOException {
        IndexDefinition wanted = IndexDefinition.builder(FLIGHTS, "by_origin")
                .column("f", "delay", ColumnTypes.INT)
                .build();
        master.totals = new BuildFamily.Totals(2_020, 2_018, 2);
        when(master.rows.next())
                .thenReturn(row("good", new byte[4]), row("bad\u0001", new byte[3]), row("worse", new byte[0]), (Result)
                        null);
        ColumnsChangeOptions options = ColumnsChangeOptions.DEFAULT;
        assertThatThrownBy(() -> ColumnsChange.run(master.connection, wanted, options, ColumnsChangeListener.NONE))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("Readers of index by_origin of ns:flights have not gone over")
                .hasMessageContaining("would not find 2 rows there")
                .hasMessageContaining("such as 'bad\\x01' (")
                .hasMessageContaining(", 'worse' (")
                .hasMessageContaining("--wait --allow-left-out")
                .hasMessageContaining("--cancel");
        assertThat(present().hasShapeOf(by("origin"))).isTrue();
        assertThatThrownBy(() -> ColumnsChange.run(master.connection, wanted, options, ColumnsChangeListener.NONE))
                .as("the rows are corrected, or hidden from this user")
                .hasMessageContaining("none of them is among the first 100,000 rows");
        ColumnsChange.run(master.connection, wanted, options.allowingLeftOut(), ColumnsChangeListener.NONE);
        assertThat(present().hasShapeOf(wanted)).isTrue();
    }

    @Test
    void theRowsThatWereLeftOutAreNotReadIfTheUserMayNot() throws IOException {
        master.totals = new BuildFamily.Totals(2_020, 2_018, 2);
        when(master.rows.next()).thenThrow(new AccessDeniedException("READ is required"));
        assertThatThrownBy(() -> change("dest")).hasMessageContaining("this user cannot read which: READ is required");
    }

    private static Result row(String key, byte[] delay) {
        return Result.create(
                List.of(new KeyValue(Bytes.toBytes(key), Bytes.toBytes("f"), Bytes.toBytes("delay"), 1, delay)));
    }

    /** An operator has set them by hand, and would notice their loss only later. */
    @Test
    void theNextGenerationHasTheSettingsOfTheTableBefore() throws IOException {
        TableDescriptor own = tables.get(FIRST);
        tables.put(
                FIRST,
                TableDescriptorBuilder.newBuilder(own)
                        .setRegionSplitPolicyClassName("org.example.Split")
                        .modifyColumnFamily(
                                ColumnFamilyDescriptorBuilder.newBuilder(own.getColumnFamily(EntryFormat.FAMILY))
                                        .setCompressionType(Compression.Algorithm.SNAPPY)
                                        .build())
                        .build());
        change("dest");
        TableDescriptor next = tables.get(SECOND);
        assertThat(next.getRegionSplitPolicyClassName()).isEqualTo("org.example.Split");
        assertThat(next.getColumnFamily(EntryFormat.FAMILY).getCompressionType())
                .isEqualTo(Compression.Algorithm.SNAPPY);
        assertIs("dest", SECOND);
    }

    @Test
    void aTableInThePlaceOfTheNextGenerationIsNamed() throws IOException {
        TableDescriptor plain = TableDescriptorBuilder.newBuilder(SECOND).build();
        tables.put(SECOND, plain);
        assertThatThrownBy(() -> change("dest"))
                .hasMessageContaining("The columns of index by_origin of ns:flights cannot be changed")
                .hasMessageContaining("would be " + SECOND + ", and there is already a table of that name")
                .hasMessageContaining("of no index")
                .hasMessageContaining("drop that table, or let it have another name (in hbase shell")
                .hasMessageNotContaining("choose another name");
        TableName other = TableName.valueOf("ns", "flights.by_origin");
        tables.put(
                SECOND,
                IndexDefinitions.markIndexTable(TableDescriptorBuilder.newBuilder(SECOND), other)
                        .build());
        assertThatThrownBy(() -> change("dest"))
                .hasMessageContaining("the table of index 2 on ns:flights.by_origin")
                .hasMessageContaining("drop that index");
        assertIs("origin", FIRST, SECOND);
    }

    /** The first generation has the name of the index, which is that of the one in service elsewhere. */
    @Test
    void eachGenerationIsLookedAtAndDrainedByItself() throws IOException {
        master.failures.put(REMOVE, new DoNotRetryIOException("client died"));
        assertThatThrownBy(() -> change("dest")).hasMessageContaining("client died");
        IndexDefinition former = IndexGenerations.of(master.connection, FLIGHTS).get("by_origin");
        assertThat(former.role()).isEqualTo(IndexRole.RETIRED);
        assertThat(IndexGenerations.stateOf(master.connection, FLIGHTS, "by_origin"))
                .contains(IndexState.DROPPING);
        assertThat(admin.stateOf(FLIGHTS, "by_origin")).contains(IndexState.ACTIVE);
        master.drained.clear();
        DrainResult unused = IndexGenerations.drain(master.connection, former, Duration.ZERO);
        assertThat(master.drained).containsOnly("by_origin");
    }

    /** A region of the table cannot be opened, and every write waits for it. */
    @Test
    void whatAnIndexWasIsRemovedByForce() throws IOException {
        master.failures.put(DROPPING, new DoNotRetryIOException("a region is not open"));
        assertThatThrownBy(() -> change("dest"))
                .hasMessageContaining("alter-index ns:flights by_origin --remove-former --force");
        master.failures.put(DROPPING, new DoNotRetryIOException("a region is not open"));
        ColumnsChange.removeFormer(master.connection, FLIGHTS, "by_origin", true);
        master.failures.clear();
        assertIs("dest", SECOND);
        assertThatThrownBy(() -> ColumnsChange.removeFormer(master.connection, FLIGHTS, "by_origin", true))
                .hasMessageContaining("Nothing is left of what index by_origin of ns:flights was");
    }

    /** This user cannot see whether the regions serve readers, and nobody may have waited for that. */
    @Test
    void readersGoOverOnlyToRegionsThatServeThem() throws IOException {
        master.failures.put("read", new AccessDeniedException("READ is required"));
        change("dest");
        assertThat(master.failures).isEmpty();
        assertThat(master.steps).as("ACTIVE, and ACTIVE again").containsSubsequence(BUILT, BUILT, "drain", SWITCH);
    }

    @Test
    void readersDoNotGoOverWhileTheRegionsCannotBeOpened() throws IOException {
        master.after(BUILT, () -> master.failures.put(BUILT, new DoNotRetryIOException("a region is not open")));
        assertThatThrownBy(() -> change("dest"))
                .hasMessageContaining("a region is not open")
                .hasMessageContaining("Readers use the index as it was. Repeat the change");
        assertThat(present().hasShapeOf(by("origin"))).isTrue();
        change("dest");
        assertIs("dest", SECOND);
    }

    /** A session may not have been told of its earlier writes, and a delayed one is missing. */
    @Test
    void readersGoOverWhenTheShadowHasWhatWasWritten() throws IOException {
        master.undelivered = 5;
        master.configuration.setLong(ColumnsChange.DRAIN_MS_KEY, 1);
        assertThatThrownBy(() -> change("dest"))
                .hasMessageContaining(
                        "5 batches of index updates of its shadow ns:flights.by_origin.2 are not delivered")
                .hasMessageContaining("`diffindex status ns:flights`")
                .hasMessageContaining("Readers use the index as it was");
        assertThat(master.steps).doesNotContain(SWITCH);
        master.undelivered = 0;
        change("dest");
        assertIs("dest", SECOND);
    }

    /** The client has not waited long enough for the answer. */
    @Test
    void aSwitchThatIsMadeAllTheSameIsReportedAsSuch() throws IOException {
        master.after(SWITCH, () -> {
            throw new IOException("timed out");
        });
        assertThatThrownBy(() -> change("dest"))
                .hasMessageContaining("timed out")
                .hasMessageContaining("Readers use its new columns, in ns:flights.by_origin.2. Repeat the change")
                .hasMessageNotContaining("Readers use the index as it was");
        assertThat(present().hasShapeOf(by("dest"))).isTrue();
        change("dest");
        assertIs("dest", SECOND);
    }

    @Test
    void aSwitchThatTheMasterMayStillMakeIsReportedAsSuch() throws IOException {
        master.failures.put(SWITCH, new IOException("timed out"));
        assertThatThrownBy(() -> change("dest"))
                .hasMessageContaining("timed out")
                .hasMessageContaining("Readers use the index as it was, unless the master still lets them go over");
        change("dest");
        assertIs("dest", SECOND);
    }

    @Test
    void whatReadersUseIsNotGuessedIfNothingTells() throws IOException {
        master.before(SWITCH, () -> {
            when(master.admin.getDescriptor(FLIGHTS)).thenThrow(new IOException("the master is away"));
            throw new IOException("timed out");
        });
        assertThatThrownBy(() -> change("dest"))
                .hasMessageContaining("timed out")
                .hasMessageContaining("Whether readers use the index as it was, or its new columns, is not known: the"
                        + " master is away")
                .hasMessageNotContaining("Readers use");
    }

    @Test
    void anIndexThatIsDroppedMeanwhileIsNotSaidToBeUsed() throws IOException {
        master.before(SWITCH, () -> admin.dropIndex(FLIGHTS, "by_origin"));
        assertThatThrownBy(() -> change("dest"))
                .hasMessageContaining("was cancelled, dropped or rebuilt")
                .hasMessageContaining("defines no generation of it that readers use")
                .hasMessageNotContaining("Readers use");
    }
}
