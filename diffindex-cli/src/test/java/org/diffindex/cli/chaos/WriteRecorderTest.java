package org.diffindex.cli.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.RegionTooBusyException;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.diffindex.cli.chaos.Violation.Kind;
import org.diffindex.client.IndexUpdateDelayedException;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the recorder makes of the answers to writes, by answers that nobody sent. */
class WriteRecorderTest {
    private final IOException refusal =
            new DoNotRetryIOException("Write refused, nothing was written: the value is no long [row=r]");

    @TempDir
    Path dir;

    private final AtomicLong time = new AtomicLong();
    private final SchemeHistory history = new SchemeHistory(IndexScheme.SYNC_FULL, time::incrementAndGet);
    private final List<Violation> told = new ArrayList<>();
    private final Tally tally = new Tally();
    private final RowState state = RowState.of("v001", 1, "t1:v001");
    private HistoryLog log;
    private WriteRecorder recorder;

    @BeforeEach
    void open() throws IOException {
        log = new HistoryLog(dir.resolve("history.jsonl"));
        Workload work = new Workload(
                new ChaosTable(IndexScheme.SYNC_FULL),
                null,
                history,
                log,
                null,
                new Violations(told::add),
                tally,
                1,
                new ReentrantReadWriteLock(),
                new AtomicBoolean());
        recorder = new WriteRecorder(work, Duration.ofMinutes(1));
    }

    @AfterEach
    void close() throws IOException {
        log.close();
    }

    private List<Outcome> outcomesOf(WriteRecorder.Sending sending) throws InterruptedException {
        Put put = ChaosTable.put("r", "v001", 1, "t1:v001");
        return recorder.write(List.of(new Change(history.row("r"), state, "put", put)), RowWrite.NO_SESSION, sending);
    }

    private List<Kind> kinds() {
        return told.stream().map(Violation::kind).toList();
    }

    @Test
    void aGoodWriteThatIsRefusedForWhatItHoldsIsAFault() throws InterruptedException {
        assertThat(outcomesOf(results -> {
                    throw refusal;
                }))
                .containsExactly(Outcome.REFUSED);
        assertThat(outcomesOf(results -> results[0] = refusal)).containsExactly(Outcome.REFUSED);
        assertThat(kinds()).containsExactly(Kind.FAILED);
    }

    @Test
    void aServerMayBeTooBusy() throws InterruptedException {
        assertThat(outcomesOf(results -> {
                    throw new RegionTooBusyException("nothing was written, try again later");
                }))
                .containsExactly(Outcome.REFUSED);
        assertThat(kinds()).isEmpty();
    }

    @Test
    void aWriteThatMustBeRefusedMayNotBeAcknowledged() {
        Put put = ChaosTable.unindexable("r", "v001", "t1:v001");
        recorder.judgeRefusal(put, refusal);
        recorder.judgeRefusal(put, new IOException("nobody answered"));
        assertThat(kinds()).isEmpty();
        assertThat(tally.rejected.sum()).isEqualTo(1);

        recorder.judgeRefusal(put, Result.EMPTY_RESULT);
        assertThat(kinds()).containsExactly(Kind.ACCEPTED);
    }

    @Test
    void aWriteThatMustBeRefusedMayNotBeWrittenThoughItsIndexUpdateIsLate() {
        Put put = ChaosTable.unindexable("r", "v001", "t1:v001");
        recorder.judgeRefusal(put, new DoNotRetryIOException(IndexUpdateDelayedException.DESCRIPTION + " [row=r]"));
        assertThat(kinds()).containsExactly(Kind.ACCEPTED);
    }

    @Test
    void anotherFailureOfOursIsNoRefusal() {
        Put put = ChaosTable.unindexable("r", "v001", "t1:v001");
        recorder.judgeRefusal(put, new DoNotRetryIOException("Diff-Index failed unexpectedly: an empty array"));
        recorder.judgeRefusal(put, new IllegalArgumentException("Wrong length"));
        assertThat(kinds()).containsExactly(Kind.FAILED, Kind.FAILED);
        assertThat(tally.rejected.sum()).isZero();
    }
}
