package org.diffindex.server.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyBoolean;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.model.Rebuild;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the steps by which a master begins the rebuild of an index, and that an interrupted one begins anew. */
class EmptyingTest {
    private BuiltTable table;
    private Admin admin;

    /** The state of both tables at the time of each truncation. */
    private final List<String> truncations = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void create() throws IOException {
        table = new BuiltTable();
        admin = table.connection.getAdmin();
        doAnswer(call -> truncations.add(describe())).when(admin).truncateTable(any(), anyBoolean());
        when(admin.isTableEnabled(table.index.indexTable())).thenReturn(true);
        store(IndexDefinitions.withState(own(), IndexState.ACTIVE));
    }

    private TableDescriptor own() {
        return table.tables.get(table.index.indexTable());
    }

    private TableDescriptor base() {
        return table.tables.get(BuiltTable.NAME);
    }

    private void store(TableDescriptor descriptor) {
        table.tables.put(descriptor.getTableName(), descriptor);
    }

    private void order() {
        store(Rebuild.ordered(own(), IndexDefinitions.texts(base()).get(table.index.name())));
    }

    private String describe() {
        return (IndexDefinitions.definesAny(base()) ? "defined" : "undefined")
                + (IndexDefinitions.indexIdOf(own()).equals(table.index.id()) ? ", same id" : ", other id")
                + (Rebuild.isDue(own()) ? ", due" : "");
    }

    private Emptying emptying() {
        return new Emptying(table.connection, new StateChanges(table.connection), BuiltTable.NAME);
    }

    private void assertBegun() {
        assertThat(Rebuild.isDue(own())).as("the order").isFalse();
        assertThat(IndexDefinitions.stateOf(own())).isEqualTo(IndexState.BUILDING);
        IndexDefinition defined = IndexDefinitions.of(base()).get(table.index.name());
        assertThat(defined.id()).isEqualTo(IndexDefinitions.indexIdOf(own())).isNotEqualTo(table.index.id());
        assertThat(defined.withId(table.index.id())).isEqualTo(table.index);
    }

    @Test
    void theTableIsEmptiedUnderAnotherIdWhileNoWriteMaintainsTheIndex() throws IOException {
        order();
        emptying().run();
        assertThat(truncations).containsExactly("undefined, other id, due");
        verify(admin).disableTable(table.index.indexTable());
        verify(admin).truncateTable(table.index.indexTable(), true);
        assertBegun();
    }

    /** Anybody who may create a table can make one that says so. */
    @Test
    void aTableThatOnlySaysThatItIsOfAnIndexIsNone() throws IOException {
        order();
        store(TableDescriptorBuilder.newBuilder(TableDescriptorBuilder.copy(TableName.valueOf("anybodys"), own()))
                .removeValue(Bytes.toBytes("diffindex.definition"))
                .build());
        emptying().run();
        assertBegun();
    }

    @Test
    void nothingHappensWithoutAnOrder() throws IOException {
        TableDescriptor before = own();
        emptying().run();
        assertThat(truncations).isEmpty();
        assertThat(own()).isEqualTo(before);
        verify(admin, never()).modifyTable(any(TableDescriptor.class));
    }

    /** A master before has ended when the base table had the definition, or lacked it. */
    @Test
    void anInterruptedRebuildBeginsAgainUnderAnotherId() throws IOException {
        order();
        store(Rebuild.renewed(own(), "id-2"));
        store(IndexDefinitions.with(base(), table.index.withId("id-2")));
        emptying().run();
        assertThat(truncations).containsExactly("undefined, other id, due");
        assertThat(IndexDefinitions.indexIdOf(own())).isNotEqualTo("id-2");
        assertBegun();

        order();
        store(IndexDefinitions.without(base(), table.index.name()));
        emptying().run();
        assertThat(truncations).hasSize(2);
        assertBegun();
    }

    /** A change of the scheme was complete just before the order, whose giver had read the definition before, and has died. */
    @Test
    void anIndexIsRebuiltWithTheSchemeThatItHas() throws IOException {
        order();
        IndexDefinition changed =
                table.index.withScheme(IndexScheme.ASYNC_SIMPLE).withChange("c");
        store(IndexDefinitions.with(base(), changed));
        emptying().run();
        IndexDefinition defined = IndexDefinitions.of(base()).get(table.index.name());
        assertThat(defined.scheme()).isEqualTo(IndexScheme.ASYNC_SIMPLE);
        assertThat(defined.id()).isEqualTo(IndexDefinitions.indexIdOf(own())).isNotEqualTo(table.index.id());
        assertThat(Rebuild.isDue(own())).as("the order").isFalse();
    }

    /** A snapshot was restored after the rebuild had begun, or even ended: the rows are not those that were indexed. */
    @Test
    void anIndexThatItsBaseTableDefinesUnderAnotherIdIsRebuilt() throws IOException {
        store(IndexDefinitions.with(base(), table.index.withId("id-0")));
        emptying().run();
        assertThat(truncations).containsExactly("undefined, other id, due");
        assertBegun();
    }

    @Test
    void theOrderStaysIfTheTableCannotBeEmptied() throws IOException {
        order();
        doThrow(new DoNotRetryIOException("the disk is full")).when(admin).truncateTable(any(), anyBoolean());
        assertThatThrownBy(() -> emptying().run()).hasMessageContaining("the disk is full");
        assertThat(Rebuild.isDue(own())).isTrue();
        assertThat(IndexDefinitions.definesAny(base())).isFalse();
    }

