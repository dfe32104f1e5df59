package org.diffindex.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.MemoryCompactionPolicy;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;
import org.diffindex.client.Coprocessors;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexRole;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.model.SchemeState;
import org.diffindex.model.ServerSetting;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests each check: each test breaks one thing in a healthy cluster, and expects exactly one check to report it. */
class DoctorTest {
    private static final String LACKING = "{\"columns\":[\"f:d:class(org.example.Missing)\"],\"scheme\":\"sync-full\","
            + "\"splits\":[],\"state\":\"ACTIVE\",\"id\":\"id2\"}";

    private final Views views = Views.fine();

    private List<Finding> wrong() {
        return Doctor.examine(views.cluster()).stream()
                .filter(finding -> finding.level() != Level.OK)
                .toList();
    }

    private void assertFinds(Level level, String check, String state, String advice) {
        assertThat(wrong()).singleElement().satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(level);
            assertThat(finding.check()).isEqualTo(check);
            assertThat(finding.state()).contains(state);
            assertThat(finding.advice()).contains(advice);
        });
    }

    @Test
    void findsNothingInAHealthyCluster() {
        List<Finding> findings = Doctor.examine(views.cluster());

        assertThat(wrong()).isEmpty();
        assertThat(findings).extracting(Finding::check).doesNotHaveDuplicates();
        assertThat(findings)
                .extracting(Finding::state)
                .contains(
                        "HBase 2.6.1-hadoop3 on rs9:16020, rs1:16020, rs2:16020",
                        "the master rs9:16020 has loaded IndexMasterObserver",
                        "all 2 answer",
                        "all 2 regions of 1 tables have loaded IndexObserver",
                        "all 2 regions of 1 tables have loaded IndexTableGuard",
                        "all 1 indexes are ACTIVE",
                        "hbase.wal.split.to.hfile is false",
                        "hbase.regionserver.handler.count is 30 on rs1:16020, rs2:16020",
                        "high-priority handlers: 20, of which 2 accept writes, on rs1:16020, rs2:16020");
    }

    @Test
    void everyCheckReportsAHealthyCluster() {
        assertThat(Doctor.examine(views.cluster())).hasSize(25);
    }

    static Stream<Arguments> settings() {
        return Stream.of(
                Arguments.of(ServerSetting.SPLIT_TO_HFILE, "true", Level.PROBLEM, "wal-split-to-hfile"),
                Arguments.of(ServerSetting.ABORT_ON_ERROR, "false", Level.PROBLEM, "abort-on-error"),
                Arguments.of(ServerSetting.COPROCESSORS, "false", Level.PROBLEM, "coprocessors"),
                Arguments.of(ServerSetting.TABLE_COPROCESSORS, "false", Level.PROBLEM, "table-coprocessors"),
                Arguments.of(ServerSetting.SPLIT_WRITERS, "1", Level.PROBLEM, "wal-split-threads"),
                Arguments.of(ServerSetting.HANDLERS, "4", Level.WARNING, "handlers"),
                Arguments.of(ServerSetting.PRIORITY_HANDLERS, "2", Level.WARNING, "priority-handlers"),
                Arguments.of(ServerSetting.DELIVERY_TIMEOUT, "60000", Level.WARNING, "client-time-out"),
                Arguments.of(ServerSetting.MEMORY_COMPACTION, "eager", Level.PROBLEM, "definitions"),
                Arguments.of(ServerSetting.HISTORICAL_FILES, "true", Level.PROBLEM, "definitions"));
    }

    @ParameterizedTest
    @MethodSource("settings")
    void findsASettingThatWeakensAPromise(ServerSetting setting, String value, Level level, String check) {
        views.settings.put(setting, value);

        assertThat(wrong()).singleElement().satisfies(finding -> {
            assertThat(finding.level()).isEqualTo(level);
            assertThat(finding.check()).isEqualTo(check);
            assertThat(finding.advice()).isNotEmpty();
        });
    }

    @Test
    void namesTheServersWithTheSetting() {
        views.settings.put(ServerSetting.SPLIT_TO_HFILE, "true");
        assertFinds(
                Level.PROBLEM,
                "wal-split-to-hfile",
                "hbase.wal.split.to.hfile is true on rs9:16020, rs1:16020, rs2:16020: a crash would lose index updates",
                "set it to false in hbase-site.xml of every server");
    }

    @Test
    void findsAMasterThatAsksTheObserverBeforePermissionsAreChecked() {
        String access = "org.apache.hadoop.hbase.security.access.AccessController";
        views.settings.put(ServerSetting.MASTER_COPROCESSORS, access + ", " + Coprocessors.INDEX_MASTER_OBSERVER);
        assertThat(wrong()).isEmpty();
        views.settings.put(ServerSetting.MASTER_COPROCESSORS, Coprocessors.INDEX_MASTER_OBSERVER + "," + access);
        assertFinds(
                Level.WARNING,
                "master-observer",
                "asks IndexMasterObserver before AccessController",
                "name AccessController first");
    }

    @Test
    void acceptsOneSplitThreadIfSplittingIsBounded() {
        views.settings.put(ServerSetting.SPLIT_WRITERS, "1");
        views.settings.put(ServerSetting.SPLIT_BOUNDED, "true");
        assertThat(wrong()).isEmpty();
    }

    /** The expected numbers are those that HBase logs when it creates its executor. */
    @ParameterizedTest
    @CsvSource({"20, 0.9, 2", "20, 0.5, 10", "2, 0.9, 1", "1, 0.9, 1", "0, 0.9, 1", "20, 0, 20", "0, 0, 0"})
    void countsTheHandlersThatAcceptIndexWrites(String handlers, String readShare, int writers) {
        views.settings.put(ServerSetting.PRIORITY_HANDLERS, handlers);
        views.settings.put(ServerSetting.PRIORITY_READ_SHARE, readShare);
        assertThat(PriorityHandlersCheck.writers(views.inspection(1, Set.of()))).isEqualTo(writers);
    }

    @Test
    void countsTheHandlersThatWritesCanUse() {
        views.settings.put(ServerSetting.HANDLERS, "30");
        views.settings.put(ServerSetting.READ_SHARE, "0.9");
        assertFinds(Level.WARNING, "handlers", "30, of which 3 accept writes", "30 or more");
    }

    @Test
    void findsThatNoHandlerIsLeftForIndexWrites() {
        views.settings.put(ServerSetting.PRIORITY_HANDLERS, "0");
        views.settings.put(ServerSetting.PRIORITY_READ_SHARE, "0");
        assertFinds(Level.PROBLEM, "priority-handlers", "wait for handlers that wait for them", "20 or more");
    }

    @Test
    void refusesASettingThatIsNotANumber() {
        views.settings.put(ServerSetting.HANDLERS, "many");
        assertThatThrownBy(this::wrong).hasMessageContaining("'many'").hasMessageContaining("correct it");
    }

    @Test
    void checksTheWriteTimeoutOfTheClient() {
        views.client.setInt("hbase.rpc.write.timeout", 20_000);
        assertFinds(Level.WARNING, "client-time-out", "this client waits 20000 ms", "above 30000");
    }

    @ParameterizedTest
    @CsvSource({"2.6.3, WARNING", "2.5.10-hadoop3, WARNING", "3.0.0, PROBLEM", "2.4.18, PROBLEM"})
    void findsAnUntestedVersionOfHBase(String version, Level level) {
        views.hbaseVersion = version;
        assertFinds(level, "hbase-version", "HBase " + version, "docs/compatibility.md");
    }

    @Test
    void findsAnUntestedVersionOfJava() {
        views.javaVersion = "21.0.1";
        assertFinds(Level.WARNING, "java-version", "Java 21.0.1", "Java 17");
    }

    @Test
    void findsAMasterWithoutTheObserver() {
        views.masterAnswers = false;
        assertFinds(Level.PROBLEM, "master-observer", Views.SILENCE, "hbase.coprocessor.master.classes");
    }

    @Test
    void reportsThatBackupMastersAreUnknown() {
        views.backups = List.of(ServerName.valueOf("second", 16000, 1));
        assertFinds(Level.WARNING, "master-observer", "second", "same jar");
    }

    @Test
    void findsAServerThatDoesNotAnswer() {
        views.secondAnswers = false;
        assertFinds(Level.WARNING, "region-servers", "rs2:16020", "hbase.coprocessor.regionserver.classes");
    }

    @Test
    void findsDifferentJars() {
        views.jarOfTheSecond = "cd".repeat(32);
        assertFinds(Level.PROBLEM, "diffindex-version", "(jar cdcdcdcdcdcd) on rs2:16020", "same diffindex-server jar");
    }

    @Test
    void findsServersOfAnotherVersionThanTheCommand() {
        views.version = "0.0.9";
        assertFinds(Level.PROBLEM, "diffindex-version", "the servers have version 0.0.9", "have the same version");
    }

    @Test
    void findsClocksThatDisagree() {
        views.clockOfTheSecond = Duration.ofSeconds(-4);
        assertFinds(Level.WARNING, "clocks", "differ by at most 4,000 ms", "NTP");
    }

    @Test
    void findsServersWhoseIndexWritesHaveNormalPriority() {
        views.urgent = false;
        assertFinds(Level.PROBLEM, "urgent-index-writes", "normal priority", "class path");
    }

    private void replaceBase(TableView base) {
        views.tables = List.of(base, Views.index());
    }

    private void replaceIndex(TableView index) {
        views.tables = List.of(Views.base(), index);
    }

    private static TableView withRegions(TableView table, List<RegionView> regions) {
        return new TableView(table.descriptor(), true, regions, table.status(), 0, "");
    }

    private static TableView withDescriptor(TableView table, TableDescriptor descriptor) {
        return new TableView(descriptor, true, table.regions(), table.status(), 0, "");
    }

    private static TableView disabled(TableView table) {
        return TableView.notAsked(table.descriptor(), false, List.of());
    }

    @Test
    void findsARegionOfABaseTableWithoutTheObserver() {
        List<RegionView> regions = new ArrayList<>(Views.base().regions());
        regions.add(Views.silentRegion());
        replaceBase(withRegions(Views.base(), regions));
        assertFinds(
                Level.PROBLEM, "index-observers", "1 of 3 regions of flights do not answer as IndexObserver", "scrub");
    }

    @Test
    void findsARegionThatDoesNotMaintainAnIndexOfItsTable() {
        replaceBase(withRegions(Views.base(), Views.regions(Set.of("another"))));
        assertFinds(Level.PROBLEM, "index-observers", "lacks [by_origin]", "disable and enable the table");
    }

    @Test
    void findsARegionOfAnIndexTableWithoutTheGuard() {
        replaceIndex(withRegions(Views.index(), List.of(Views.silentRegion())));
        assertFinds(Level.PROBLEM, "index-table-guards", "region3 on rs2:16020", "class path");
    }

    @Test
    void findsAnIndexThatIsNotActive() {
        TableView index = Views.index();
        replaceIndex(withDescriptor(index, IndexDefinitions.withState(index.descriptor(), IndexState.BUILDING)));
        assertFinds(
                Level.PROBLEM, "index-states", "by_origin of flights is BUILDING", "build status flights by_origin");
    }

    @Test
    void findsAnIndexThatIsBroken() {
        TableView index = Views.index();
        replaceIndex(withDescriptor(index, IndexDefinitions.broken(index.descriptor(), "the disk is full")));
        assertFinds(
                Level.PROBLEM,
                "index-states",
                "by_origin of flights is BROKEN, and cannot be read: the disk is full",
                "build resume flights by_origin");
    }

    @Test
    void findsAnIndexThatIsDisabledAndOneOnItsWayThereOrBack() {
        TableView index = Views.index();
        TableView disabled = withDescriptor(index, IndexDefinitions.disabled(index.descriptor(), "the definition"));
        replaceIndex(disabled);
        assertFinds(
                Level.PROBLEM,
                "index-states",
                "the disabling of index by_origin of flights was interrupted",
                "disable-index flights by_origin");
        views.tables = List.of(disabled);
        assertFinds(
                Level.WARNING, "index-states", "there is no table flights any more", "drop-index flights by_origin");
        views.tables = List.of(
                disabled,
                withDescriptor(
                        Views.base(), IndexDefinitions.withoutAny(Views.base().descriptor())));
        assertFinds(
                Level.WARNING,
                "index-states",
                "index by_origin of flights is DISABLED: no write maintains it",
                "enable-index flights by_origin");
        views.tables = List.of(
                withDescriptor(disabled, IndexDefinitions.withState(disabled.descriptor(), IndexState.BUILDING)),
                withDescriptor(
                        Views.base(), IndexDefinitions.withoutAny(Views.base().descriptor())));
        assertFinds(
                Level.PROBLEM,
                "index-states",
                "the enabling of index by_origin of flights was interrupted",
                "enable-index flights by_origin");
    }

    @Test
    void findsAChangeOfTheColumnsThatIsNotComplete() {
        IndexDefinition present = Views.definition();
        IndexDefinition shadow = IndexDefinition.builder(present.table(), present.name())
                .column("f", "dest", ColumnTypes.STRING)
                .build()
                .asShadowOf(present)
                .withId("id2");
        TableDescriptor own = IndexDefinitions.markIndexTable(
                        TableDescriptorBuilder.newBuilder(shadow.indexTable()), shadow, IndexState.BUILDING)
                .build();
        TableView second = TableView.notAsked(own, true, List.of());
        TableDescriptor base = Views.base().descriptor();
        TableView maintained = new TableView(
                base,
                true,
                Views.regions(Set.of(present.name(), shadow.name())),
                Views.base().status(),
                0,
                "");
        views.tables = List.of(withDescriptor(maintained, IndexDefinitions.with(base, shadow)), Views.index(), second);
        assertFinds(
                Level.WARNING,
                "column-changes",
                "the columns of index by_origin of flights are being changed: its table flights.by_origin.2 is BUILDING",
                "alter-index flights by_origin --cancel");
        views.tables = List.of(
                withDescriptor(
                        maintained,
                        IndexDefinitions.withAll(
                                base,
                                List.of(shadow.withRole(IndexRole.IN_SERVICE), present.withRole(IndexRole.RETIRED)))),
                Views.index(),
                TableView.notAsked(IndexDefinitions.withState(own, IndexState.ACTIVE), true, List.of()));
        assertFinds(
                Level.WARNING,
                "column-changes",
                "every write still maintains flights.by_origin, which is to be dropped",
                "repeat the change with --wait");
        views.tables = List.of(Views.base(), Views.index(), second);
        assertFinds(
                Level.WARNING,
                "column-changes",
                "table flights.by_origin.2 is what a change of the columns of index by_origin of flights has left",
                "cancel it again");
    }

    @Test
    void findsAnIndexWhoseSchemeIsBeingChanged() {
        TableView index = Views.index();
        SchemeState begun = SchemeState.begin(Optional.empty(), IndexScheme.SYNC_FULL, IndexScheme.ASYNC_SIMPLE, "c1");
        replaceIndex(withDescriptor(index, IndexDefinitions.withSchemeState(index.descriptor(), begun)));
        assertFinds(
                Level.WARNING,
                "index-states",
                "by_origin of flights is being changed to async-simple, and promises what async-simple does",
                "alter-index flights by_origin --scheme async-simple");
        replaceIndex(withDescriptor(
                index,
                TableDescriptorBuilder.newBuilder(index.descriptor())
                        .setValue("diffindex.scheme", "{}")
                        .build()));
        assertFinds(
                Level.PROBLEM,
                "index-states",
                "by_origin of flights cannot be read: The value diffindex.scheme",
                "rebuild-index flights by_origin");
    }

    /** Nothing is wrong with such an index; a rebuild or a drop would only take it out of service. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "diffindex.scheme | {\"fence\":\"c1\"} | [fence], which this build",
                "diffindex.state  | MERGING           | its state is MERGING, which this build",
                "diffindex.format | 7                 | its format is 7, and this build"
            })
    void doesNotExamineWhatOnlyALaterBuildKnows(String value, String text, String why) {
        TableView index = Views.index();
        TableView later = withDescriptor(
                index,
                TableDescriptorBuilder.newBuilder(index.descriptor())
                        .setValue(value, text)
                        .build());
        replaceIndex(later);
        assertTells("index-states", "index by_origin of flights was not examined: ", why);

        boolean isOwnerUnknown = !value.equals("diffindex.scheme");
        if (isOwnerUnknown) {
            views.tables = List.of(later);
            assertTells("index-tables", "table flights.by_origin of an index was not examined: ", why);
        }
        if (value.equals("diffindex.format")) {
            views.tables = List.of(
                    withDescriptor(later, IndexDefinitions.disabled(later.descriptor(), "{}")),
                    withDescriptor(
                            Views.base(),
                            IndexDefinitions.withoutAny(Views.base().descriptor())));
            assertTells("index-states", "index by_origin of flights was not examined: ", why);
        }
    }

    private void assertTells(String check, String... states) {
        assertThat(wrong())
                .filteredOn(finding -> finding.check().equals(check))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.level()).isEqualTo(Level.WARNING);
                    assertThat(finding.state()).contains(states);
                    assertThat(finding.advice()).startsWith("use the build of Diff-Index");
                });
        assertThat(wrong())
                .extracting(Finding::advice)
                .noneMatch(advice -> advice.contains("rebuild-index")
                        || advice.contains("drop-index")
                        || advice.contains("enable-index"));
    }

    @Test
    void findsADisabledIndexTable() {
        replaceIndex(disabled(Views.index()));
        assertFinds(Level.PROBLEM, "index-tables", "table flights.by_origin is disabled", "enable 'flights.by_origin'");
    }

    @Test
    void findsADisabledBaseTable() {
        replaceBase(disabled(Views.base()));
        assertFinds(Level.WARNING, "index-tables", "table flights is disabled", "enable it");
    }

    @Test
    void findsAnIndexWithoutItsTable() {
        views.tables = List.of(Views.base());
        assertFinds(Level.PROBLEM, "index-tables", "has no table flights.by_origin", "drop-index flights by_origin");
    }

    @Test
    void findsATableOfAnotherIndex() {
        replaceBase(Views.base(Views.definition().withId("id2")));
        assertFinds(Level.PROBLEM, "index-tables", "belongs to another index", "drop-index flights by_origin");
    }

    @Test
    void findsAnIndexWhoseDropWasInterrupted() {
        TableView index = Views.index();
        replaceIndex(withDescriptor(index, IndexDefinitions.withState(index.descriptor(), IndexState.DROPPING)));
        assertFinds(
                Level.PROBLEM,
                "index-tables",
                "the drop of index by_origin of flights was interrupted",
                "drop-index flights by_origin");
    }

    @Test
    void findsTheRemainsOfAnIndex() {
        views.tables = List.of(Views.index());
        assertFinds(Level.WARNING, "index-tables", "is the remains of an index", "drop-index flights by_origin");
    }

    @ParameterizedTest
    @CsvSource({"7, 0", "0, 3"})
    void findsUndeliveredUpdates(long undelivered, long files) {
        TableView base = Views.base();
        replaceBase(new TableView(
                base.descriptor(), true, base.regions(), Optional.of(Views.status(files)), undelivered, ""));
        assertFinds(
                Level.WARNING,
                "waiting-updates",
                "table flights: " + undelivered + " batches of index updates were not delivered within 10 s, and "
                        + files + " files on disk wait",
                "drain flights");
    }

    @Test
    void findsADefinitionThatCannotWork() throws Exception {
        TableDescriptor eager = IndexDefinitions.with(
                Views.baseDescriptor()
                        .modifyColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("f"))
                                .setInMemoryCompaction(MemoryCompactionPolicy.ADAPTIVE)
                                .build())
                        .build(),
                Views.definition());
        replaceBase(withDescriptor(Views.base(), eager));
        assertFinds(Level.PROBLEM, "definitions", "in-memory compaction ADAPTIVE", "scrub flights");
    }

    @Test
    void findsASettingOfTheServersUnderWhichTheMasterRefusesTheTables() {
        views.settings.put(ServerSetting.HISTORICAL_FILES, "true");
        assertFinds(
                Level.PROBLEM,
                "definitions",
                "with the settings of rs9:16020, rs1:16020, rs2:16020: Table flights cannot be indexed: column family f"
                        + " has hbase.enable.historical.compaction.files=true",
                "scrub flights");
    }

    /** The first server with a setting of its own is not the one that matters. */
    @Test
    void examinesTheTablesUnderTheSettingsOfEachServer() {
        views.settings.put(ServerSetting.MEMORY_COMPACTION, "BASIC");
        assertThat(wrong()).isEmpty();
        views.settingsOfTheSecond.put(ServerSetting.MEMORY_COMPACTION, "EAGER");
        assertFinds(
                Level.PROBLEM,
                "definitions",
                "with the settings of rs2:16020: Table flights cannot be indexed: column family f has in-memory"
                        + " compaction EAGER",
                "scrub flights");
    }

    @Test
    void examinesStripesWhereThatMatters() throws Exception {
        views.settings.put(ServerSetting.STORE_ENGINE, "org.apache.hadoop.hbase.regionserver.StripeStoreEngine");
        assertThat(wrong()).isEmpty();
        TableDescriptor ordered = IndexDefinitions.with(
                Views.baseDescriptor()
                        .modifyColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("f"))
                                .setNewVersionBehavior(true)
                                .build())
                        .build(),
                Views.definition());
        replaceBase(withDescriptor(Views.base(), ordered));
        assertFinds(
                Level.PROBLEM,
                "definitions",
                "column family f has NEW_VERSION_BEHAVIOR and is kept in stripes",
                "scrub flights");
        views.settings.clear();
        assertThat(wrong()).isEmpty();
    }

    @Test
    void findsADefinitionThatCannotBeRead() {
        TableDescriptor unreadable = TableDescriptorBuilder.newBuilder(
                        Views.base().descriptor())
                .setValue("diffindex.index.by_origin", "{}")
                .build();
        views.tables = List.of(withDescriptor(Views.base(), unreadable));
        assertFinds(
                Level.PROBLEM, "definitions", "definition of index by_origin on flights is not valid", "correct that");
    }

    @Test
    void namesTheServersThatDoNotKnowTheFormatOfAnIndex() throws Exception {
        views.tables = List.of(
                Views.base(),
                TableView.notAsked(
                        Views.indexDescriptor()
                                .setValue("diffindex.format", "2")
                                .build(),
                        true,
                        Views.regions(Set.of())));
        views.formatOfTheSecond = 2;
        assertThat(wrong())
                .filteredOn(finding -> finding.check().equals("index-formats"))
                .singleElement()
                .satisfies(finding -> {
                    assertThat(finding.level()).isEqualTo(Level.PROBLEM);
                    assertThat(finding.state())
                            .contains("an index has format 2, which is not known to rs9:16020, rs1:16020");
                    assertThat(finding.advice()).contains("upgrade Diff-Index on these servers");
                });
    }

    @Test
    void warnsOfServersThatKnowDifferentFormats() {
        views.formatOfTheSecond = 2;
        assertFinds(
                Level.WARNING,
                "index-formats",
                "different formats of indexes: up to 1 on rs9:16020, rs1:16020; up to 2 on rs2:16020",
                "upgrade Diff-Index on these servers");
    }

    @Test
    void doesNotExamineADefinitionOfALaterBuild() {
        views.tables = List.of(withDescriptor(Views.base(), withDefinition("by_origin", "{\"covered\":[]}")));
        assertFinds(
                Level.WARNING,
                "definitions",
                "index by_origin of flights was not examined",
                "use the build of Diff-Index with which that index was made");
    }

    private static TableDescriptor withDefinition(String name, String text) {
        return TableDescriptorBuilder.newBuilder(Views.base().descriptor())
                .setValue("diffindex.index." + name, text)
                .build();
    }

    private static TableView tableOf(String index) throws Exception {
        TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(TableName.valueOf("flights." + index))
                .setValue("diffindex.id", "id2");
        for (ColumnFamilyDescriptor family : Views.indexDescriptor().build().getColumnFamilies()) {
            table.setColumnFamily(family);
        }
        TableDescriptor marked =
                IndexDefinitions.markIndexTable(table, Views.FLIGHTS).build();
        return TableView.notAsked(IndexDefinitions.withState(marked, IndexState.ACTIVE), true, Views.regions(Set.of()));
    }

    /** The command that is advised for left-over tables would drop live indexes. */
    @ParameterizedTest
    @ValueSource(strings = {"{}", LACKING})
    void noTableIsLeftOverBecauseADefinitionCannotBeLoaded(String text) throws Exception {
        TableView base = Views.base();
        views.tables = List.of(
                withDescriptor(
                        withRegions(base, Views.regions(Set.of("by_origin", "by_day"))),
                        withDefinition("by_day", text)),
                Views.index(),
                tableOf("by_day"));
        assertThat(wrong()).extracting(Finding::check).containsExactly("definitions");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", LACKING})
    void findsAnInterruptedDropOfAnIndexThatCannotBeLoaded(String text) throws Exception {
        TableView dropping = tableOf("by_day");
        views.tables = List.of(
                withDescriptor(
                        withRegions(Views.base(), Views.regions(Set.of("by_origin", "by_day"))),
                        withDefinition("by_day", text)),
                Views.index(),
                withDescriptor(dropping, IndexDefinitions.withState(dropping.descriptor(), IndexState.DROPPING)));
        assertThat(wrong()).extracting(Finding::check).containsExactlyInAnyOrder("definitions", "index-tables");
        assertThat(wrong())
                .extracting(Finding::state)
                .anyMatch(state -> state.contains("the drop of index by_day of flights was interrupted"));
    }

    /** The state is in the index table, which tells it also to a command that lacks the class of a column. */
    @Test
    void findsAnIndexThatIsBuildingAndCannotBeLoaded() throws Exception {
        TableView building = tableOf("by_day");
        views.tables = List.of(
                withDescriptor(
                        withRegions(Views.base(), Views.regions(Set.of("by_origin", "by_day"))),
                        withDefinition("by_day", LACKING)),
                Views.index(),
                withDescriptor(building, IndexDefinitions.withState(building.descriptor(), IndexState.BUILDING)));
        assertThat(Doctor.examine(views.cluster()))
                .extracting(Finding::state)
                .noneMatch(state -> state.contains("indexes are ACTIVE"));
        assertThat(wrong()).extracting(Finding::check).contains("index-states");
    }

    /** The servers have the class, and the index is healthy: the doctor only could not examine it. */
    @Test
    void warnsOfADefinitionWhoseClassTheCommandLacks() throws Exception {
        views.tables = List.of(
                withDescriptor(
                        withRegions(Views.base(), Views.regions(Set.of("by_origin", "by_day"))),
                        withDefinition("by_day", LACKING)),
                Views.index(),
                tableOf("by_day"));
        assertFinds(
                Level.WARNING,
                "definitions",
                "index by_day of flights was not examined: The column type's class is not on the class path",
                "class path of bin/diffindex");
    }

    @Test
    void examinesTheOtherDefinitionsBesideOneThatCannotBeLoaded() throws Exception {
        views.settings.put(ServerSetting.MEMORY_COMPACTION, "eager");
        views.tables = List.of(
                withDescriptor(
                        withRegions(Views.base(), Views.regions(Set.of("by_origin", "by_day"))),
                        withDefinition("by_day", LACKING)),
                Views.index(),
                tableOf("by_day"));
        assertThat(wrong()).extracting(Finding::level).containsExactly(Level.WARNING, Level.PROBLEM);
        assertThat(wrong()).extracting(Finding::check).containsOnly("definitions");
    }

    @Test
    void findsWhatIsWrongWithAnIndexWhoseClassTheCommandLacks() throws Exception {
        TableView base = withDescriptor(Views.base(), withDefinition("by_day", LACKING));
        views.tables = List.of(base, Views.index());
        assertThat(wrong())
                .extracting(Finding::state)
                .anyMatch(state -> state.contains("which lacks [by_day]"))
                .anyMatch(state -> state.contains("index by_day of flights has no table flights.by_day"));
    }

    @Test
    void findsATableWhoseStatusIsNotKnown() {
        TableView base = Views.base();
        replaceBase(new TableView(base.descriptor(), true, base.regions(), Optional.empty(), 0, "disk on fire"));
        assertFinds(Level.PROBLEM, "waiting-updates", "not known whether index updates wait: disk on fire", "status");
    }

    /** A region of the one table does not answer, so that its status was not asked for. */
    @Test
    void doesNotSayThatAllUpdatesAreDeliveredIfATableWasNotAsked() {
        TableView base = Views.base();
        List<RegionView> regions = List.of(base.regions().get(0), Views.silentRegion());
        TableDescriptor other = TableDescriptorBuilder.copy(TableName.valueOf("others"), base.descriptor());
        views.tables = List.of(TableView.notAsked(other, true, regions), base, Views.index());
        assertThat(Doctor.examine(views.cluster()))
                .extracting(Finding::state)
                .noneMatch(state -> state.startsWith("index updates are delivered"))
                .anyMatch(state -> state.startsWith("table others: it is not known whether index updates wait"));
    }

    @Test
    void theLookRecordsWhyATableDoesNotReportItsStatus() {
        TableView base = Views.base();
        TableView silent = ClusterLook.base(
                base.descriptor(),
                base.regions(),
                table -> {
                    throw new IOException("away");
                },
                (table, timeout) -> 7);
        assertThat(silent.status()).isEmpty();
        assertThat(silent.silence()).isEqualTo("away");
        TableView unreadable =
                ClusterLook.base(base.descriptor(), base.regions(), table -> Views.status(0), (table, timeout) -> {
                    throw new IOException("Changes on disk could not be read yet");
                });
        assertThat(unreadable.status()).isPresent();
        assertThat(unreadable.silence()).isEqualTo("Changes on disk could not be read yet");
        TableView fine =
                ClusterLook.base(base.descriptor(), base.regions(), table -> Views.status(0), (table, timeout) -> 7);
        assertThat(fine.undelivered()).isEqualTo(7);
        assertThat(fine.silence()).isEmpty();
    }

    private static final TableDescriptor OTHER = TableDescriptorBuilder.newBuilder(TableName.valueOf("other"))
            .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
            .build();

    private static Optional<TableView> view(TableDescriptor table) {
        return Optional.of(TableView.notAsked(table, true, List.of()));
    }

    /** Otherwise the index would seem to have no table, and regions that do not maintain it. */
    @Test
    void looksAgainIfAnIndexIsDroppedWhileItLooks() throws IOException {
        TableDescriptor base = Views.base().descriptor();
        TableDescriptor without = TableDescriptorBuilder.newBuilder(Views.FLIGHTS)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                .build();
        assertThat(without).isNotEqualTo(base);
        Iterator<List<TableDescriptor>> listings =
                List.of(List.of(base), List.of(without), List.of(without)).iterator();
        List<TableView> views = ClusterLook.tables(listings::next, DoctorTest::view);
        assertThat(views).extracting(TableView::descriptor).containsExactly(without);
        assertThat(listings.hasNext()).isFalse();
    }

    @Test
    void reportsNothingOfAnIndexThatChangesDuringEachLook() throws IOException {
        List<TableDescriptor> listed = new ArrayList<>();
        List<TableView> views = ClusterLook.tables(
                () -> {
                    listed.add(TableDescriptorBuilder.newBuilder(Views.FLIGHTS)
                            .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                            .setValue("change", Integer.toString(listed.size()))
                            .build());
                    return List.of(listed.get(listed.size() - 1), OTHER);
                },
                DoctorTest::view);
        assertThat(views).extracting(TableView::descriptor).containsExactly(OTHER);
    }

    @Test
    void findsATableThatNamesAJar() throws Exception {
        TableDescriptor named = IndexDefinitions.with(
                TableDescriptorBuilder.newBuilder(Views.FLIGHTS)
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                        .setCoprocessor(CoprocessorDescriptorBuilder.newBuilder(Coprocessors.INDEX_OBSERVER)
                                .setJarPath("hdfs://nn/diffindex.jar")
                                .build())
                        .build(),
                Views.definition());
        replaceBase(withDescriptor(Views.base(), named));
        assertFinds(Level.WARNING, "jar-path", "flights load the jar from hdfs://nn/diffindex.jar", "class path");
    }

    @Test
    void findsReplicationAndReplicas() throws Exception {
        TableDescriptor replicated = IndexDefinitions.with(
                Views.baseDescriptor()
                        .modifyColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("f"))
                                .setScope(1)
                                .build())
                        .setRegionReplication(3)
                        .build(),
                Views.definition());
        replaceBase(withDescriptor(Views.base(), replicated));
        assertThat(wrong())
                .extracting(Finding::state)
                .satisfiesExactly(
                        state -> assertThat(state).startsWith("table flights is replicated"),
                        state -> assertThat(state).startsWith("table flights has 3 region replicas"));
    }

    @Test
    void findsTombstonesThatExpireEarly() throws Exception {
        TableDescriptor forgetful = Views.indexDescriptor()
                .modifyColumnFamily(ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes("i"))
                        .setConfiguration("hbase.hstore.time.to.purge.deletes", "60000")
                        .build())
                .build();
        replaceIndex(withDescriptor(Views.index(), forgetful));
        assertFinds(Level.WARNING, "tombstones", "60000 ms", "86400000");
    }

    /** It has no tombstones that anybody needs. */
    @Test
    void asksNothingOfTheFamilyInWhichABuildRemembersHowFarItIs() throws Exception {
        TableDescriptor building = BuildFamily.add(Views.indexDescriptor().build(), OptionalDouble.empty(), false);
        replaceIndex(withDescriptor(Views.index(), building));
        assertThat(wrong()).extracting(Finding::check).doesNotContain("tombstones");
    }

    @Test
    void printsFindingsAsTextAndJson() {
        views.secondAnswers = false;
        views.masterAnswers = false;
        StringWriter text = new StringWriter();
        DoctorText.print(wrong(), new PrintWriter(text, true));

        assertThat(text.toString().lines())
                .hasSize(5)
                .anyMatch(line -> line.startsWith("problem  master-observer  the master rs9:16020 does not answer"))
                .anyMatch(line -> line.startsWith("                          -> put diffindex-server's jar"))
                .last()
                .isEqualTo("1 problems, 1 warnings; nothing was changed");
        JsonObject json = JsonParser.parseString(DoctorText.json(wrong())).getAsJsonObject();
        assertThat(json.get("problems").getAsInt()).isEqualTo(1);
        assertThat(json.get("findings").getAsJsonArray()).hasSize(2);
    }

    @Test
    void findsARegionThatCannotLoadItsIndexes() {
        TableView base = Views.base();
        List<RegionView> regions = List.of(base.regions().get(0), Views.unloadedRegion("class not found"));
        views.tables = List.of(TableView.notAsked(base.descriptor(), true, regions), Views.index());
        assertThat(wrong())
                .anySatisfy(finding -> {
                    assertThat(finding.level()).isEqualTo(Level.PROBLEM);
                    assertThat(finding.check()).isEqualTo("index-observers");
                    assertThat(finding.state())
                            .contains("1 of 2 regions of flights refuse writes, such as region4 on rs2:16020:"
                                    + " class not found");
                    assertThat(finding.advice()).contains("on the class path of that server");
                })
                .extracting(Finding::check)
                .containsExactlyInAnyOrder("index-observers", "waiting-updates");
    }

    @Test
    void serversMayTakeAsLongToAnswerAsTheUserSays() {
        Configuration patient = ClusterLook.impatient(new Configuration(false), Duration.ofMinutes(2));
        assertThat(patient.getInt(HConstants.HBASE_CLIENT_OPERATION_TIMEOUT, 0)).isEqualTo(120_000);
        assertThat(patient.getInt(HConstants.HBASE_RPC_TIMEOUT_KEY, 0)).isEqualTo(60_000);
    }
}
