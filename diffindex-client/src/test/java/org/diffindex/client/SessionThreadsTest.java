package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.client.Put;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;

/** Tests that reads of a session do not wait for its writes, and that they see every acknowledged write. */
class SessionThreadsTest extends SessionFixture {
    @Test
    void doesNotExpireWhileAWriteIsInFlight() throws Exception {
        try (Session session =
                open(IndexScheme.ASYNC_SESSION, SessionOptions.builder().idleTimeout(Duration.ofSeconds(1)))) {
            beforeBatch = () -> {
                now = now.plusSeconds(10);
                assertThat(unchecked(() -> rows(session, IndexQuery.index("by_delay")))
                                .get())
                        .isEmpty();
                now = now.plusSeconds(10);
            };
            session.put(put("r1", 1));
            assertThat(rows(session, IndexQuery.index("by_delay"))).containsExactly("r1");
        }
    }

    @Test
    void readsContinueWhileTheIndexesAreDrainedForAWrite() throws Exception {
        long change = SessionOverlay.weight(2, 7);
        CountDownLatch draining = new CountDownLatch(1);
        CountDownLatch drained = new CountDownLatch(1);
        whileDraining = () -> {
            draining.countDown();
            await(drained);
        };
        try (Session session =
                open(IndexScheme.ASYNC_SESSION, SessionOptions.builder().maxBytes(change))) {
            session.put(put("r1", 1));
            IndexScanner before =
                    session.getByIndex(IndexQuery.index("by_delay").build());
            drainable = true;
            CompletableFuture<?> write = writeAside(session, put("r2", 2));
            await(draining);
            try {
                assertThat(readAside(session)).containsExactly("r1");
                assertThat(CompletableFuture.supplyAsync(unchecked(before::next))
                                .get(10, TimeUnit.SECONDS)
                                .text())
                        .containsExactly("1");
                assertThat(write).isNotDone();
            } finally {
                before.close();
                drained.countDown();
            }
            write.get(10, TimeUnit.SECONDS);
            assertThat(readAside(session)).containsExactly("r1", "r2");
        }
    }

    @Test
    void readsContinueWhileAWriteIsInFlight() throws Exception {
        CountDownLatch sent = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        try (Session session = open(IndexScheme.ASYNC_SESSION, SessionOptions.builder())) {
            session.put(put("r1", 1));
            beforeBatch = () -> {
                sent.countDown();
                await(answered);
            };
            CompletableFuture<?> write = writeAside(session, put("r2", 2));
            await(sent);
            try {
                assertThat(readAside(session)).containsExactly("r1");
                assertThat(write).isNotDone();
            } finally {
                answered.countDown();
            }
            write.get(10, TimeUnit.SECONDS);
            assertThat(rows(session, IndexQuery.index("by_delay"))).containsExactly("r1", "r2");
        }
    }

    /** The session has so little memory that it repeatedly forgets changes while others read. */
    @Test
    void readersSeeEveryWriteAcknowledgedBeforeTheyBegan() throws Exception {
        long change = SessionOverlay.weight(2, 7);
        drainable = true;
        Map<String, Integer> acknowledged = new ConcurrentHashMap<>();
        AtomicBoolean over = new AtomicBoolean();
        try (Session session =
                open(IndexScheme.ASYNC_SESSION, SessionOptions.builder().maxBytes(20 * change))) {
            List<CompletableFuture<?>> readers = new ArrayList<>();
            for (int i = 0; i < 2; i++) {
                readers.add(CompletableFuture.supplyAsync(unchecked(() -> {
                    while (!over.get()) {
                        assertSees(session, new TreeMap<>(acknowledged));
                    }
                    return null;
                })));
            }
            for (int value = 0; value < 60 && readers.stream().noneMatch(CompletableFuture::isDone); value++) {
                String row = "r" + value % 7;
                putWhenThereIsRoom(session, put(row, value));
                acknowledged.put(row, value);
            }
            over.set(true);
            for (CompletableFuture<?> reader : readers) {
                reader.get(30, TimeUnit.SECONDS);
            }
            assertSees(session, acknowledged);
        }
    }

    private static void putWhenThereIsRoom(Session session, Put put) throws IOException {
        while (true) {
            try {
                session.put(put);
                return;
            } catch (SessionFullException e) {
                assertThat(e).hasMessageContaining("open scanners");
            }
        }
    }

    /** Asserts that each row has this value or, if it is written meanwhile, a later one. */
    private static void assertSees(Session session, Map<String, Integer> rows) throws IOException {
        Map<String, Integer> found = new TreeMap<>();
        for (String hit : ownHits(session, IndexQuery.index("by_delay"))) {
            String[] valueAndRow = hit.split(":", 2);
            found.merge(valueAndRow[1], Integer.valueOf(valueAndRow[0]), Math::max);
        }
        assertThat(found.keySet()).containsAll(rows.keySet());
        rows.forEach((row, value) -> assertThat(found.get(row)).as(row).isGreaterThanOrEqualTo(value));
    }

    private static CompletableFuture<?> writeAside(Session session, Put put) {
        return CompletableFuture.supplyAsync(unchecked(() -> {
            session.put(put);
            return null;
        }));
    }

    private static List<String> readAside(Session session) throws Exception {
        return CompletableFuture.supplyAsync(unchecked(() -> rows(session, IndexQuery.index("by_delay"))))
                .get(10, TimeUnit.SECONDS);
    }

    private static <T> Supplier<T> unchecked(Callable<T> call) {
        return () -> {
            try {
                return call.call();
            } catch (Exception e) {
                throw new CompletionException(e);
            }
        };
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