    @Test
    void anIndexThatAClientDisablesMeanwhileIsLeftToIt() throws IOException {
        order();
        doAnswer(call -> {
                    TableDescriptor changed = call.getArgument(0);
                    store(changed);
                    if (changed.getTableName().equals(BuiltTable.NAME)) {
                        store(IndexDefinitions.disabled(own(), "the definition"));
                    }
                    return null;
                })
                .when(admin)
                .modifyTable(any(TableDescriptor.class));
        emptying().run();
        assertThat(truncations).isEmpty();
        assertThat(IndexDefinitions.stateOf(own())).isEqualTo(IndexState.DISABLED);
        assertThat(IndexDefinitions.definesAny(base())).isFalse();
    }

    @Test
    void theIndexesOfATableChangeTogether() throws IOException {
        IndexDefinition other = IndexDefinition.builder(BuiltTable.NAME, "by_destination")
                .column("f", "destination", ColumnTypes.STRING)
                .build()
                .withId("id-9");
        TableName otherTable = other.indexTable();
        store(IndexDefinitions.with(base(), other));
        store(IndexDefinitions.markIndexTable(
                        TableDescriptorBuilder.newBuilder(TableDescriptorBuilder.copy(otherTable, own())),
                        other,
                        IndexState.ACTIVE)
                .build());
        List<String> changes = new ArrayList<>();
        doAnswer(call -> {
                    TableDescriptor changed = call.getArgument(0);
                    if (changed.getTableName().equals(BuiltTable.NAME)) {
                        assertThat(IndexDefinitions.isNextOf(base(), changed))
                                .as("the next revision")
                                .isTrue();
                        changes.add(IndexDefinitions.texts(changed).keySet().toString());
                    }
                    store(changed);
                    return null;
                })
                .when(admin)
                .modifyTable(any(TableDescriptor.class));
        order();
        store(Rebuild.ordered(
                table.tables.get(otherTable), IndexDefinitions.texts(base()).get(other.name())));
        emptying().run();
        assertThat(changes).containsExactly("[]", "[by_destination, by_origin]");
        assertThat(truncations).hasSize(2);
        assertBegun();
    }

    /** The base table would lose the definition of an index that is ACTIVE, and writes would not reach it. */
    @Test
    void anIndexThatAClientCreatesUnderTheSameNameMeanwhileKeepsItsDefinition() throws IOException {
        store(IndexDefinitions.with(base(), table.index.withId("id-0"))); // so that the rebuild is ordered first
        IndexDefinition another = table.index.withId("id-9");
        doAnswer(call -> {
                    TableDescriptor changed = call.getArgument(0);
                    store(changed);
                    if (Rebuild.isDue(changed)) {
                        TableDescriptor dropped = IndexDefinitions.without(base(), another.name());
                        store(IndexDefinitions.with(dropped, another));
                        store(IndexDefinitions.markIndexTable(
                                        TableDescriptorBuilder.newBuilder(TableDescriptorBuilder.copy(
                                                another.indexTable(),
                                                IndexDefinitions.withState(own(), IndexState.ACTIVE))),
                                        another,
                                        IndexState.ACTIVE)
                                .build());
                    }
                    return null;
                })
                .when(admin)
                .modifyTable(any(TableDescriptor.class));
        emptying().run();
        assertThat(truncations).isEmpty();
        assertThat(IndexDefinitions.of(base()).get(another.name()).id()).isEqualTo("id-9");
        assertThat(IndexDefinitions.stateOf(own())).isEqualTo(IndexState.ACTIVE);
    }

    /** Another region was truncated, which had waited for the base table while it got the definition again. */
    @Test
    void anOrderThatIsGivenWhenTheDefinitionIsBackIsCarriedOutByTheNextLook() throws IOException {
        order();
        doAnswer(call -> {
                    TableDescriptor changed = call.getArgument(0);
                    store(changed);
                    if (IndexDefinitions.definesAny(changed)) {
                        order();
                    }
                    return null;
                })
                .when(admin)
                .modifyTable(any(TableDescriptor.class));
        emptying().run();
        assertThat(Rebuild.isDue(own())).as("the order").isTrue();
        doAnswer(call -> {
                    store(call.getArgument(0));
                    return null;
                })
                .when(admin)
                .modifyTable(any(TableDescriptor.class));
        emptying().run();
        assertThat(truncations).hasSize(2);
        assertBegun();
    }

    @Test
    void oneDefinitionThatCannotBeParsedHoldsUpNoOtherIndex() throws IOException {
        order();
        store(Rebuild.ordered(
                IndexDefinitions.markIndexTable(
                                TableDescriptorBuilder.newBuilder(
                                        TableDescriptorBuilder.copy(TableName.valueOf(BuiltTable.NAME + ".x"), own())),
                                IndexDefinition.builder(BuiltTable.NAME, "x")
                                        .column("f", "x", ColumnTypes.STRING)
                                        .build()
                                        .withId("id-x"),
                                IndexState.ACTIVE)
                        .build(),
                "{}"));
        emptying().run();
        assertBegun();
    }
}
