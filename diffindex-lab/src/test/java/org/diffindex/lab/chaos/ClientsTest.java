package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.lab.chaos.IndexReads.Question;
import org.diffindex.lab.chaos.Violation.Kind;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the clients that only drain and read, and the values that they request. */
@Timeout(60)
class ClientsTest {
    @TempDir
    static Path dir;

    private final AtomicLong time = new AtomicLong();
    private final SchemeHistory history = new SchemeHistory(IndexScheme.ASYNC_SIMPLE, time::incrementAndGet);
    private final List<Violation> told = new ArrayList<>();
    private final Tally tally = new Tally();
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final IndexReads reads = mock(IndexReads.class);
    private final DiffIndexAdmin admin = mock(DiffIndexAdmin.class);
    private final Path file = dir.resolve(UUID.randomUUID().toString());
    private final HistoryLog log = new HistoryLog(file);
    private final Workload work = new Workload(
            new ChaosTable(IndexScheme.ASYNC_SIMPLE),
            null,
            history,
            log,
            reads,
            new Violations(told::add),
            tally,
            1,
            new ReentrantReadWriteLock(),
            stopped);

    /** Creates the log of a test. */
    ClientsTest() throws IOException {}

    @AfterEach
    void close() throws IOException {
        log.close();
    }

    private RowHistory write(Outcome outcome) {
        RowHistory row = history.row("r");
        RowWrite write = history.begin(row, RowState.of("v001", 1, "t"), "put", RowWrite.NO_SESSION);
        history.end(row, write, outcome);
        return row;
    }

    private void drainOnce() throws IOException {
        stopped.set(false);
        new DrainingClient(work, admin, new Pace(1e6, new Random(1))).call();
    }

    /** Makes the next drain end the client and leave this many updates. */
    private void drainLeaves(long left) throws IOException {
        when(admin.drain(any(TableName.class), any(Duration.class))).thenAnswer(call -> {
            stopped.set(true);
            return left;
        });
    }

    private void drainFails(IOException failure) throws IOException {
        when(admin.drain(any(TableName.class), any(Duration.class))).thenAnswer(call -> {
            stopped.set(true);
            throw failure;
        });
    }

    @Test
    void aDrainSettlesWritesThatWereAcknowledgedBeforeIt() throws IOException {
        RowHistory row = write(Outcome.OK);
        drainLeaves(0);
        drainOnce();
        assertThat(row.certain(time.incrementAndGet()).flatMap(RowState::value)).contains("v001");
        assertThat(tally.drains.sum()).isEqualTo(1);
    }

    @Test
    void aDrainSettlesNothingThatIsAcknowledgedWhileItRuns() throws IOException {
        when(admin.drain(any(TableName.class), any(Duration.class))).thenAnswer(call -> {
            stopped.set(true);
            write(Outcome.OK);
            return 0L;
        });
        drainOnce();
        assertThat(history.row("r").certain(time.incrementAndGet())).isEmpty();
    }

    @Test
    void aDrainThatLeavesUpdatesOrFailsPromisesNothing() throws IOException {
        RowHistory row = write(Outcome.OK);
        drainLeaves(3);
        drainOnce();
        drainFails(new ConnectException("away"));
        drainOnce();
        assertThat(row.certain(time.incrementAndGet())).isEmpty();
        assertThat(tally.failedDrains.sum()).isEqualTo(2);
        assertThat(tally.drains.sum()).isZero();
        assertThat(told).isEmpty();
    }

    @Test
    void aDrainThatFailsByOurFaultIsAViolation() throws IOException {
        drainFails(new DoNotRetryIOException("Diff-Index failed unexpectedly"));
        drainOnce();
        assertThat(told).extracting(Violation::kind).containsExactly(Kind.FAILED);
    }

    @Test
    void aReaderContinuesAfterAReadThatFailed() throws Exception {
        List<Question> asked = new ArrayList<>();
        doAnswer(call -> {
                    asked.add(call.getArgument(0));
                    stopped.set(asked.size() == 20);
                    throw new ConnectException("away");
                })
                .when(reads)
                .read(any(Question.class));
        new ReaderClient(work, new Random(1), 1e6).call();
        assertThat(asked).hasSize(20).doesNotHaveDuplicates();
        log.close();
        assertThat(file).content().contains("# a read by by_val", "failed by java.net.ConnectException: away");
    }

    @Test
    void valuesSortLikeTheirNumbersAndARangeContainsItsOwn() {
        ValueRange range = new ValueRange(8, 3);
        assertThat(range.values()).containsExactly("v008", "v009", "v010").isSorted();
        assertThat(range.values()).allMatch(range::contains);
        assertThat(range.contains("v007")).isFalse();
        assertThat(range.contains("v011")).isFalse();
        assertThat(range.toString()).isEqualTo("v008..v010");
        assertThat(new ValueRange(5, 1).toString()).isEqualTo("v005");
    }

    @Test
    void theRegionsOfAnIndexHaveSeparateValues() {
        assertThat(ChaosTable.region(ValueRange.value(0))).isZero();
        for (int i = 0; i < ChaosTable.BORDERS.size(); i++) {
            int border = ChaosTable.BORDERS.get(i);
            assertThat(ChaosTable.region(ValueRange.value(border - 1))).isEqualTo(i);
            assertThat(ChaosTable.region(ValueRange.value(border))).isEqualTo(i + 1);
        }
    }

    @Test
    void aStateIsDerivedFromTheOneBeforeIt() {
        RowState state = RowState.of("v001", 4, "t1");
        assertThat(state.incremented()).isEqualTo(RowState.of("v001", 5, "t1"));
        assertThat(RowState.NONE.incremented().number()).isEqualTo(OptionalLong.of(1));
        assertThat(state.withoutValue("t2"))
                .isEqualTo(new RowState(Optional.empty(), OptionalLong.of(4), Optional.of("t2")));
        assertThat(state.has("v001")).isTrue();
        assertThat(RowState.NONE.has("v001")).isFalse();
        assertThat(RowState.NONE.toString()).isEqualTo("-/-/-");
    }

    @Test
    void evenSeedsSplitTheCallQueuesAndBothHaveFewHandlers() {
        assertThat(CallQueues.of(4)).isEqualTo(CallQueues.SPLIT);
        assertThat(CallQueues.of(7)).isEqualTo(CallQueues.SHARED);
        for (CallQueues queues : CallQueues.values()) {
            assertThat(queues.settings()).contains(Map.entry("hbase.regionserver.handler.count", "10"));
        }
        assertThat(CallQueues.SPLIT.settings())
                .hasSizeGreaterThan(CallQueues.SHARED.settings().size());
    }
}
