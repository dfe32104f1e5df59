package org.diffindex.lab.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LaterEntriesTest {
    private final Table table = mock(Table.class);
    private final BlockingQueue<List<Row>> batches = new LinkedBlockingQueue<>();

    @BeforeEach
    void answer() throws Exception {
        when(table.getName()).thenReturn(TableName.valueOf("entries"));
        doAnswer(call -> batches.add(List.copyOf(call.<List<Row>>getArgument(0))))
                .when(table)
                .batch(anyList(), any());
    }

    private static Put put(int row) {
        return new Put(Bytes.toBytes(row));
    }

    @Test
    void writesEnqueuedEntriesWithoutFurtherCalls() throws Exception {
        try (LaterEntries later = new LaterEntries(table)) {
            later.add(put(1));
            assertThat(batches.poll(1, TimeUnit.MINUTES)).hasSize(1);
        }
        assertThat(batches).as("batches that write an entry again").isEmpty();
        verify(table).close();
    }

    @Test
    void closingWritesTheRestInOrder() throws Exception {
        List<Row> added = new ArrayList<>();
        try (LaterEntries later = new LaterEntries(table)) {
            for (int row = 0; row < 100; row++) {
                added.add(put(row));
                later.add(added.get(row));
            }
        }
        assertThat(batches.stream().flatMap(List::stream)).containsExactlyElementsOf(added);
        assertThat(batches).as("calls that the entries share").hasSizeLessThan(50);
    }

    @Test
    void reportsAFailureWhenClosedAtTheLatest() throws Exception {
        doThrow(new IOException("away")).when(table).batch(anyList(), any());
        LaterEntries later = new LaterEntries(table);
        later.add(put(1));
        assertThatThrownBy(later::close)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("entries")
                .hasRootCauseMessage("away");
        assertThatThrownBy(() -> later.add(put(2))).hasRootCauseMessage("away");
        verify(table).close();
    }

    /** Otherwise the entries of the failed batch would be lost without a word. */
    @Test
    void reportsAnUncheckedExceptionOfTheBackgroundThread() throws Exception {
        doThrow(new IllegalStateException("closed")).when(table).batch(anyList(), any());
        LaterEntries later = new LaterEntries(table);
        later.add(put(1));
        verify(table, timeout(60_000)).batch(anyList(), any());
        assertThatThrownBy(later::close).isInstanceOf(IOException.class).hasRootCauseMessage("closed");
    }
}
