package org.diffindex.lab.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.ycsb.Items;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Tests the calls that each kind of plain work makes, in their order: the report compares indexes with exactly these.
 */
class PlainClientTest {
    private final BenchTable target = new BenchTable(Contender.NO_INDEX, "", 2_000, 1, 3);
    private final EntryTable entries = new EntryTable("entries");
    private final List<String> calls = new ArrayList<>();
    private final Table rowTable = mock(Table.class);
    private final Table entryTable = mock(Table.class);
    private final AsyncTable<?> asyncTable = mock(AsyncTable.class);
    private final LaterEntries later = mock(LaterEntries.class);
    private final Connection connection = mock(Connection.class);
    private final AsyncConnection asynchronous = mock(AsyncConnection.class);
    private Result found = Result.create(List.of(new KeyValue(
            BenchTable.key(0), BenchTable.FAMILY, Bytes.toBytes(Items.TITLE), 1L, Items.titleBytes(0, 0))));

    @BeforeEach
    @SuppressWarnings({"unchecked", "rawtypes"}) // the table of an asynchronous connection has a wildcard
    void answer() throws Exception {
        when(connection.getTable(target.name())).thenReturn(rowTable);
        when(connection.getTable(entries.name())).thenReturn(entryTable);
        when(asynchronous.getTable(any(TableName.class))).thenReturn((AsyncTable) asyncTable);
        doAnswer(call -> calls.add("put row")).when(rowTable).put(any(Put.class));
        doAnswer(call -> calls.add("put " + call.<List<Put>>getArgument(0).size() + " rows"))
                .when(rowTable)
                .put(anyList());
        when(rowTable.get(any(Get.class))).thenAnswer(call -> {
            calls.add("get row");
            return found;
        });
        when(rowTable.get(anyList())).thenAnswer(call -> {
            List<Get> gets = call.getArgument(0);
            calls.add("get " + gets.size() + " rows");
            Result[] results = new Result[gets.size()];
            Arrays.fill(results, found);
            return results;
        });
        doAnswer(call -> calls.add("put entry")).when(entryTable).put(any(Put.class));
        when(entryTable.exists(any(Get.class))).thenAnswer(call -> {
            calls.add("get entry");
            return false;
        });
        doAnswer(call -> {
                    List<? extends Row> mutations = call.getArgument(0);
                    long puts = mutations.stream().filter(Put.class::isInstance).count();
                    return calls.add("batch of " + puts + " puts and " + (mutations.size() - puts) + " deletes");
                })
                .when(entryTable)
                .batch(anyList(), any());
        when(asyncTable.put(any(Put.class))).thenAnswer(call -> {
            calls.add("start put of entry");
            return CompletableFuture.completedFuture(null);
        });
        when(asyncTable.delete(any(Delete.class))).thenAnswer(call -> {
            calls.add("start delete of entry");
            return CompletableFuture.completedFuture(null);
        });
        doAnswer(call -> calls.add("enqueue " + call.getArgument(0).getClass().getSimpleName()))
                .when(later)
                .add(any());
    }

    private List<String> callsOf(PlainWork work) throws IOException {
        calls.clear();
        try (PlainClient client =
                new PlainClient(work, connection, asynchronous, later, target, entries, () -> 7, new Random(1))) {
            client.operate();
        }
        return List.copyOf(calls);
    }

    @Test
    void makesTheCallsOfPuts() throws IOException {
        assertThat(callsOf(PlainWork.PUT)).containsExactly("put row");
        assertThat(callsOf(PlainWork.PUT_WITH_ENTRY))
                .as("calls, of which that for the entry is in flight before that for the row")
                .containsExactly("start put of entry", "put row");
        assertThat(callsOf(PlainWork.PUT_THEN_ENTRY)).containsExactly("put row", "put entry");
        assertThat(callsOf(PlainWork.PUT_THEN_GET)).containsExactly("put row", "get entry");
        assertThat(callsOf(PlainWork.PUT_THEN_ENTRIES))
                .containsExactly("put row", "start put of entry", "start delete of entry");
        assertThat(callsOf(PlainWork.PUT_ENTRIES_LATER)).containsExactly("put row", "enqueue Put", "enqueue Delete");
    }

    @Test
    void makesTheCallsOfBatches() throws IOException {
        String entryBatch = "batch of 1000 puts and 1000 deletes";
        assertThat(callsOf(PlainWork.BATCH)).containsExactly("put 1000 rows");
        assertThat(callsOf(PlainWork.BATCH_THEN_ENTRIES)).containsExactly("put 1000 rows", entryBatch);
        assertThat(callsOf(PlainWork.READS_BATCH_ENTRIES))
                .containsExactly("get 1000 rows", "put 1000 rows", entryBatch);
    }

    @Test
    void makesTheCallsOfReads() throws IOException {
        assertThat(callsOf(PlainWork.GET)).containsExactly("get row");
        assertThat(callsOf(PlainWork.GET_THEN_GET)).containsExactly("get row", "get row");
    }

    @Test
    void aReadThatFindsNothingFails() {
        found = Result.EMPTY_RESULT;
        for (PlainWork work : List.of(PlainWork.GET, PlainWork.READS_BATCH_ENTRIES)) {
            assertThatThrownBy(() -> callsOf(work)).as(work.toString()).hasMessageContaining("missing from");
        }
    }

    @Test
    void aCallThatFailsFailsTheOperation() {
        when(asyncTable.put(any(Put.class)))
                .thenReturn(CompletableFuture.failedFuture(new IOException("no region server")));
        assertThatThrownBy(() -> callsOf(PlainWork.PUT_WITH_ENTRY)).hasRootCauseMessage("no region server");
        assertThatThrownBy(() -> callsOf(PlainWork.PUT_THEN_ENTRIES)).hasRootCauseMessage("no region server");
    }

    @Test
    void theWorkWithoutAnIndexIsTheFirstOfItsKind() {
        assertThat(PlainWork.PUT_ENTRIES_LATER.withoutIndex()).isEqualTo(PlainWork.PUT);
        assertThat(PlainWork.READS_BATCH_ENTRIES.withoutIndex()).isEqualTo(PlainWork.BATCH);
        assertThat(PlainWork.GET_THEN_GET.withoutIndex()).isEqualTo(PlainWork.GET);
        assertThat(PlainWork.PUT.cell(8).toString()).isEqualTo("no index, puts, 8 clients");
    }
}
