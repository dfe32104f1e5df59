package org.diffindex.server.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.hadoop.fs.Path;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexSet;
import org.diffindex.server.local.Flights;
import org.diffindex.server.local.Waiting;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests that files wait for each of their indexes, and writes for the files of synchronous indexes. */
class ParkedFilesTest {
    private static final IndexDefinition SYNC = Flights.byOrigin(IndexScheme.SYNC_FULL);
    private static final IndexDefinition ASYNC = Flights.byOrigin(IndexScheme.ASYNC_SIMPLE);
    private static final long LONG_MS = 60_000;

    private final FlushBarrier barrier = new FlushBarrier();
    private final ReentrantLock lock = new ReentrantLock();
    private final ParkedFiles parked = new ParkedFiles(lock);

    private ParkedFiles.Parked file(String name, IndexDefinition... indexes) {
        Map<IndexDefinition, FlushBarrier.Registration> registrations = new HashMap<>();
        for (IndexDefinition index : indexes) {
            registrations.put(index, barrier.register(index.name()));
        }
        ParkedFiles.Parked file =
                new ParkedFiles.Parked(new CoveringFile(new Path(name), indexes.length, path -> {}), registrations);
        parked.add(file);
        return file;
    }

    private void load(ParkedFiles.Parked file, IndexDefinition index) {
        parked.load(file, index, FlushBarrier.Registration::leave);
    }

    @AfterEach
    void aClosedRegionDelaysNoFlush() {
        parked.close();
        assertThat(barrier.inside()).isZero();
        assertThat(parked.count()).isZero();
    }

    @Test
    void aFileIsParkedUntilEachOfItsIndexesHasLoadedIt() {
        ParkedFiles.Parked file = file("a", SYNC, ASYNC);
        load(file, SYNC);
        assertThat(parked.isAny()).isTrue();
        assertThat(parked.count(SYNC)).isZero();
        assertThat(parked.count(ASYNC)).isEqualTo(1);
        assertThat(parked.firstFor(SYNC)).isEmpty();
        load(file, ASYNC);
        assertThat(parked.isAny()).isFalse();
        assertThat(parked.count()).isZero();
    }

    @Test
    void movesAFileThatCannotBeReadBehindTheOthers() {
        ParkedFiles.Parked unreadable = file("a", SYNC);
        ParkedFiles.Parked next = file("b", SYNC);
        assertThat(parked.firstFor(SYNC))
                .hasValueSatisfying(first -> assertThat(first).isSameAs(unreadable));
        parked.moveBack(unreadable);
        assertThat(parked.firstFor(SYNC))
                .hasValueSatisfying(first -> assertThat(first).isSameAs(next));
        assertThat(parked.count()).isEqualTo(2);
    }

    @Test
    void loadsAFileUnderTheLockAndOnceForEachIndex() {
        ParkedFiles.Parked file = file("a", SYNC);
        List<Boolean> loads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            parked.load(file, SYNC, registration -> {
                loads.add(lock.isHeldByCurrentThread());
                registration.leave();
            });
        }
        assertThat(loads).containsExactly(true);
    }

    @Test
    void waitsForAFileThatIsParkedDuringTheQuery() throws IOException {
        List<String> asked = new ArrayList<>();
        String answer = parked.whileLackingIsLoaded(IndexSet.synchronous(), LONG_MS, () -> {
            asked.add("asked");
            if (asked.size() == 1) {
                load(file("a", SYNC), SYNC);
            }
            return "answer " + asked.size();
        });
        assertThat(answer).isEqualTo("answer 2");
    }

    @Test
    void waitsOnlyForFilesOfTheGivenIndexes() throws IOException {
        file("a", ASYNC);
        assertThat(parked.whileLackingIsLoaded(IndexSet.synchronous(), 0, () -> "answer"))
                .isEqualTo("answer");
        file("b", SYNC);
        assertThat(parked.whileLackingIsLoaded(IndexSet.none(), 0, () -> "answer"))
                .isEqualTo("answer");
        assertThatThrownBy(() -> parked.whileLackingIsLoaded(IndexSet.synchronous(), 0, () -> "answer"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("still on disk");
    }

    @Test
    void theCloseFailsTheWait() throws Exception {
        file("a", SYNC);
        CompletableFuture<String> waiting = beginToWait();
        parked.close();
        assertThatThrownBy(() -> waiting.get(LONG_MS, TimeUnit.MILLISECONDS))
                .hasCauseInstanceOf(IOException.class)
                .hasMessageContaining("The region was closed");
    }

    @Test
    void aWriteWaitsForNoOtherIndexToLoadAFile() throws Exception {
        ParkedFiles.Parked file = file("a", SYNC, ASYNC);
        CompletableFuture<String> waiting = beginToWait();
        load(file, SYNC);
        assertThat(waiting.get(LONG_MS / 4, TimeUnit.MILLISECONDS)).isEqualTo("answer");
        assertThat(parked.count(ASYNC)).isEqualTo(1);
    }

    /** Begins a write that waits until no file is parked for a synchronous index. */
    private CompletableFuture<String> beginToWait() {
        CompletableFuture<String> waiting = new CompletableFuture<>();
        Thread writer = new Thread(() -> {
            try {
                waiting.complete(parked.whileLackingIsLoaded(IndexSet.synchronous(), LONG_MS, () -> "answer"));
            } catch (IOException e) {
                waiting.completeExceptionally(e);
            }
        });
        writer.start();
        Waiting.until("the writer waits", () -> writer.getState() == Thread.State.TIMED_WAITING);
        return waiting;
    }

    /** The close empties the queues too, of which the query asks. */
    @Test
    void aCloseDuringTheQueryFailsIt() {
        assertThatThrownBy(() -> parked.whileLackingIsLoaded(IndexSet.synchronous(), LONG_MS, () -> {
                    parked.close();
                    return "answer";
                }))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("The region was closed");
    }

    @Test
    void anInterruptedWaitKeepsTheInterruptStatus() {
        file("a", SYNC);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> parked.whileLackingIsLoaded(IndexSet.synchronous(), LONG_MS, () -> "answer"))
                .isInstanceOf(InterruptedIOException.class);
        assertThat(Thread.interrupted()).isTrue();
    }
}
