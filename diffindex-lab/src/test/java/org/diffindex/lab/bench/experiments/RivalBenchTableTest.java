package org.diffindex.lab.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.Random;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.lab.bench.experiments.FakeRival.FakeTable;
import org.diffindex.lab.bench.rivals.RivalClient;
import org.diffindex.ycsb.Items;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that the clients of the experiments write and read the table of a rival, and notice wrong answers. */
class RivalBenchTableTest {
    private static final int ROWS = 2_000;

    private final Connection connection = mock(Connection.class);
    private final Admin admin = mock(Admin.class);

    @BeforeEach
    void connect() throws IOException {
        when(connection.getAdmin()).thenReturn(admin);
    }

    private RivalBenchTable loaded(FakeTable fake) throws IOException {
        RivalBenchTable table = new RivalBenchTable(FakeRival.INDEXED, fake, ROWS, 3);
        table.create(connection);
        table.load(connection, 1);
        return table;
    }

    @Test
    void isCreatedInRegionsLoadedAndFlushed() throws IOException {
        FakeTable fake = new FakeTable(true);
        RivalBenchTable table = loaded(fake);
        assertThat(fake.splits).isEqualTo(Items.splits(3));
        assertThat(fake.titles).hasSize(ROWS).containsEntry(Items.key(7), Items.title(7, 0));
        assertThat(fake.openClients).hasValue(0);
        for (TableName each : fake.hbaseTables()) {
            verify(admin).flush(each);
        }
        assertThat(table.name()).isEqualTo(TableName.valueOf("FAKE"));
        assertThat(table.maintained())
                .as("table whose regions Diff-Index could be asked for their row memory")
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void updatesAreReadByTitleOrByKeyAndInRanges(boolean indexed) throws IOException {
        FakeTable fake = new FakeTable(indexed);
        RivalBenchTable table = loaded(fake);
        try (UpdateClient updates = new UpdateClient(connection, table, () -> 7, new Random(1))) {
            updates.operate();
        }
        assertThat(fake.titles).containsEntry(Items.key(7), Items.title(7, 1)).hasSize(ROWS);
        try (Load.Client reads = table.reader(connection, Projection.TITLE, () -> 7)) {
            assertThatCode(reads::operate).doesNotThrowAnyException();
        }
        try (RangeClient range = table.rangeReader(connection, ROWS, () -> 0)) {
            assertThatCode(range::operate).doesNotThrowAnyException();
            assertThat(range.missing()).hasValue(0);
        }
        assertThat(fake.openClients).hasValue(0);
    }

    /** Otherwise one wrong answer of another system would end the measurement of all. */
    @Test
    void entriesThatARangeLacksAreCounted() throws IOException {
        FakeTable fake = new FakeTable(true);
        RivalBenchTable table = loaded(fake);
        fake.titles.remove(Items.key(7));
        fake.titles.remove(Items.key(8));
        try (RangeClient range = table.rangeReader(connection, ROWS, () -> 0)) {
            range.operate();
            range.operate();
            assertThat(range.missing()).hasValue(4);
        }
    }

    @Test
    void aRangeOfTooManyEntriesFails() throws IOException {
        RivalClient client = mock(RivalClient.class);
        when(client.range(any(), eq(10))).thenReturn(11);
        try (RangeClient range = RangeClient.ofRival(client, TableName.valueOf("FAKE"), 10, () -> 0)) {
            assertThatThrownBy(range::operate).hasMessage("A range read of FAKE returned 11 entries instead of 10");
        }
    }

    @Test
    void aReadOfAnOldTitleOrOfNothingFails() throws IOException {
        FakeTable fake = new FakeTable(false);
        RivalBenchTable table = loaded(fake);
        fake.titles.put(Items.key(7), Items.title(7, 5));
        fake.titles.remove(Items.key(8));
        for (int item : new int[] {7, 8}) {
            try (Load.Client reads = table.reader(connection, Projection.TITLE, () -> item)) {
                assertThatThrownBy(reads::operate)
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining(
                                "A read of FAKE did not return exactly the row of title " + Items.title(item, 0));
            }
        }
    }

    @Test
    void wholeRowsAreNotRead() throws IOException {
        RivalBenchTable table = new RivalBenchTable(FakeRival.INDEXED, new FakeTable(true), ROWS, 3);
        assertThatThrownBy(() -> table.reader(connection, Projection.ROW, () -> 7))
                .isInstanceOf(IllegalArgumentException.class);
        verify(connection, org.mockito.Mockito.never()).getTable(any(TableName.class));
    }
}
