package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.CoprocessorDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.junit.jupiter.api.Test;

/**
 * Tests that a change of the indexes undoes no other change of the table, whatever that is, when it arrives and when it
 * has waited for the table's lock.
 */
class DefinitionChangeTest {
    private static final IndexDefinition INDEX =
            Flights.byOrigin(IndexScheme.SYNC_FULL).withId("id-1");
    private static final String OTHER_COPROCESSOR = "org.example.Other";

    /** A table with one of everything that another client may change, add or remove. */
    private static TableDescriptor table() throws IOException {
        return TableDescriptorBuilder.newBuilder(Flights.TABLE)
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(Flights.F))
                .setColumnFamily(family("g").build())
                .setCoprocessor(OTHER_COPROCESSOR)
                .setValue("owner", "somebody")
                .build();
    }

    private static ColumnFamilyDescriptorBuilder family(String name) {
        return ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(name));
    }

    private static TableDescriptorBuilder of(TableDescriptor table) {
        return TableDescriptorBuilder.newBuilder(table);
    }

    private static TableDescriptor withFamily(TableDescriptor table, ColumnFamilyDescriptor family) {
        return of(table).modifyColumnFamily(family).build();
    }

    /** Returns the table as other clients may have changed it, by what a refusal names. */
    private static Map<String, TableDescriptor> changed(TableDescriptor table) throws IOException {
        return Map.of(
                "[column family h]",
                        of(table).setColumnFamily(family("h").build()).build(),
                "[column family g]",
                        of(table).removeColumnFamily(Bytes.toBytes("g")).build(),
                "[column family f]",
                        withFamily(table, family("f").setMaxVersions(7).build()),
                "[column family f, column family g]",
                        withFamily(
                                withFamily(
                                        table,
                                        family("f").setConfiguration("k", "v").build()),
                                family("g").setBlocksize(1_024).build()),
                "[value owner]", of(table).setValue("owner", "another").build(),
                "[value REGION_REPLICATION]", of(table).setRegionReplication(3).build(),
                "[value diffindex.flush.wait.ms]",
                        of(table).setValue("diffindex.flush.wait.ms", "7").build(),
                "[value coprocessor$1]",
                        of(table).removeCoprocessor(OTHER_COPROCESSOR).build());
    }

    private static TableDescriptor observed(TableDescriptor table) throws IOException {
        return of(table)
                .setCoprocessor(CoprocessorDescriptorBuilder.newBuilder(IndexObserver.class.getName())
                        .setJarPath("hdfs:///diffindex.jar")
                        .build())
                .build();
    }

    private static TableDescriptor created() throws IOException {
        return IndexDefinitions.with(observed(table()), INDEX);
    }

    private static TableDescriptor dropped(TableDescriptor created) {
        return IndexDefinitions.without(
                of(created).removeCoprocessor(IndexObserver.class.getName()).build(), INDEX.name());
    }

    private static void admitsOnly(TableDescriptor before, TableDescriptor after) throws IOException {
        assertThat(DefinitionChange.admit(before, after)).isEqualTo(after);
        assertThatCode(() -> DefinitionChange.requireCurrent(before, after)).doesNotThrowAnyException();
        for (Map.Entry<String, TableDescriptor> other : changed(before).entrySet()) {
            TableDescriptor current = other.getValue();
            assertThatThrownBy(() -> DefinitionChange.admit(current, after))
                    .isInstanceOf(DoNotRetryIOException.class)
                    .hasMessageContaining("Cannot modify table flights, nothing was changed")
                    .hasMessageContaining(other.getKey())
                    .hasMessageContaining("read the table's descriptor again");
            assertThatThrownBy(() -> DefinitionChange.requireCurrent(current, after))
                    .isInstanceOf(DoNotRetryIOException.class)
                    .hasMessageContaining(other.getKey());
        }
    }

    @Test
    void aCreationUndoesNoOtherChange() throws IOException {
        admitsOnly(table(), created());
    }

    @Test
    void aDropUndoesNoOtherChange() throws IOException {
        TableDescriptor created = created();
        admitsOnly(created, dropped(created));
        admitsOnly(created, IndexDefinitions.without(created, INDEX.name()));
    }

    /** The key of a coprocessor in the descriptor is its number, and two clients may have chosen the same. */
    @Test
    void aCoprocessorThatIsAddedInPlaceOfTheIndexesStays() throws IOException {
        TableDescriptor plain = of(table()).removeCoprocessor(OTHER_COPROCESSOR).build();
        TableDescriptor creation = IndexDefinitions.with(observed(plain), INDEX);
        TableDescriptor current = of(plain).setCoprocessor(OTHER_COPROCESSOR).build();
        assertThat(current.getValue("coprocessor$1")).isNotNull();
        assertThatThrownBy(() -> DefinitionChange.requireCurrent(current, creation))
                .hasMessageContaining("[value coprocessor$1]");
    }

    @Test
    void theRemovalOfTheRevisionUndoesNoOtherChange() throws IOException {
        TableDescriptor dropped = dropped(created());
        TableDescriptor request = IndexDefinitions.forgettingRevision(dropped);
        TableDescriptor forgotten = DefinitionChange.admit(dropped, request);
        assertThat(forgotten).isEqualTo(table());
        DefinitionChange.requireCurrent(dropped, forgotten);
        for (TableDescriptor current : changed(dropped).values()) {
            assertThatThrownBy(() -> DefinitionChange.admit(current, request))
                    .isInstanceOf(DoNotRetryIOException.class);
            assertThatThrownBy(() -> DefinitionChange.requireCurrent(current, forgotten))
                    .isInstanceOf(DoNotRetryIOException.class);
        }
    }

    /** Another client has created an index since the request was made. */
    @Test
    void theRevisionOfPresentIndexesIsNotRemoved() throws IOException {
        TableDescriptor created = created();
        TableDescriptor dropped = dropped(created);
        TableDescriptor forgotten = IndexDefinitions.withRevision(dropped, 0);
        assertThatThrownBy(() -> DefinitionChange.requireCurrent(created, forgotten))
                .hasMessageContaining("changed meanwhile");
        assertThatThrownBy(() -> DefinitionChange.admit(created, IndexDefinitions.forgettingRevision(dropped)))
                .isInstanceOf(DoNotRetryIOException.class);
    }

    /** Even if it undoes another change: that is how HBase's own operation works. */
    @Test
    void aChangeThatLeavesTheIndexesAsTheyAreIsAdmitted() throws IOException {
        for (TableDescriptor table : List.of(table(), created(), dropped(created()))) {
            for (TableDescriptor current : changed(table).values()) {
                for (TableDescriptor after : changed(table).values()) {
                    TableDescriptor admitted = DefinitionChange.admit(current, after);
                    assertThat(admitted).isEqualTo(after);
                    DefinitionChange.requireCurrent(current, admitted);
                }
            }
        }
    }

    /** A program may build the descriptor of a table anew, and know nothing of the revision that is left. */
    @Test
    void aChangeThatDoesNotNameTheRevisionKeepsIt() throws IOException {
        TableDescriptor dropped = dropped(created());
        for (TableDescriptor after : changed(table()).values()) {
            TableDescriptor admitted = DefinitionChange.admit(dropped, after);
            assertThat(admitted).isEqualTo(IndexDefinitions.withRevision(after, IndexDefinitions.revisionOf(dropped)));
            DefinitionChange.requireCurrent(dropped, admitted);
        }
    }

    /** The other client has completed or dropped the index, and a third one has altered the table then. */
    @Test
    void aChangeThatAnotherClientHasMadeUndoesNothing() throws IOException {
        TableDescriptor created = created();
        undoesNothingIfLate(dropped(created), dropped(created), "of a drop");
        TableDescriptor forgotten = IndexDefinitions.withRevision(dropped(created), 0);
        undoesNothingIfLate(forgotten, dropped(created), "of a drop after which the revision was removed");
    }

    private static void undoesNothingIfLate(TableDescriptor made, TableDescriptor late, String what)
            throws IOException {
        for (TableDescriptor current : changed(made).values()) {
            for (ThrowingCallable step : List.<ThrowingCallable>of(
                    () -> DefinitionChange.admit(current, late),
                    () -> DefinitionChange.requireCurrent(current, late))) {
                assertThatThrownBy(step)
                        .as(what)
                        .isInstanceOf(DoNotRetryIOException.class)
                        .hasMessageContaining("read the table's descriptor again");
            }
        }
    }
}
