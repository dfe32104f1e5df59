package org.diffindex.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.model.SchemeState;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the descriptors that a change of a scheme makes, beside other clients that change the tables. */
class SchemeStepsTest {
    private static final TableName BASE = TableName.valueOf("flights");
    private static final IndexDefinition INDEX = IndexDefinition.builder(BASE, "by_origin")
            .column("f", "origin", ColumnTypes.STRING)
            .scheme(IndexScheme.SYNC_INSERT)
            .build()
            .withId("id-1");

    private final Admin admin = mock();
    private final SchemeSteps steps = new SchemeSteps(admin, INDEX);
    private final Map<TableName, TableDescriptor> tables = new HashMap<>();
    private final List<TableName> changed = new ArrayList<>();

    /** The steps of other clients just before each change. */
    private final Deque<Runnable> others = new ArrayDeque<>();

    @BeforeEach
    void stubMaster() throws IOException {
        tables.put(
                BASE,
                IndexDefinitions.with(TableDescriptorBuilder.newBuilder(BASE).build(), INDEX));
        tables.put(
                INDEX.indexTable(),
                IndexDefinitions.markIndexTable(
                                TableDescriptorBuilder.newBuilder(INDEX.indexTable()), INDEX, IndexState.ACTIVE)
                        .build());
        when(admin.getDescriptor(any())).thenAnswer(call -> tables.get(call.<TableName>getArgument(0)));
        doAnswer(call -> {
                    TableDescriptor descriptor = call.getArgument(0);
                    if (!others.isEmpty()) {
                        others.remove().run();
                        throw new DoNotRetryIOException("the table was changed meanwhile");
                    }
                    tables.put(descriptor.getTableName(), descriptor);
                    changed.add(descriptor.getTableName());
                    return null;
                })
                .when(admin)
                .modifyTable(any(TableDescriptor.class));
    }

    private void meanwhile(TableName table, UnaryOperator<TableDescriptor> change) {
        others.add(() -> tables.computeIfPresent(table, (name, descriptor) -> change.apply(descriptor)));
    }

    private static TableDescriptor touched(TableDescriptor table) {
        return TableDescriptorBuilder.newBuilder(table)
                .setValue("owner", "another client")
                .build();
    }

    private SchemeState stored() throws IOException {
        return steps.present().orElseThrow();
    }

    private IndexDefinition defined() {
        return IndexDefinitions.of(tables.get(BASE)).get(INDEX.name());
    }

    @Test
    void changesTheTableOfTheIndexThenTheBaseTableThenThatOfTheIndexAgain() throws IOException {
        assertThat(steps.present()).isEmpty();
        SchemeState begun = steps.begin(IndexScheme.SYNC_FULL);
        assertThat(stored()).isEqualTo(begun);
        assertThat(begun.readAs()).isEqualTo(IndexScheme.SYNC_INSERT);
        steps.define(begun);
        assertThat(defined()).isEqualTo(INDEX.withScheme(IndexScheme.SYNC_FULL));
        assertThat(defined().change()).isEqualTo(begun.change());
        steps.fence(begun);
        assertThat(stored()).isEqualTo(begun.fenced());
        steps.complete(begun);
        assertThat(stored()).isEqualTo(begun.completed());
        TableName own = INDEX.indexTable();
        assertThat(changed).containsExactly(own, BASE, own, own);
    }

    @Test
    void everyStepKeepsWhatAnotherClientChanges() throws IOException {
        meanwhile(INDEX.indexTable(), SchemeStepsTest::touched);
        SchemeState begun = steps.begin(IndexScheme.ASYNC_SIMPLE);
        meanwhile(BASE, SchemeStepsTest::touched);
        steps.define(begun);
        assertThat(tables.values()).allMatch(table -> "another client".equals(table.getValue("owner")));
        assertThat(defined().scheme()).isEqualTo(IndexScheme.ASYNC_SIMPLE);
    }

    /** HBase opens the regions again only if the descriptor differs. */
    @Test
    void aChangeThatIsRepeatedMakesOtherDescriptors() throws IOException {
        steps.define(steps.begin(IndexScheme.SYNC_FULL));
        Map<TableName, TableDescriptor> first = Map.copyOf(tables);
        SchemeState again = steps.begin(IndexScheme.SYNC_FULL);
        steps.define(again);
        first.forEach((name, descriptor) -> assertThat(tables.get(name)).isNotEqualTo(descriptor));
        steps.complete(again);
        TableDescriptor complete = tables.get(INDEX.indexTable());
        steps.settle();
        assertThat(tables.get(INDEX.indexTable())).isNotEqualTo(complete);
        assertThat(stored()).isEqualTo(again.completed());
    }

