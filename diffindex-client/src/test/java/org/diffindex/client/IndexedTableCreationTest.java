package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Map;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableExistsException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.exceptions.TimeoutIOException;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests which tables are left when a table and its indexes cannot be created together. */
class IndexedTableCreationTest {
    private static final TableName FLIGHTS = TableName.valueOf("ns", "flights");
    private static final TableName BY_ORIGIN = TableName.valueOf("ns", "flights.by_origin");
    private static final TableName BY_DATE = TableName.valueOf("ns", "flights.by_date");

    private final FakeMaster master = new FakeMaster(FLIGHTS);
    private final Map<TableName, TableDescriptor> tables = master.tables;
    private DiffIndexAdmin admin;

    @BeforeEach
    void connect() throws IOException {
        admin = new DiffIndexAdmin(master.connection);
    }

    private static IndexDefinition index(String column) {
        return IndexDefinition.builder(FLIGHTS, "by_" + column)
                .column("f", column, ColumnTypes.STRING)
                .build();
    }

    private void create() throws IOException {
        admin.createTable(
                TableDescriptorBuilder.newBuilder(FLIGHTS)
                        .setColumnFamily(ColumnFamilyDescriptorBuilder.of("f"))
                        .build(),
                new byte[0][],
                index("origin"),
                index("date"));
    }

    @Test
    void createsTheIndexTablesBeforeTheTable() throws IOException {
        create();
        assertThat(master.steps)
                .containsExactly(
                        "create ns:flights.by_origin in 1", "create ns:flights.by_date in 1", "create ns:flights in 1");
        assertThat(admin.stateOf(FLIGHTS, "by_origin")).contains(IndexState.ACTIVE);
        assertThat(admin.stateOf(FLIGHTS, "by_date")).contains(IndexState.ACTIVE);
    }

    @Test
    void deletesTheIndexTablesIfTheTableIsRefused() {
        master.failures.put("create ns:flights in 1", new DoNotRetryIOException("no such class"));
        assertThatThrownBy(this::create).hasMessage("no such class");
        assertThat(tables).isEmpty();
        assertThat(master.disabled).isEmpty();
    }

    /** HBase may complete the creation after the client has ceased to wait for it. */
    @Test
    void keepsTheIndexTablesIfTheTableMayBeCreatedLater() throws IOException {
        for (IOException unknown :
                new IOException[] {new TimeoutIOException("late"), new InterruptedIOException("stop")}) {
            tables.clear();
            master.failures.put("create ns:flights in 1", unknown);
            assertThatThrownBy(this::create)
                    .isInstanceOf(DoNotRetryIOException.class)
                    .hasCause(unknown)
                    .hasMessageContaining("It is not known whether table ns:flights is being created")
                    .hasMessageContaining("[by_origin, by_date]")
                    .hasMessageContaining("drop them, and create it again");
            assertThat(tables).containsOnlyKeys(BY_ORIGIN, BY_DATE);
            assertThat(master.disabled).isEmpty();
            assertThatThrownBy(this::create)
                    .isInstanceOf(TableExistsException.class)
                    .hasMessageContaining("left by an interrupted creation: drop its index");
        }
        admin.dropIndex(FLIGHTS, "by_origin");
        admin.dropIndex(FLIGHTS, "by_date");
        create();
        assertThat(admin.listIndexes(FLIGHTS)).hasSize(2);
    }

    @Test
    void deletesTheIndexTablesIfOneOfThemFails() {
        master.failures.put("create ns:flights.by_date in 1", new IOException("no servers"));
        assertThatThrownBy(this::create).hasMessage("no servers");
        assertThat(tables).isEmpty();
    }

    /** The client was told of a failure, but HBase has created the table. */
    @Test
    void deletesAnIndexTableWhoseCreationOnlySeemedToFail() {
        master.after("create ns:flights.by_date in 1", () -> {
            throw new TimeoutIOException("late");
        });
        assertThatThrownBy(this::create).hasMessage("late");
        assertThat(tables).isEmpty();
    }

    @Test
    void keepsATableThatAnotherClientHasCreatedMeanwhile() {
        TableDescriptor others = IndexDefinitions.markIndexTable(
                        TableDescriptorBuilder.newBuilder(BY_DATE),
                        index("date").withId("others"),
                        IndexState.BUILDING)
                .build();
        master.failures.put("create ns:flights.by_date in 1", new TableExistsException(BY_DATE));
        master.before("create ns:flights.by_date in 1", () -> tables.put(BY_DATE, others));
        assertThatThrownBy(this::create).isInstanceOf(TableExistsException.class);
        assertThat(tables).containsOnly(Map.entry(BY_DATE, others));
    }
}
