package org.diffindex.lab.steps;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.DiffIndexAdmin;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ParallelLoadTest {
    private static final TableName NAME = TableName.valueOf("t");

    private final Connection connection = mock(Connection.class);
    private final Table table = mock(Table.class);
    private final List<List<Put>> batches = Collections.synchronizedList(new ArrayList<>());

    @BeforeEach
    void answer() throws IOException {
        when(connection.getTable(NAME)).thenReturn(table);
        doAnswer(call -> batches.add(call.getArgument(0))).when(table).put(anyList());
    }

    private static List<Put> rows(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> new Put(Bytes.toBytes(i)))
                .toList();
    }

    private List<Integer> firstRows() {
        return batches.stream().map(batch -> Bytes.toInt(batch.get(0).getRow())).toList();
    }

    @Test
    void writesEveryRowOnceAndTheRestInTheLastBatch() throws IOException {
        new ParallelLoad(3, 10, 1).into(connection, NAME, 95, ParallelLoadTest::rows);
        assertThat(batches.stream().flatMap(List::stream).map(put -> Bytes.toInt(put.getRow())))
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.range(0, 95).boxed().toList());
        assertThat(batches)
                .extracting(List::size)
                .filteredOn(size -> size == 10)
                .hasSize(9);
        assertThat(batches).extracting(List::size).contains(5);
        verify(table, times(10)).close();
    }

    @Test
    void shufflesTheOrderByTheSeed() throws IOException {
        new ParallelLoad(1, 10, 1).into(connection, NAME, 200, ParallelLoadTest::rows);
        List<Integer> first = firstRows();
        batches.clear();
        new ParallelLoad(1, 10, 1).into(connection, NAME, 200, ParallelLoadTest::rows);
        assertThat(firstRows())
                .isEqualTo(first)
                .isNotEqualTo(first.stream().sorted().toList());
        batches.clear();
        new ParallelLoad(1, 10, 2).into(connection, NAME, 200, ParallelLoadTest::rows);
        assertThat(firstRows()).isNotEqualTo(first);
    }

    @Test
    void aPutThatFailsFailsTheLoad() throws IOException {
        doThrow(new IOException("away")).when(table).put(anyList());
        assertThatThrownBy(() -> new ParallelLoad(2, 10, 1).into(connection, NAME, 30, ParallelLoadTest::rows))
                .isInstanceOf(IOException.class)
                .hasMessage("away");
    }

    @Test
    void aDrainThatLeavesUpdatesInFlightFails() throws IOException {
        DiffIndexAdmin admin = mock(DiffIndexAdmin.class);
        when(admin.drain(eq(NAME), any(Duration.class))).thenReturn(0L, 3L);
        assertThatCode(() -> Drain.await(admin, NAME, Duration.ofSeconds(20))).doesNotThrowAnyException();
        assertThatThrownBy(() -> Drain.await(admin, NAME, Duration.ofSeconds(20)))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("3 batches of index updates of t are not delivered after 20 s");
    }
}