    @Test
    void aChangeWhosePlaceAnotherOneHasTakenEnds() throws IOException {
        SchemeState first = steps.begin(IndexScheme.SYNC_FULL);
        SchemeState second = steps.begin(IndexScheme.ASYNC_SIMPLE);
        assertThatThrownBy(steps::settle)
                .isInstanceOf(SchemeChangeEndedException.class)
                .hasMessageContaining("another change of its scheme has begun; describe the index");
        assertThatThrownBy(() -> steps.fence(first)).hasMessageContaining("takes the place of this one");
        assertThatThrownBy(() -> steps.complete(first)).hasMessageContaining("takes the place of this one");
        steps.complete(second);
        assertThatThrownBy(() -> steps.complete(second)).as("complete already").hasMessageContaining("has ended");
        assertThat(stored().promise()).isEqualTo(IndexScheme.ASYNC_SIMPLE);
    }

    @Test
    void aChangeOfAnIndexThatIsDisabledOrReplacedMeanwhileEnds() throws IOException {
        SchemeState begun = steps.begin(IndexScheme.SYNC_FULL);
        meanwhile(INDEX.indexTable(), own -> IndexDefinitions.disabled(own, "the definition"));
        assertThatThrownBy(() -> steps.fence(begun)).hasMessageContaining("disabled, rebuilt or dropped");
        assertThatThrownBy(() -> steps.begin(IndexScheme.SYNC_FULL)).hasMessageContaining("not ACTIVE any more");
        meanwhile(BASE, base -> IndexDefinitions.without(base, INDEX.name()));
        assertThatThrownBy(() -> steps.define(begun)).hasMessageContaining("disabled, rebuilt or dropped");
        tables.put(BASE, IndexDefinitions.with(tables.get(BASE), INDEX.withId("id-2")));
        assertThatThrownBy(() -> steps.define(begun)).hasMessageContaining("disabled, rebuilt or dropped");
        assertThat(defined()).isEqualTo(INDEX.withId("id-2"));
    }

    @Test
    void aRefusalOfTheTableAsItIsIsTheEnd() throws IOException {
        SchemeState begun = steps.begin(IndexScheme.SYNC_FULL);
        others.add(() -> {});
        assertThatThrownBy(() -> steps.define(begun)).hasMessageContaining("changed meanwhile");
    }

    /** The master refuses the definition, since the index table says nothing of the change any more. */
    @Test
    void aDefinitionThatIsRefusedBecauseTheChangeHasEndedSaysSo() throws IOException {
        SchemeState begun = steps.begin(IndexScheme.SYNC_FULL);
        TableDescriptor own = tables.get(INDEX.indexTable());
        meanwhile(INDEX.indexTable(), table -> IndexDefinitions.disabled(table, "the definition"));
        assertThatThrownBy(() -> steps.define(begun)).isInstanceOf(SchemeChangeEndedException.class);
        tables.put(INDEX.indexTable(), own);
        others.add(() -> begin(IndexScheme.ASYNC_SIMPLE));
        others.add(() -> {});
        assertThatThrownBy(() -> steps.define(begun)).isInstanceOf(SchemeChangeEndedException.class);
    }

    private void begin(IndexScheme scheme) {
        TableDescriptor own = tables.get(INDEX.indexTable());
        SchemeState another =
                SchemeState.begin(IndexDefinitions.schemeStateOf(own), IndexScheme.SYNC_INSERT, scheme, "another");
        tables.put(own.getTableName(), IndexDefinitions.withSchemeState(own, another));
    }

    /** The master stopped when it had stored the definition. */
    @Test
    void aDefinitionThatIsStoredAlreadyIsRepeated() throws IOException {
        SchemeState begun = steps.begin(IndexScheme.SYNC_FULL);
        steps.define(begun);
        TableDescriptor stored = tables.get(BASE);
        steps.define(begun);
        assertThat(tables.get(BASE)).isNotEqualTo(stored).matches(again -> IndexDefinitions.isNextOf(stored, again));
        assertThat(IndexDefinitions.texts(tables.get(BASE))).isEqualTo(IndexDefinitions.texts(stored));
        assertThat(changed).endsWith(BASE, BASE);
    }
}
