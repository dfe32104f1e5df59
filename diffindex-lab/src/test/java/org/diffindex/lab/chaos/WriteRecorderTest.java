package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.ipc.CallTimeoutException;
import org.diffindex.client.Session;
import org.diffindex.lab.chaos.Violation.Kind;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests what the recorder concludes from the answers to writes, with answers that no server sent. */
class WriteRecorderTest {
    private final IOException refusal =
            new DoNotRetryIOException("Write refused, nothing was written: the value is no long [row=r]");

    @TempDir
    Path dir;

    private final AtomicLong time = new AtomicLong();
    private final List<Violation> told = new ArrayList<>();
    private final Tally tally = new Tally();
    private final RowState state = RowState.of("v001", 1, "t1:v001");
    private final ReadWriteLock writing = new ReentrantReadWriteLock();
    private SchemeHistory history;
    private HistoryLog log;
    private Workload work;
    private WriteRecorder recorder;

    @BeforeEach
    void open() throws IOException {
        log = new HistoryLog(dir.resolve("history.jsonl"));
        use(IndexScheme.SYNC_FULL);
    }

    /** Records writes to an empty table of that scheme from now on. */
    private void use(IndexScheme scheme) {
        history = new SchemeHistory(scheme, time::incrementAndGet);
        work = new Workload(
                new ChaosTable(scheme),
                null,
                history,
                log,
                null,
                new Violations(told::add),
                tally,
                1,
                writing,
                new AtomicBoolean());
        recorder = new WriteRecorder(work, Duration.ofMinutes(1));
    }

    @AfterEach
    void close() throws IOException {
        log.close();
    }

    private Change change(String row) {
        return new Change(history.row(row), state, "put", ChaosTable.put(row, "v001", 1, "t1:v001"));
    }

    private List<Outcome> outcomesOf(WriteRecorder.Sending sending) throws InterruptedException {
        return recorder.write(List.of(change("r")), RowWrite.NO_SESSION, sending);
    }

    private List<Kind> kindsOfAReadThatFindsNothing() throws InterruptedException {
        try (ReadCheck check = ReadCheck.begin(history, new ValueRange(1, 1))) {
            return check.end(List.of()).stream().map(Violation::kind).toList();
        }
    }

    private List<Kind> kinds() {
        return told.stream().map(Violation::kind).toList();
    }

    @Test
    void theRefusalOfAValidWriteIsAViolation() throws InterruptedException {
        assertThat(outcomesOf(results -> {
                    throw refusal;
                }))
                .containsExactly(Outcome.REFUSED);
        assertThat(outcomesOf(results -> results[0] = refusal)).containsExactly(Outcome.REFUSED);
        assertThat(kinds()).containsExactly(Kind.FAILED);
    }

    /** A checkpoint keeps all other writers out. */
    @Test
    @Timeout(60)
    void aSessionMovesRowsToTheLowestValuesAtACheckpoint() throws Exception {
        use(IndexScheme.ASYNC_SESSION);
        Session session = mock(Session.class);
        writing.writeLock().lock();
        SessionClient.moveRows(work, session, 7);
        verify(session, times(10)).put(any(Put.class));
        assertThat(history.rows())
                .allMatch(row -> row.certain(time.incrementAndGet()).isEmpty(), "is known to the session alone")
                .extracting(row -> row.certain(time.incrementAndGet(), 7).flatMap(RowState::value))
                .containsExactlyInAnyOrderElementsOf(
                        new ValueRange(0, 5).values().stream().map(Optional::of).toList());
    }

    @Test
    void aSessionWhoseWriteFailsIsNoneToRead() throws Exception {
        use(IndexScheme.ASYNC_SESSION);
        Session session = mock(Session.class);
        doThrow(new IOException("nobody answered")).when(session).put(any(Put.class));
        assertThatThrownBy(() -> SessionClient.moveRows(work, session, 7)).hasMessageContaining("session 7");
    }

    @Test
    void readsMustSeeAWriteOnceItIsAcknowledged() throws InterruptedException {
        assertThat(outcomesOf(results -> {
                    results[0] = Result.EMPTY_RESULT;
                    assertThat(kindsOfAReadThatFindsNothing()).isEmpty();
                }))
                .containsExactly(Outcome.OK);

        assertThat(kindsOfAReadThatFindsNothing()).containsExactly(Kind.LOST);
        assertThat(tally.writes(Outcome.OK)).isEqualTo(1);
        assertThat(tally.writes("put", Outcome.OK)).isEqualTo(1);
    }

