package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.CheckAndMutate;
import org.apache.hadoop.hbase.client.CheckAndMutateResult;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the client with a table that keeps rows as HBase does: the table must show what the client says it wrote. */
@Timeout(60)
class WriterClientTest {
    @TempDir
    Path dir;

    private final AtomicLong time = new AtomicLong();
    private final SchemeHistory history = new SchemeHistory(IndexScheme.SYNC_FULL, time::incrementAndGet);
    private final List<Violation> told = new ArrayList<>();
    private final Tally tally = new Tally();
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final Map<String, RowState> rows = new HashMap<>();
    private final Set<String> refused = new HashSet<>();
    private final Connection connection = mock(Connection.class);
    private final Table table = mock(Table.class);
    private boolean refuses = true;
    private IOException failure;
    private final AtomicInteger operations = new AtomicInteger();
    private final AtomicInteger movesWhileReading = new AtomicInteger();

    private HistoryLog log;
    private Workload work;

    @BeforeEach
    void answer() throws Exception {
        ChaosTable chaosTable = new ChaosTable(IndexScheme.SYNC_FULL);
        log = new HistoryLog(dir.resolve("history.jsonl"));
        IndexReads reads = mock(IndexReads.class);
        doAnswer(call -> {
                    call.<IndexReads.Interlude>getArgument(1).run();
                    movesWhileReading.incrementAndGet();
                    return null;
                })
                .when(reads)
                .read(any(), any());
        work = new Workload(
                chaosTable,
                connection,
                history,
                log,
                reads,
                new Violations(told::add),
                tally,
                20,
                new ReentrantReadWriteLock(),
                stopped);
        when(connection.getTable(chaosTable.name())).thenReturn(table);
        doAnswer(call -> apply(call.getArgument(0))).when(table).put(any(Put.class));
        doAnswer(call -> apply(call.getArgument(0))).when(table).delete(any(Delete.class));
        when(table.increment(any(Increment.class))).thenAnswer(call -> apply(call.getArgument(0)));
        when(table.mutateRow(any(RowMutations.class))).thenAnswer(call -> {
            for (Mutation each : call.<RowMutations>getArgument(0).getMutations()) {
                apply(each);
            }
            return Result.EMPTY_RESULT;
        });
        when(table.checkAndMutate(any(CheckAndMutate.class))).thenAnswer(call -> {
            CheckAndMutate check = call.getArgument(0);
            RowState state = rows.getOrDefault(Bytes.toString(check.getRow()), RowState.NONE);
            boolean holds =
                    check.getValue() == null ? state.value().isEmpty() : state.has(Bytes.toString(check.getValue()));
            if (holds) {
                apply((Mutation) check.getAction());
            }
            return new CheckAndMutateResult(holds, null);
        });
        doAnswer(call -> {
                    List<? extends Row> actions = call.getArgument(0);
                    Object[] results = call.getArgument(1);
                    for (int i = 0; i < results.length; i++) {
                        try {
                            results[i] = apply((Mutation) actions.get(i));
                        } catch (IOException e) {
                            results[i] = e;
                        }
                    }
                    return null;
                })
                .when(table)
                .batch(anyList(), any());
    }

    @AfterEach
    void close() throws IOException {
        log.close();
    }

    private Result apply(Mutation mutation) throws IOException {
        operations.incrementAndGet();
        if (failure != null) {
            throw failure;
        }
        String row = Bytes.toString(mutation.getRow());
        RowState state = rows.getOrDefault(row, RowState.NONE);
        if (mutation instanceof Increment) {
            rows.put(row, state.incremented());
        } else if (mutation instanceof Delete) {
            rows.put(
                    row,
                    mutation.isEmpty()
                            ? RowState.NONE
                            : new RowState(RowState.NONE.value(), state.number(), state.tag()));
        } else {
            if (isUnindexable(mutation) && refuses) {
                refused.add(row);
                throw new DoNotRetryIOException("Write refused, nothing was written: the value is no long");
            }
            rows.put(row, merged(state, (Put) mutation));
        }
        return Result.EMPTY_RESULT;
    }

    private static boolean isUnindexable(Mutation put) {
        return cells(put).stream()
                .anyMatch(cell ->
                        CellUtil.matchingQualifier(cell, ChaosTable.NUMBER) && cell.getValueLength() != Long.BYTES);
    }

    private static List<Cell> cells(Mutation put) {
        return put.getFamilyCellMap().get(ChaosTable.FAMILY);
    }

    private static RowState merged(RowState before, Put put) {
        RowState shown = ChaosTable.stateOf(Result.create(
                cells(put).stream().sorted(CellComparator.getInstance()).toList()));
        return new RowState(
                shown.value().or(before::value),
                shown.number().isPresent() ? shown.number() : before.number(),
                shown.tag().or(before::tag));
    }

    /** Runs a client for several hundred operations. */
    private RowSlots run(long seed) throws Exception {
        RowSlots own = new RowSlots(history, "w0", 15);
        RowSlots shared = new RowSlots(history, "all", 3);
        WriterClient client = new WriterClient(work, own, shared, new Random(seed), 1e6, Duration.ofMinutes(1));
        int enough = operations.get() + 500;
        Thread stopper = new Thread(() -> {
            while (operations.get() < enough) {
                Thread.onSpinWait();
            }
            stopped.set(true);
        });
        stopper.start();
        client.call();
        stopper.join();
        return own;
    }

    @Test
    void theTableShowsWhatTheHistorySays() throws Exception {
        run(1);
        assertThat(told).isEmpty();
        assertThat(FinalCheck.check(history, rows, new Violations(told::add))).isEqualTo(18);
        assertThat(told).isEmpty();
        assertThat(tally.writes(Outcome.OK)).isGreaterThan(400).isEqualTo(tally.writes());
        assertThat(movesWhileReading).hasPositiveValue();
    }

    @Test
    void logsEveryKindOfWrite() throws Exception {
        run(2);
        log.close();
        List<String> lines = Files.readAllLines(dir.resolve("history.jsonl"));
        for (String kind : Arrays.asList(
                "put",
                "batch-put",
                "batch-delete",
                "delete",
                "row-mutations",
                "check-and-put",
                "increment",
                "there-and-back",
                "across")) {
            assertThat(lines).as(kind).anyMatch(line -> line.contains("\"kind\":\"" + kind + "\""));
        }
    }

    @Test
    void acceptingAWriteThatMustBeRefusedIsAViolation() throws Exception {
        run(3);
        assertThat(refused).isNotEmpty();
        assertThat(tally.rejected.sum()).isEqualTo(tally.unindexable.sum()).isPositive();
        refuses = false;
        stopped.set(false);
        run(4);
        assertThat(told).extracting(Violation::kind).contains(Violation.Kind.ACCEPTED);
    }

    @Test
    void retiresARowOfUnknownOutcome() throws Exception {
        failure = new ConnectException("away");
        RowSlots own = run(5);
        assertThat(tally.writes(Outcome.UNKNOWN)).isEqualTo(tally.writes()).isPositive();
        assertThat(history.rows()).hasSizeGreaterThan(100);
        for (int slot = 0; slot < own.count(); slot++) {
            RowHistory row = own.get(slot);
            assertThat(row.begun())
                    .as("writes of a row that replaced one whose write failed: " + row.row())
                    .isZero();
        }
        assertThat(told).as("violations, since a fault explains the failures").isEmpty();
    }

    @Test
    void tagsAreUnique() {
        Set<String> tags = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            assertThat(tags.add(ChangeMaker.newTag("v001"))).isTrue();
        }
    }
}
