package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.Mockito.doThrow;

import java.io.IOException;
import java.util.Map;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptor;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the creation of an index undoes no change that another client makes to its table at the same time. */
class IndexCreationTest {
    private static final TableName FLIGHTS = TableName.valueOf("ns", "flights");
    private static final String CREATED = "create ns:flights.by_origin in 1";
    private static final String ENTERING = "modify ns:flights by_origin";
    private static final String ACTIVATING = "modify ns:flights.by_origin ACTIVE";

    private final FakeMaster master = new FakeMaster(FLIGHTS);
    private final Map<TableName, TableDescriptor> tables = master.tables;
    private DiffIndexAdmin admin;

    @BeforeEach
    void createTable() throws IOException {
        tables.put(
                FLIGHTS,
                TableDescriptorBuilder.newBuilder(FLIGHTS)
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                        .build());
        admin = new DiffIndexAdmin(master.connection);
    }

    private void createIndex() throws IOException {
        admin.createIndex(IndexDefinition.builder(FLIGHTS, "by_origin")
                .column("f", "origin", ColumnTypes.STRING)
                .build());
    }

    /** Adds a column family to the table, or replaces the one of its name. */
    private void set(ColumnFamilyDescriptor family) {
        TableDescriptor table = tables.get(FLIGHTS);
        TableDescriptorBuilder builder = TableDescriptorBuilder.newBuilder(table);
        tables.put(
                FLIGHTS,
                table.hasColumnFamily(family.getName())
                        ? builder.modifyColumnFamily(family).build()
                        : builder.setColumnFamily(family).build());
    }

    private static ColumnFamilyDescriptorBuilder family(String name) {
        return ColumnFamilyDescriptorBuilder.newBuilder(Bytes.toBytes(name));
    }

    /** HBase replaces a descriptor as a whole, and would delete the family with its cells. */
    @ParameterizedTest
    @ValueSource(strings = {ENTERING, ACTIVATING})
    void aFamilyThatIsAddedDuringAStepStays(String step) throws IOException {
        master.before(step, () -> set(family("g").build()));
        createIndex();
        assertThat(tables.get(FLIGHTS).getColumnFamilyNames()).hasSize(2);
        assertThat(admin.stateOf(FLIGHTS, "by_origin")).contains(IndexState.ACTIVE);
        assertThat(master.steps).containsOnlyOnce(CREATED, ENTERING, ACTIVATING);
    }

    @Test
    void aChangeOfAnIndexedFamilyThatDoesNotConcernTheIndexStays() throws IOException {
        master.before(ENTERING, () -> set(family("f").setMaxVersions(3).build()));
        createIndex();
        assertThat(tables.get(FLIGHTS).getColumnFamily(Bytes.toBytes("f")).getMaxVersions())
                .isEqualTo(3);
        assertThat(admin.stateOf(FLIGHTS, "by_origin")).contains(IndexState.ACTIVE);
    }

    private void assertIsNotCreated() throws IOException {
        TableName indexTable = TableName.valueOf("ns", "flights.by_origin");
        assertThatThrownBy(this::createIndex)
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("another client changed the TTL")
                .hasMessageContaining(indexTable.getNameAsString())
                .hasMessageContaining("create the index again. Nothing was changed");
        assertThat(tables).containsOnlyKeys(FLIGHTS);
        assertThat(IndexDefinitions.definesAny(tables.get(FLIGHTS))).isFalse();
    }

    /** The index table has got the former TTL, so that rows and entries would expire at different times. */
    @Test
    void anIndexIsNotCreatedIfTheTtlOfItsFamilyChangesAfterItsTableWasMade() throws IOException {
        master.after(CREATED, () -> set(family("f").setTimeToLive(10).build()));
        assertIsNotCreated();
        master.before(ENTERING, () -> set(family("f").setTimeToLive(20).build()));
        assertIsNotCreated();
        createIndex();
        assertThat(tables.get(TableName.valueOf("ns", "flights.by_origin"))
                        .getColumnFamily(Bytes.toBytes("i"))
                        .getTimeToLive())
                .isEqualTo(20);
    }

    /** Nothing is known of its state. */
    @Test
    void anIndexWhoseTableMayNotBeSeenIsNotSaidToBeBuilding() throws IOException {
        createIndex();
        doThrow(new AccessDeniedException("no"))
                .when(master.admin)
                .getDescriptor(TableName.valueOf("ns", "flights.by_origin"));
        IndexDefinition other = IndexDefinition.builder(FLIGHTS, "by_origin")
                .column("f", "dest", ColumnTypes.STRING)
                .build();
        assertThatThrownBy(() -> admin.createIndex(other))
                .isInstanceOf(IndexExistsException.class)
                .hasMessageContaining("whose state this user may not see")
                .hasMessageContaining("if it is BUILDING, to resume");
    }

    /** The master refuses the definition, because the table lacks the family. */
    @Test
    void leavesItToTheMasterIfTheFamilyIsRemoved() throws IOException {
        master.after(CREATED, () -> {
            set(family("g").build());
            tables.put(
                    FLIGHTS,
                    TableDescriptorBuilder.newBuilder(tables.get(FLIGHTS))
                            .removeColumnFamily(Bytes.toBytes("f"))
                            .build());
        });
        master.failures.put(ENTERING, new DoNotRetryIOException("index by_origin needs the column family f"));
        assertThatThrownBy(this::createIndex).hasMessageContaining("needs the column family f. Nothing was changed");
        assertThat(tables).containsOnlyKeys(FLIGHTS);
    }

    /** Nothing is left to resume, and no table of an index. */
    @Test
    void leavesNothingIfTheTableIsDeletedBeforeTheDefinitionIsEntered() throws IOException {
        master.after(CREATED, () -> tables.remove(FLIGHTS));
        assertThatThrownBy(this::createIndex)
                .hasMessageContaining("There is no table ns:flights")
                .hasMessageNotContaining("It may be BUILDING now");
        assertThat(tables).isEmpty();
    }
}