    @Test
    void eachWriteOfABatchEndsByItsOwnAnswer() throws InterruptedException {
        IOException unanswered = new IOException("nobody answered");
        List<Change> changes = List.of(change("r1"), change("r2"), change("r3"));
        assertThat(recorder.write(changes, RowWrite.NO_SESSION, results -> {
                    results[0] = Result.EMPTY_RESULT;
                    results[1] = new IndexUpdateDelayedException("later");
                    throw unanswered;
                }))
                .containsExactly(Outcome.OK, Outcome.DELAYED, Outcome.UNKNOWN);
        assertThat(history.row("r1").certain(time.incrementAndGet())).contains(state);
        assertThat(history.row("r2").certain(time.incrementAndGet())).isEmpty();
        assertThat(history.row("r3").possibleInBase()).containsExactly(RowState.NONE, state);
    }

    /**
     * A session's puts are one batch, which fails with one exception that has a cause for each row that failed. Here
     * the index of one row is late, and the server of another did not answer and did not write it.
     */
    @Test
    void theDelayOfOneRowOfASessionsBatchSaysNothingOfTheOthers() throws InterruptedException {
        use(IndexScheme.ASYNC_SESSION);
        List<Change> changes = List.of(change("delayed"), change("unanswered"), change("other"));
        List<Row> failed = changes.stream().limit(2).map(Change::action).toList();
        List<Outcome> outcomes = recorder.write(changes, 1, results -> {
            throw new RetriesExhaustedWithDetailsException(
                    List.of(new IndexUpdateDelayedException("later"), new CallTimeoutException("no answer")),
                    failed,
                    List.of("rs1:1", "rs2:1"));
        });
        assertThat(outcomes).containsExactly(Outcome.DELAYED, Outcome.UNKNOWN, Outcome.UNKNOWN);
        FinalCheck.check(history, Map.of("delayed", state), new Violations(told::add));
        assertThat(told).isEmpty();
    }

    /** A write to a table whose indexes are all asynchronous is acknowledged or refused; see docs/consistency.md. */
    @ParameterizedTest
    @EnumSource
    void aDelayOutsideOfASessionIsAViolationUnderAnAsynchronousScheme(IndexScheme scheme) throws InterruptedException {
        use(scheme);
        WriteRecorder.Sending delayed = results -> {
            throw new DoNotRetryIOException(IndexUpdateDelayedException.DESCRIPTION + " [row=r]");
        };
        assertThat(recorder.write(List.of(change("r")), 1, delayed)).containsExactly(Outcome.DELAYED);
        assertThat(kinds()).isEmpty();
        assertThat(outcomesOf(delayed)).containsExactly(Outcome.DELAYED);
        assertThat(kinds()).isEqualTo(scheme.isAsynchronous() ? List.of(Kind.DELAYED) : List.of());
    }

    /** A fault run may change the scheme of a further index of the table. */
    @Test
    void aDelayIsNoViolationWhileAnotherIndexMayBeSynchronous() throws InterruptedException {
        use(IndexScheme.ASYNC_SIMPLE);
        WriteRecorder.Sending delayed = results -> {
            throw new DoNotRetryIOException(IndexUpdateDelayedException.DESCRIPTION + " [row=r]");
        };
        history.mayBeSynchronous();
        assertThat(outcomesOf(delayed)).containsExactly(Outcome.DELAYED);
        assertThat(outcomesOf(results -> {
                    history.isAsItsScheme(); // the write began before
                    delayed.send(results);
                }))
                .containsExactly(Outcome.DELAYED);
        assertThat(kinds()).isEmpty();
        assertThat(outcomesOf(delayed)).containsExactly(Outcome.DELAYED);
        assertThat(kinds()).containsExactly(Kind.DELAYED);
    }

