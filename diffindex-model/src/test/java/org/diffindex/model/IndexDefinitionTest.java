package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class IndexDefinitionTest {
    private static final TableName FLIGHTS = TableName.valueOf("air:flights");

    private static IndexDefinition.Builder byOrigin() {
        return IndexDefinition.builder(FLIGHTS, "by_origin").column("f", "origin", ColumnTypes.STRING);
    }

    @Test
    void aNewIndexIsSyncFull() {
        IndexDefinition definition = byOrigin().build();
        assertThat(definition.scheme()).isEqualTo(IndexScheme.SYNC_FULL);
        assertThat(definition.indexTable()).isEqualTo(TableName.valueOf("air:flights.by_origin"));
        assertThat(definition.splitPoints()).isEmpty();
        assertThat(definition.table()).isEqualTo(FLIGHTS);
        assertThat(definition).hasToString("by_origin on air:flights (f:origin:string) sync-full");
    }

    @ParameterizedTest
    @EnumSource(IndexScheme.class)
    void isAsynchronousIfItsSchemeIs(IndexScheme scheme) {
        assertThat(byOrigin().scheme(scheme).build().isAsynchronous()).isEqualTo(scheme.isAsynchronous());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "-a", "a.b", "a:b", "a b", "a/b", "ä", "a\n"})
    void refusesANameThatCannotBePartOfATableName(String name) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IndexDefinition.builder(FLIGHTS, name)
                        .column("f", "q", ColumnTypes.INT)
                        .build())
                .withMessageContaining("'" + name + "' does not fit");
    }

    /** A session is told of its changes in cells whose families, of 127 bytes at most, are the names of indexes. */
    @Test
    void aNewIndexHasAShortName() {
        IndexDefinition.Builder longest = named(FLIGHTS, "i".repeat(127));
        assertThat(longest.build().name()).hasSize(127);
        assertThat(SessionChange.toResult(List.of(SessionChange.noEntry(longest.build(), new byte[] {1}, 1)))
                        .size())
                .isEqualTo(1);
        assertThatIllegalArgumentException()
                .isThrownBy(named(FLIGHTS, "i".repeat(128))::build)
                .withMessageContaining("its name has 128 bytes, and 127 are the most; choose a shorter name");
    }

    /** The names of folders in HDFS have 255 bytes at most. */
    @Test
    void theTableOfANewIndexHasANameThatHdfsAccepts() {
        TableName longTable = TableName.valueOf("namespace", "t".repeat(200));
        assertThat(named(longTable, "i".repeat(54)).build().indexTable().getQualifier())
                .hasSize(255);
        assertThatIllegalArgumentException()
                .isThrownBy(named(longTable, "i".repeat(55))::build)
                .withMessageContaining("TABLE.INDEX of its table has 256 bytes, and 255 are the most");
    }

    /** An earlier build may have created it. */
    @Test
    void anExistingIndexMayHaveALongName() {
        String text = DefinitionJson.of(byOrigin().build());
        String name = "i".repeat(300);
        assertThat(IndexDefinitions.parse(FLIGHTS, name, text).name()).isEqualTo(name);
    }

    private static IndexDefinition.Builder named(TableName table, String name) {
        return IndexDefinition.builder(table, name).column("f", "q", ColumnTypes.INT);
    }

    @Test
    void refusesAnIndexWithoutAColumnOrWithOneTwice() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IndexDefinition.builder(FLIGHTS, "none").build())
                .withMessage("Index none on air:flights has no column; name at least one");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        byOrigin().column("f", "origin", ColumnTypes.STRING).build())
                .withMessage("Index by_origin on air:flights names a column twice");
    }

    @Test
    void anIndexHasTheFirstFormatThatHasItsColumns() {
        ColumnType newest = ColumnTypes.parse("long:desc");
        assertThat(byOrigin().build().format()).isEqualTo(1);
        assertThat(byOrigin().format(2).build().format()).isEqualTo(2);
        IndexDefinition descending = byOrigin().column("f", "time", newest).build();
        assertThat(descending.format()).isEqualTo(2);
        assertThat(IndexDefinitions.of(IndexDefinitions.with(
                        TableDescriptorBuilder.newBuilder(FLIGHTS).build(), descending)))
                .containsValue(descending);
        IndexDefinition.Builder early = byOrigin().format(1).column("f", "time", newest);
        assertThatThrownBy(early::build)
                .isInstanceOfSatisfying(InvalidDefinitionException.class, e -> assertThat(e.reason())
                        .isEqualTo(InvalidDefinitionException.Reason.FORMAT_TOO_EARLY))
                .hasMessageStartingWith("Index by_origin on air:flights cannot have format 1: ");
    }

    private static IndexDefinition.Builder covering() {
        return byOrigin().include("f", "delay", ColumnTypes.INT).include("g", "gate", ColumnTypes.STRING);
    }

    @Test
    void aCoveringIndexReadsTheColumnsThatItIncludes() {
        IndexDefinition definition = covering().build();
        assertThat(definition.format()).isEqualTo(2);
        assertThat(definition.keyColumns()).hasToString("[f:origin:string]");
        assertThat(definition.readColumns()).hasToString("[f:origin:string, f:delay:int, g:gate:string]");
        assertThat(definition).isNotEqualTo(byOrigin().format(2).build());
        assertThat(definition.hasShapeOf(
                        covering().include("f", "x", ColumnTypes.BYTES).build()))
                .isFalse();
        assertThat(definition.toString()).contains("including (f:delay:int,g:gate:string)");
        TableDescriptor stored =
                IndexDefinitions.with(TableDescriptorBuilder.newBuilder(FLIGHTS).build(), definition);
        assertThat(IndexDefinitions.of(stored)).containsValue(definition);
        IndexDefinition changed =
                definition.withScheme(IndexScheme.ASYNC_SIMPLE).withId("7");
        assertThat(changed.included()).isEqualTo(definition.included());
        assertThat(definition.asShadowOf(byOrigin().build().withId("1")).included())
                .isEqualTo(definition.included());
        assertThat(DefinitionJson.columnsOf(IndexDefinitions.texts(stored).get("by_origin")))
                .as("of an index that cannot be loaded")
                .hasToString("[f:origin:bytes, f:delay:bytes, g:gate:bytes]");
    }

    private static IndexDefinition.Builder partial() {
        return byOrigin()
                .where(ColumnCondition.parse("f:delay:int >= 60"))
                .where(ColumnCondition.parse("f:delay:int < 600"))
                .where(ColumnCondition.parse("g:carrier in (AA,U\\,A)"))
                .where(ColumnCondition.parse("f:cancelled absent"));
    }

    @Test
    void aPartialIndexKeepsItsConditions() {
        IndexDefinition definition = partial().build();
        assertThat(definition.format()).isEqualTo(2);
        assertThat(definition.readColumns())
                .hasToString("[f:origin:string, f:delay:int, g:carrier:string, f:cancelled:string]");
        TableDescriptor stored =
                IndexDefinitions.with(TableDescriptorBuilder.newBuilder(FLIGHTS).build(), definition);
        assertThat(IndexDefinitions.of(stored)).containsValue(definition);
        String text = IndexDefinitions.texts(stored).get("by_origin");
        assertThat(DefinitionJson.columnsOf(text))
                .hasToString("[f:origin:bytes, f:delay:bytes, f:delay:bytes, g:carrier:bytes, f:cancelled:bytes]");
        assertThat(definition.asShadowOf(byOrigin().build().withId("1")).conditions())
                .isEqualTo(definition.conditions());
        assertThat(definition.hasShapeOf(byOrigin().format(2).build())).isFalse();
        assertThat(definition.toString()).contains("where [f:delay:int >= 60, f:delay:int < 600, g:carrier:string in");
        assertThatThrownBy(() -> DefinitionJson.parse(FLIGHTS, "i", text.replace("\">=\"", "\"like\"")))
                .hasMessageContaining("it has a condition with 'like', which this build of Diff-Index does not know");
        assertThatThrownBy(() -> DefinitionJson.parse(FLIGHTS, "i", text.replace("\"format\":2", "\"format\":1")))
                .hasMessageContaining("cannot have format 1");
    }

    @Test
    void refusesConditionsThatNoRowSatisfies() {
        for (String contradiction : List.of("f:delay:int < 60", "f:cancelled present", "f:origin absent")) {
            IndexDefinition.Builder builder = partial().where(ColumnCondition.parse(contradiction));
            assertThatThrownBy(builder::build)
                    .isInstanceOfSatisfying(InvalidDefinitionException.class, e -> assertThat(e.reason())
                            .isEqualTo(InvalidDefinitionException.Reason.CONTRADICTION))
                    .hasMessageStartingWith("Index by_origin on air:flights has ");
        }
    }

    private static void refused(IndexDefinition.Builder builder, InvalidDefinitionException.Reason reason) {
        assertThatThrownBy(builder::build)
                .isInstanceOfSatisfying(InvalidDefinitionException.class, e -> assertThat(e.reason())
                        .isEqualTo(reason))
                .hasMessageStartingWith("Index by_origin on air:flights includes ");
    }

    @Test
    void refusesToIncludeAColumnTwice() {
        refused(
                covering().include("f", "origin", ColumnTypes.BYTES),
                InvalidDefinitionException.Reason.INCLUDED_IN_KEY);
        refused(covering().include("f", "delay", ColumnTypes.BYTES), InvalidDefinitionException.Reason.INCLUDED_TWICE);
        refused(
                byOrigin().include("f", "delay", ColumnTypes.parse("int:desc")),
                InvalidDefinitionException.Reason.INCLUDED_IN_ORDER);
        IndexDefinition.Builder many = byOrigin();
        for (int i = 0; i <= IncludedColumns.MOST_COLUMNS; i++) {
            many.include("f", "q" + i, ColumnTypes.BYTES);
        }
        refused(many, InvalidDefinitionException.Reason.TOO_MANY_INCLUDED);
        assertThat(byOrigin()
                        .column("f", "packed", ColumnTypes.parse("struct(int,string)#0"))
                        .include("f", "packed", ColumnTypes.BYTES)
                        .build()
                        .included()
                        .columns())
                .as("the other fields are not in the key")
                .hasSize(1);
    }

    @Test
    void twoFieldsOfOnePackedColumnAreTwoColumns() {
        IndexDefinition definition = IndexDefinition.builder(FLIGHTS, "packed")
                .column("f", "q", ColumnTypes.parse("struct(int,string)#0"))
                .column("f", "q", ColumnTypes.parse("struct(int,string)#1"))
                .build();
        assertThat(definition.keyColumns()).hasSize(2);
    }

    @Test
    void aGetOrScanReadsTheColumnsThatAnEntryIsComputedFrom() {
        IndexDefinition definition = byOrigin().column("g", "", ColumnTypes.INT).build();
        Map<byte[], NavigableSet<byte[]>> read =
                definition.addReadColumns(new Get(new byte[1])).getFamilyMap();
        assertThat(read).containsOnlyKeys(Bytes.toBytes("f"), Bytes.toBytes("g"));
        assertThat(read.get(Bytes.toBytes("f"))).containsExactly(Bytes.toBytes("origin"));
        assertThat(read.get(Bytes.toBytes("g"))).containsExactly(new byte[0]);
        assertThat(definition.addReadColumns(new Scan()).getFamilyMap()).isEqualTo(read);
    }

    @Test
    void splitPointsAreKeysOfTheFirstColumnInAscendingOrder() {
        IndexDefinition definition = byOrigin().splitAt("P", "G").build();
        IndexKeyCodec codec = new IndexKeyCodec(definition);
        assertThat(definition.splitPoints()).isDeepEqualTo(new byte[][] {
            codec.prefix(List.of(Bytes.toBytes("G"))), codec.prefix(List.of(Bytes.toBytes("P")))
        });
    }

    @Test
    void refusesSplitPointsThatDoNotFitTheFirstColumn() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IndexDefinition.builder(FLIGHTS, "i").splitAt("G"))
                .withMessage("Add the columns before the split points of index i");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> byOrigin().splitAt(7))
                .withMessageContaining("Not a value of type string: 7");
    }

    @ParameterizedTest
    @EnumSource(IndexScheme.class)
    void aSchemeIsNamedAsInThePaper(IndexScheme scheme) {
        assertThat(IndexScheme.ofName(scheme.schemeName())).isEqualTo(scheme);
        assertThat(scheme.schemeName()).isIn("sync-full", "sync-insert", "async-simple", "async-session");
    }

    @Test
    void refusesAnUnknownSchemeAndListsTheKnownOnes() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IndexScheme.ofName("sync"))
                .withMessage("No index scheme is called 'sync'; the schemes are sync-full, sync-insert, async-simple,"
                        + " async-session");
    }

    @Test
    void aDescriptorKeepsItsDefinitions() {
        IndexDefinition first = byOrigin().splitAt("G").build();
        IndexDefinition second = IndexDefinition.builder(FLIGHTS, "a_second")
                .column(IndexedColumn.of(Bytes.toBytes("f"), new byte[] {0, ':', ',', (byte) 0xFF}, ColumnTypes.BYTES))
                .column("f", "packed", ColumnTypes.parse("struct(int,string)#1"))
                .column("f", "day", ColumnTypes.custom(EpochDay.class))
                .scheme(IndexScheme.ASYNC_SESSION)
                .splitAtKeys(new byte[] {0}, new byte[] {(byte) 0xFF, 1})
                .build();
        TableDescriptor none = TableDescriptorBuilder.newBuilder(FLIGHTS).build();

        TableDescriptor both = IndexDefinitions.with(IndexDefinitions.with(none, first), second);
        assertThat(IndexDefinitions.of(both))
                .containsOnlyKeys("a_second", "by_origin")
                .containsValues(first, second);
        assertThat(IndexDefinitions.of(IndexDefinitions.without(both, "by_origin")))
                .containsOnlyKeys("a_second");
        assertThat(IndexDefinitions.of(none)).isEmpty();
    }

    @Test
    void eachChangeOfTheDefinitionsIncrementsTheRevision() {
        TableDescriptor none = TableDescriptorBuilder.newBuilder(FLIGHTS).build();
        assertThat(IndexDefinitions.revisionOf(none)).isZero();
        assertThat(IndexDefinitions.definesAny(none)).isFalse();
        assertThat(IndexDefinitions.without(none, "by_origin")).isSameAs(none);

        TableDescriptor one = IndexDefinitions.with(none, byOrigin().build());
        long first = IndexDefinitions.revisionOf(one);
        assertThat(first).isPositive();
        assertThat(IndexDefinitions.isNextOf(none, one)).isTrue();
        assertThat(IndexDefinitions.definesAny(one)).isTrue();

        TableDescriptor again = IndexDefinitions.without(one, "by_origin");
        long second = IndexDefinitions.revisionOf(again);
        assertThat(second).isPositive();
        assertThat(second % (1 << 20)).as("count").isEqualTo(first % (1 << 20) + 1);
        assertThat(second >>> 42).as("series").isEqualTo(first >>> 42);
        assertThat(IndexDefinitions.isNextOf(one, again)).isTrue();
        assertThat(IndexDefinitions.isNextOf(none, again)).isFalse();
        assertThat(IndexDefinitions.isNextOf(again, again)).isFalse();
        assertThat(IndexDefinitions.definesAny(again)).isFalse();

        assertThat(IndexDefinitions.withRevision(again, second)).isSameAs(again);
        assertThat(IndexDefinitions.revisionOf(IndexDefinitions.withRevision(again, 7)))
                .isEqualTo(7);
        assertThat(IndexDefinitions.withRevision(again, 0)).isEqualTo(none);
    }

    @Test
    void aRequestToRemoveTheRevisionHasTheNextOne() {
        TableDescriptor none = TableDescriptorBuilder.newBuilder(FLIGHTS)
                .setValue("owner", "somebody")
                .build();
        TableDescriptor one = IndexDefinitions.with(none, byOrigin().build());
        TableDescriptor dropped = IndexDefinitions.without(one, "by_origin");
        TableDescriptor request = IndexDefinitions.forgettingRevision(dropped);
        assertThat(IndexDefinitions.isNextOf(dropped, request)).isTrue();
        assertThat(IndexDefinitions.forgetsRevision(dropped, request)).isTrue();
        assertThat(IndexDefinitions.forgetsRevision(dropped, dropped)).isFalse();
        assertThat(IndexDefinitions.forgetsRevision(dropped, none)).isFalse();
        assertThat(IndexDefinitions.forgetsRevision(none, request)).isFalse();
        assertThat(IndexDefinitions.forgetsRevision(one, dropped)).isFalse();
        assertThat(IndexDefinitions.forgetsRevision(
                        dropped, IndexDefinitions.with(dropped, byOrigin().build())))
                .isFalse();
        assertThat(IndexDefinitions.withoutAny(one)).isEqualTo(none);
        assertThat(IndexDefinitions.withoutAny(request)).isEqualTo(none);
        assertThat(IndexDefinitions.withoutAny(none)).isEqualTo(none);
    }

    /** Otherwise a late change of the indexes of before would pass for one of the present ones. */
    @Test
    void theRevisionsOfLaterIndexesDifferFromThoseOfBefore() {
        TableDescriptor none = TableDescriptorBuilder.newBuilder(FLIGHTS).build();
        TableDescriptor before = IndexDefinitions.with(none, byOrigin().build());
        TableDescriptor later = IndexDefinitions.with(none, byOrigin().build());
        assertThat(IndexDefinitions.isNextOf(later, IndexDefinitions.without(before, "by_origin")))
                .isFalse();
        assertThat(IndexDefinitions.isNextOf(later, later)).isFalse();
        assertThat(IndexDefinitions.isNextOf(before, later)).isFalse();
    }

    /** Otherwise the later of them would pass for a change that leaves the definitions as they are. */
    @Test
    void theRevisionsOfTwoClientsThatMakeTheSameChangeDiffer() {
        TableDescriptor one = IndexDefinitions.with(
                TableDescriptorBuilder.newBuilder(FLIGHTS).build(), byOrigin().build());
        TableDescriptor dropped = IndexDefinitions.without(one, "by_origin");
        TableDescriptor twin = IndexDefinitions.without(one, "by_origin");
        assertThat(IndexDefinitions.revisionOf(twin)).isNotEqualTo(IndexDefinitions.revisionOf(dropped));
        assertThat(IndexDefinitions.isNextOf(one, twin)).isTrue();
        assertThat(IndexDefinitions.isNextOf(dropped, twin)).isFalse();
    }

    /** After 2^20 changes. */
    @Test
    void aCountThatOverflowsGoesOn() {
        TableDescriptor one = IndexDefinitions.with(
                TableDescriptorBuilder.newBuilder(FLIGHTS).build(), byOrigin().build());
        long series = IndexDefinitions.revisionOf(one) >>> 42 << 42;
        TableDescriptor last = IndexDefinitions.withRevision(one, series + (1 << 20) - 1);
        TableDescriptor next = IndexDefinitions.without(last, "by_origin");
        assertThat(IndexDefinitions.isNextOf(last, next)).isTrue();
        assertThat(IndexDefinitions.revisionOf(next) >>> 42 << 42).isEqualTo(series);
    }

    @Test
    void parsesTheTextOfASingleDefinition() {
        IndexDefinition definition = byOrigin().splitAt("G").build();
        TableDescriptor descriptor =
                IndexDefinitions.with(TableDescriptorBuilder.newBuilder(FLIGHTS).build(), definition);
        String text = IndexDefinitions.texts(descriptor).get("by_origin");
        assertThat(IndexDefinitions.parse(FLIGHTS, "by_origin", text))
                .isEqualTo(definition)
                .hasSameHashCodeAs(definition);
    }

    @Test
    void anIndexTableNamesItsIndex() {
        IndexDefinition definition = byOrigin().build().withId("7f");
        TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(definition.indexTable());
        assertThat(IndexDefinitions.indexIdOf(builder.build())).isEmpty();
        TableDescriptor marked = IndexDefinitions.markIndexTable(builder, definition, IndexState.ACTIVE)
                .build();
        assertThat(IndexDefinitions.indexIdOf(marked)).isEqualTo("7f");
        assertThat(IndexDefinitions.baseTableOf(marked)).contains(FLIGHTS);
    }

    @Test
    void theTableOfAnIndexNamesItsStateToo() {
        IndexDefinition definition = byOrigin().build().withId("7f");
        TableDescriptor indexTable = IndexDefinitions.markIndexTable(
                        TableDescriptorBuilder.newBuilder(definition.indexTable()), definition, IndexState.BUILDING)
                .build();
        assertThat(IndexDefinitions.stateOf(indexTable)).isEqualTo(IndexState.BUILDING);
        assertThat(IndexDefinitions.isDropping(indexTable)).isFalse();
        TableDescriptor dropping = IndexDefinitions.withState(indexTable, IndexState.DROPPING);
        assertThat(IndexDefinitions.stateOf(dropping)).isEqualTo(IndexState.DROPPING);
        assertThat(IndexDefinitions.isDropping(dropping)).isTrue();
        assertThat(IndexDefinitions.indexIdOf(dropping)).isEqualTo("7f");
        assertThat(IndexDefinitions.baseTableOf(dropping)).contains(FLIGHTS);
    }

    /** It is not read then, whatever a later version means by its state. */
    @ParameterizedTest
    @ValueSource(strings = {"", "MADE UP", "active"})
    void anIndexWhoseStateIsUnknownCountsAsBuilding(String state) {
        TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(TableName.valueOf("t.i"));
        assertThat(IndexDefinitions.stateOf(table.build())).isEqualTo(IndexState.BUILDING);
        TableDescriptor unknown = table.setValue("diffindex.state", state).build();
        assertThat(IndexDefinitions.stateOf(unknown)).isEqualTo(IndexState.BUILDING);
    }

    /** Each state with those that may follow it, besides itself. */
    @ParameterizedTest
    @CsvSource({
        "BUILDING, ACTIVE BROKEN DISABLED DROPPING",
        "ACTIVE, BROKEN DISABLED DROPPING",
        "BROKEN, BUILDING DISABLED DROPPING",
        "DISABLED, BUILDING DROPPING",
        "DROPPING, ''"
    })
    void aStateIsFollowedOnlyBySome(IndexState state, String followers) {
        for (IndexState next : IndexState.values()) {
            boolean expected = next == state || List.of(followers.split(" ")).contains(next.name());
            assertThat(state.mayBecome(next)).as("from %s to %s", state, next).isEqualTo(expected);
        }
    }

    @Test
    void theTableOfAnIndexKeepsWhatItsStateNeeds() {
        TableDescriptor active = IndexDefinitions.markIndexTable(
                        TableDescriptorBuilder.newBuilder(byOrigin().build().indexTable()),
                        byOrigin().build().withId("id-1"),
                        IndexState.ACTIVE)
                .build();
        TableDescriptor broken = IndexDefinitions.broken(active, "a disk was lost");
        assertThat(IndexDefinitions.problemOf(broken)).contains("a disk was lost");
        assertThat(IndexDefinitions.isNextState(active, broken)).isTrue();
        assertThat(IndexDefinitions.differOnlyInState(active, broken)).isTrue();
        TableDescriptor disabled = IndexDefinitions.disabled(broken, "the definition");
        assertThat(IndexDefinitions.problemOf(disabled)).isEmpty();
        assertThat(IndexDefinitions.keptIn(disabled)).contains("the definition");
        assertThat(IndexDefinitions.isNextState(active, disabled)).isFalse();
        TableDescriptor renewed = IndexDefinitions.renewed(disabled, "id-2");
        assertThat(IndexDefinitions.indexIdOf(renewed)).isEqualTo("id-2");
        assertThat(IndexDefinitions.differOnlyInState(disabled, renewed))
                .as("the id")
                .isFalse();
        TableDescriptor enabled = IndexDefinitions.withState(renewed, IndexState.BUILDING);
        assertThat(IndexDefinitions.keptIn(enabled)).as("until it is complete").contains("the definition");
        assertThat(IndexDefinitions.keptIn(IndexDefinitions.withState(enabled, IndexState.ACTIVE)))
                .isEmpty();
    }

    /** Earlier versions drew the whole value at random. */
    @Test
    void countsTheChangesOfAStateFromAnEarlierVersionOn() {
        TableDescriptor old = TableDescriptorBuilder.newBuilder(FLIGHTS)
                .setValue("diffindex.state.change", "5f3a9c01")
                .build();
        TableDescriptor next = IndexDefinitions.withState(old, IndexState.ACTIVE);
        assertThat(IndexDefinitions.isNextState(old, next)).isTrue();
        assertThat(IndexDefinitions.isNextState(next, IndexDefinitions.withState(next, IndexState.ACTIVE)))
                .isTrue();
        assertThat(IndexDefinitions.isNextState(next, next)).isFalse();
    }

    @Test
    void anIndexTableNamesItsBaseTable() {
        TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(TableName.valueOf("air:flights.by_origin"));
        assertThat(IndexDefinitions.baseTableOf(builder.build())).isEmpty();
        assertThat(IndexDefinitions.baseTableOf(
                        IndexDefinitions.markIndexTable(builder, FLIGHTS).build()))
                .contains(FLIGHTS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "7",
                "{",
                "{}",
                "{\"columns\":[\"f:q\"],\"splits\":[],\"state\":\"ACTIVE\"}",
                "{\"columns\":[\"f:q\"],\"scheme\":null,\"splits\":[],\"state\":\"ACTIVE\"}",
                "{\"columns\":[\"f:q\"],\"scheme\":{},\"splits\":[],\"state\":\"ACTIVE\"}",
                "{\"columns\":[\"f:q\"],\"scheme\":[],\"splits\":[],\"state\":\"ACTIVE\"}",
                "{\"columns\":[\"f:q\"],\"scheme\":\"sync\",\"splits\":[],\"state\":\"ACTIVE\"}",
                "{\"columns\":\"f:q\",\"scheme\":\"sync-full\",\"splits\":[],\"state\":\"ACTIVE\"}",
                "{\"columns\":{},\"scheme\":\"sync-full\",\"splits\":[],\"state\":\"ACTIVE\"}",
                "{\"columns\":null,\"scheme\":\"sync-full\",\"splits\":[],\"state\":\"ACTIVE\"}",
                "{\"columns\":[null],\"scheme\":\"sync-full\",\"splits\":[],\"state\":\"ACTIVE\"}",
                "{\"columns\":[],\"scheme\":\"sync-full\",\"splits\":[],\"state\":\"ACTIVE\"}",
                "{\"columns\":[\"f:q:colour\"],\"scheme\":\"sync-full\",\"splits\":[],\"state\":\"ACTIVE\"}",
                "{\"columns\":[\"f:q\"],\"scheme\":\"sync-full\",\"state\":\"ACTIVE\"}",
                "{\"columns\":[\"f:q\"],\"scheme\":\"sync-full\",\"splits\":[\"%\"],\"state\":\"ACTIVE\"}",
                "{\"columns\":[\"f:q\"],\"scheme\":\"sync-full\",\"splits\":[[]],\"state\":\"ACTIVE\"}",
                "{\"columns\":[\"f:q\"],\"scheme\":\"sync-full\",\"splits\":[],\"state\":\"SLEEPING\"}",
                "{\"columns\":[\"f:q\"],\"scheme\":\"sync-full\",\"splits\":[],\"state\":[\"ACTIVE\",\"ACTIVE\"]}"
            })
    void refusesAnInvalidDefinitionAndNamesIt(String json) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DefinitionJson.parse(FLIGHTS, "broken", json))
                .withMessageStartingWith("The definition of index broken on air:flights is not valid: ")
                .withMessageEndingWith("[definition=" + json + "]")
                .withMessageNotContaining("Cannot invoke")
                .withMessageNotContaining("class ");
    }

    @Test
    void refusesADescriptorWithAnInvalidDefinition() {
        TableDescriptor descriptor = TableDescriptorBuilder.newBuilder(FLIGHTS)
                .setValue("diffindex.index.broken", "{}")
                .build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> IndexDefinitions.of(descriptor))
                .withMessageStartingWith("The definition of index broken on air:flights is not valid: ");
    }

    @Test
    void namesAMissingPart() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> DefinitionJson.parse(FLIGHTS, "broken", "{\"scheme\":\"sync-full\"}"))
                .withMessageContaining("it has no \"columns\"");
    }
}
