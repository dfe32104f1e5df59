package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.TableIndexes;
import org.diffindex.model.UnloadedIndex;
import org.junit.jupiter.api.Test;

/**
 * Tests that a session can forget delivered changes whatever indexes were dropped since it was opened, and that it does
 * not wait for long if the regions do not answer.
 */
class SessionDrainTest {
    private static final TableName TABLE = TableName.valueOf("t");

    private final Map<String, IndexDefinition> present = new HashMap<>();
    private final Map<String, UnloadedIndex> unloaded = new HashMap<>();
    private Supplier<TableIndexes> stored = () -> new TableIndexes(present, unloaded);
    private final IndexCatalog catalog = new IndexCatalog(TABLE, () -> stored.get());
    private final List<List<String>> drained = new ArrayList<>();
    private final SessionDrain drain = new SessionDrain(catalog, (indexes, timeout) -> {
        if (!indexes.stream().allMatch(index -> present.containsKey(index) || unloaded.containsKey(index))) {
            throw new DoNotRetryIOException("Not drained; the region has other indexes");
        }
        drained.add(List.copyOf(indexes));
        return DrainResult.DRAINED;
    });

    private void create(String name, IndexScheme scheme) {
        present.put(
                name,
                IndexDefinition.builder(TABLE, name)
                        .column("f", name, ColumnTypes.STRING)
                        .scheme(scheme)
                        .build());
    }

    private void createUnloaded(String name, Optional<IndexScheme> scheme) {
        unloaded.put(name, new UnloadedIndex(TABLE, name, "x", scheme, "{}", "no class", true));
    }

    @Test
    void waitsOnlyForAsyncSessionIndexes() throws IOException {
        create("a", IndexScheme.ASYNC_SESSION);
        create("b", IndexScheme.ASYNC_SIMPLE);
        assertThat(drain.drained(Set.of())).isTrue();
        assertThat(drained).containsExactly(List.of("a"));
    }

    @Test
    void waitsForIndexesThatCannotBeLoadedAndMayHaveSessions() throws IOException {
        createUnloaded("a", Optional.of(IndexScheme.ASYNC_SESSION));
        createUnloaded("b", Optional.of(IndexScheme.SYNC_FULL));
        createUnloaded("c", Optional.empty());
        assertThat(drain.drained(Set.of())).isTrue();
        assertThat(drained).containsExactly(List.of("a", "c"));
    }

    @Test
    void doesNotWaitForAnIndexThatWasDropped() throws IOException {
        create("a", IndexScheme.ASYNC_SESSION);
        create("b", IndexScheme.ASYNC_SESSION);
        assertThat(drain.drained(Set.of())).isTrue();
        drained.clear();
        present.remove("a");
        assertThat(drain.drained(Set.of())).isTrue();
        assertThat(drained).containsExactly(List.of("b"));
        present.remove("b");
        assertThat(drain.drained(Set.of())).isTrue();
    }

    /** They were created since the client has read the definitions. */
    @Test
    void waitsForTheIndexesOfWhichTheSessionRemembersChanges() throws IOException {
        create("a", IndexScheme.ASYNC_SESSION);
        TableIndexes early = new TableIndexes(Map.copyOf(present), unloaded);
        stored = () -> early;
        create("b", IndexScheme.ASYNC_SESSION);
        assertThat(drain.drained(Set.of("a", "b"))).isTrue();
        assertThat(drained).containsExactly(List.of("a", "b"));
    }

    @Test
    void doesNotWaitForADroppedIndexOfWhichTheSessionRemembersChanges() throws IOException {
        create("a", IndexScheme.ASYNC_SESSION);
        assertThat(drain.drained(Set.of("a", "dropped"))).isTrue();
        assertThat(drained).containsExactly(List.of("a"));
    }

    @Test
    void reportsAFailureThatNoDropExplains() throws IOException {
        create("a", IndexScheme.ASYNC_SESSION);
        SessionDrain failing = new SessionDrain(catalog, (indexes, timeout) -> {
            throw new IOException("away");
        });
        assertThatThrownBy(() -> failing.drained(Set.of())).hasMessage("away");
    }

    /** HBase's client calls a region that does not answer for 20 minutes, whatever the timeout of the drain. */
    @Test
    void isOverInTimeIfARegionDoesNotAnswer() throws Exception {
        create("a", IndexScheme.ASYNC_SESSION);
        CountDownLatch interrupted = new CountDownLatch(1);
        SessionDrain hanging = new SessionDrain(
                catalog,
                (indexes, timeout) -> {
                    assertThat(timeout).isEqualTo(Duration.ofMillis(100));
                    return hang(new CountDownLatch(1), interrupted);
                },
                Duration.ofMillis(100));
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        drain(hanging, answer);
        assertThat(answer.get(30, TimeUnit.SECONDS)).isFalse();
        assertThat(interrupted.await(30, TimeUnit.SECONDS))
                .as("the call is ended")
                .isTrue();
    }

    /** Each session has a write that waits, and is owed the wait, however many others wait for a server that hangs. */
    @Test
    void waitsHoweverManyOtherSessionsWait() throws Exception {
        create("a", IndexScheme.ASYNC_SESSION);
        int others = 300;
        CountDownLatch called = new CountDownLatch(others);
        SessionDrain hanging = new SessionDrain(
                catalog, (indexes, timeout) -> hang(called, new CountDownLatch(1)), Duration.ofMinutes(10));
        List<Thread> writers = new ArrayList<>();
        try {
            for (int i = 0; i < others; i++) {
                writers.add(drain(hanging, new CompletableFuture<>()));
            }
            assertThat(called.await(60, TimeUnit.SECONDS))
                    .as("all of them are drained")
                    .isTrue();
            assertThat(drain.drained(Set.of())).as("one more").isTrue();
        } finally {
            writers.forEach(Thread::interrupt);
        }
    }

    @Test
    void anInterruptedWriterStopsWaiting() throws Exception {
        create("a", IndexScheme.ASYNC_SESSION);
        CountDownLatch called = new CountDownLatch(1);
        SessionDrain hanging = new SessionDrain(
                catalog, (indexes, timeout) -> hang(called, new CountDownLatch(1)), Duration.ofMinutes(10));
        CompletableFuture<Boolean> answer = new CompletableFuture<>();
        Thread writer = drain(hanging, answer);
        called.await();
        writer.interrupt();
        assertThatThrownBy(() -> answer.get(30, TimeUnit.SECONDS))
                .cause()
                .isInstanceOf(InterruptedIOException.class)
                .hasMessageContaining("waiting for the indexes of t");
    }

    private static Thread drain(SessionDrain drain, CompletableFuture<Boolean> answer) {
        Thread writer = new Thread(() -> {
            try {
                answer.complete(drain.drained(Set.of()));
            } catch (IOException e) {
                answer.completeExceptionally(e);
            }
        });
        writer.start();
        return writer;
    }

    private static DrainResult hang(CountDownLatch called, CountDownLatch interrupted) throws IOException {
        try {
            called.countDown();
            new CountDownLatch(1).await();
            return DrainResult.DRAINED;
        } catch (InterruptedException e) {
            interrupted.countDown();
            throw new InterruptedIOException("ended");
        }
    }
}