    /**
     * An earlier attempt may have been abandoned and still make the write; its entry may be put when that attempt
     * continues.
     */
    @Test
    void aWriteThatTookLongerThanACallMayTakeIsLate() throws InterruptedException {
        recorder = new WriteRecorder(work, Duration.ofNanos(1));
        assertThat(outcomesOf(results -> {
                    long begin = System.nanoTime();
                    while (System.nanoTime() - begin <= 1) {
                        Thread.onSpinWait();
                    }
                }))
                .containsExactly(Outcome.LATE);
        assertThat(history.row("r").possibleInBase()).containsExactly(state);
        assertThat(kindsOfAReadThatFindsNothing()).isEmpty();
    }

    /** The check may have found what an earlier attempt wrote. */
    @Test
    void aWriteWhoseCheckFailedIsLate() throws InterruptedException {
        assertThat(outcomesOf(results -> results[0] = false)).containsExactly(Outcome.LATE);
        assertThat(outcomesOf(results -> results[0] = true)).containsExactly(Outcome.OK);
    }

    @Test
    void aFailureIsNotAnAcknowledgementHoweverLongItTook() throws InterruptedException {
        recorder = new WriteRecorder(work, Duration.ofNanos(-1));
        assertThat(outcomesOf(results -> results[0] = new IOException("nobody answered")))
                .containsExactly(Outcome.UNKNOWN);
    }

    /** A drain waits until no client writes. */
    @Test
    void excludingWritersWaitsForTheEndOfAWrite() throws Exception {
        ExecutorService drain = Executors.newSingleThreadExecutor();
        Callable<Boolean> isFree = () -> writing.writeLock().tryLock();
        try {
            outcomesOf(results -> {
                try {
                    assertThat(drain.submit(isFree).get()).isFalse();
                } catch (ExecutionException e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThat(drain.submit(isFree).get()).isTrue();
        } finally {
            drain.shutdownNow();
        }
    }

    @Test
    void logsTheOutcomeOfEachWriteAndEveryFailure() throws Exception {
        outcomesOf(results -> results[0] = Result.EMPTY_RESULT);
        outcomesOf(results -> results[0] = new IOException("nobody answered"));
        log.close();

        assertThat(Files.readAllLines(dir.resolve("history.jsonl")))
                .satisfiesExactly(
                        line -> assertThat(line).endsWith("\"outcome\":\"OK\"}"),
                        line -> assertThat(line).isEqualTo("# UNKNOWN by java.io.IOException: nobody answered"),
                        line -> assertThat(line).endsWith("\"outcome\":\"UNKNOWN\"}"));
    }

    @Test
    void aBusyServerMayRefuseAWrite() throws InterruptedException {
        assertThat(outcomesOf(results -> {
                    throw new RegionTooBusyException("nothing was written, try again later");
                }))
                .containsExactly(Outcome.REFUSED);
        assertThat(kinds()).isEmpty();
    }

    @Test
    void anAcknowledgementOfAWriteThatMustBeRefusedIsAViolation() {
        Put put = ChaosTable.unindexable("r", "v001", "t1:v001");
        recorder.judgeRefusal(put, new IOException("nobody answered"));
        assertThat(tally.rejected.sum()).isZero();
        recorder.judgeRefusal(put, refusal);
        assertThat(tally.rejected.sum()).isEqualTo(1);
        assertThat(kinds()).isEmpty();

        recorder.judgeRefusal(put, Result.EMPTY_RESULT);
        assertThat(kinds()).containsExactly(Kind.ACCEPTED);
    }

    @Test
    void aDelayOfAWriteThatMustBeRefusedIsAViolation() {
        Put put = ChaosTable.unindexable("r", "v001", "t1:v001");
        recorder.judgeRefusal(put, new DoNotRetryIOException(IndexUpdateDelayedException.DESCRIPTION + " [row=r]"));
        assertThat(kinds()).containsExactly(Kind.ACCEPTED);
    }

    @Test
    void anotherFailureOfOursDoesNotCountAsARefusal() {
        Put put = ChaosTable.unindexable("r", "v001", "t1:v001");
        recorder.judgeRefusal(put, new DoNotRetryIOException("Diff-Index failed unexpectedly: an empty array"));
        recorder.judgeRefusal(put, new IllegalArgumentException("Wrong length"));
        assertThat(kinds()).containsExactly(Kind.FAILED, Kind.FAILED);
        assertThat(tally.rejected.sum()).isZero();
    }
}
