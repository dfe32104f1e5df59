package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.junit.jupiter.api.Test;

class SessionTest {
    private static final TableName FLIGHTS = TableName.valueOf("flights");
    private static final byte[] ORIGIN = Bytes.toBytes("origin");

    private FakeHBase hbase;
    private Instant now = Instant.ofEpochSecond(1_000_000);
    private volatile boolean drainable;
    private volatile Runnable whileDraining = () -> {};
    private volatile Runnable beforeBatch = () -> {};

    @Test
    void seesItsOwnWritesBeforeTheIndexDoes() throws IOException {
        try (Session session = open(IndexScheme.ASYNC_SESSION, SessionOptions.builder())) {
            session.put(put("r1", 7));
            assertThat(hbase.indexed()).isEmpty();
            assertThat(rows(session, IndexQuery.index("by_delay").equalTo(7))).containsExactly("r1");
            session.put(put("r1", 8));
            assertThat(rows(session, IndexQuery.index("by_delay"))).containsExactly("r1");
            assertThat(rows(session, IndexQuery.index("by_delay").equalTo(7))).isEmpty();
            session.delete(new Delete(Bytes.toBytes("r1")));
            assertThat(rows(session, IndexQuery.index("by_delay"))).isEmpty();
        }
    }

    @Test
    void doesNotTouchTheMutationsItIsGiven() throws IOException {
        try (Session session = open(IndexScheme.ASYNC_SESSION, SessionOptions.builder())) {
            Put put = put("r1", 7);
            session.put(put);
            assertThat(put.getAttributesMap()).isEmpty();
        }
    }

    @Test
    void hidesADeletedEntryThatArrivesLate() throws IOException {
        try (Session session = open(IndexScheme.ASYNC_SESSION, SessionOptions.builder())) {
            session.put(List.of(put("r1", 7), put("r1", 8)));
            hbase.deliver(hbase.queue.get(0));
            assertThat(hbase.indexed()).hasSize(1);
            assertThat(rows(session, IndexQuery.index("by_delay").equalTo(7))).isEmpty();
            assertThat(rows(session, IndexQuery.index("by_delay").equalTo(8))).containsExactly("r1");
        }
    }

    @Test
    void showsAnOwnEntryOnlyWhileItsRowYieldsIt() throws IOException {
        try (Session session = open(IndexScheme.ASYNC_SESSION, SessionOptions.builder())) {
            session.put(put("r1", 7));
            hbase.write(put("r1", 9));
            assertThat(rows(session, IndexQuery.index("by_delay").equalTo(7))).isEmpty();
            hbase.deliver(hbase.queue.get(1));
            assertThat(rows(session, IndexQuery.index("by_delay").equalTo(7))).isEmpty();
        }
    }

    @Test
    void looksNoRowUpWhoseEntryTheServerShows() throws IOException {
        try (Session session = open(IndexScheme.ASYNC_SESSION, SessionOptions.builder())) {
            session.put(put("r1", 7));
            assertThat(session.bytes()).isPositive();
            hbase.deliverAll();
            assertThat(rows(session, IndexQuery.index("by_delay"))).containsExactly("r1");
            hbase.calls.clear();
            assertThat(rows(session, IndexQuery.index("by_delay"))).containsExactly("r1");
            assertThat(hbase.calls).noneMatch(call -> call.startsWith("get"));
        }
    }

    @Test
    void hidesWhatAWriteReplacedWhoseFirstTryWasNotAnswered() throws IOException {
        try (Session session = open(IndexScheme.ASYNC_SESSION, SessionOptions.builder())) {
            session.put(List.of(put("r1", 7), put("r2", 7)));
            hbase.deliverAll();
            hbase.write(put("r1", 8));
            session.put(put("r1", 8));
            hbase.write(new Delete(Bytes.toBytes("r2")));
            session.delete(new Delete(Bytes.toBytes("r2")));

            assertThat(rows(session, IndexQuery.index("by_delay").equalTo(7))).isEmpty();
            assertThat(rows(session, IndexQuery.index("by_delay"))).containsExactly("r1");
        }
    }

    @Test
    void aLimitIsExactWithOwnChanges() throws IOException {
        try (Session session = open(IndexScheme.ASYNC_SESSION, SessionOptions.builder())) {
            for (int i = 0; i < 6; i++) {
                hbase.write(put("r" + i, i));
            }
            hbase.deliverAll();
            session.delete(new Delete(Bytes.toBytes("r0")));
            session.put(put("r1", 9));
            session.put(put("s", 2));
            hbase.write(put("s", 3));
            assertThat(rows(session, IndexQuery.index("by_delay").limit(3))).containsExactly("r2", "s", "r3");
            assertThat(rows(session, IndexQuery.index("by_delay").limit(100)))
                    .containsExactly("r2", "s", "r3", "r4", "r5", "r1");
            assertThat(rows(
                            session,
                            IndexQuery.index("by_delay").from(3).limit(2).withRows()))
                    .containsExactly("r3", "r4");
        }
    }

    @Test
    void aBatchIsOneCallAndKeepsWhatSucceeded() throws IOException {
        try (Session session = open(IndexScheme.ASYNC_SESSION, SessionOptions.builder())) {
            session.put(List.of(put("r1", 1), put("r2", 2), put("r3", 3)));
            assertThat(hbase.calls).containsExactly("batch 3");
            session.put(List.of());
            assertThat(hbase.calls).hasSize(1);
            assertThatThrownBy(() -> session.put(List.of(put("r4", 4), new Put(Bytes.toBytes("r5")))))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("nothing was sent");
            assertThat(rows(session, IndexQuery.index("by_delay"))).containsExactly("r1", "r2", "r3");
        }
    }

    @Test
    void refusesAWriteThatItMightNotRememberBeforeSendingIt() throws IOException {
        long change = SessionOverlay.weight(2, 7);
        try (Session session =
                open(IndexScheme.ASYNC_SESSION, SessionOptions.builder().maxBytes(2 * change + 1))) {
            session.put(List.of(put("r1", 1)));
            session.put(List.of(put("r2", 2)));
            assertThat(session.bytes()).isEqualTo(2 * change);
            hbase.calls.clear();
            assertThatThrownBy(() -> session.put(put("r3", 3)))
                    .isInstanceOf(SessionFullException.class)
                    .hasMessageContaining("maxBytes");
            assertThat(hbase.calls).isEmpty();
            assertThat(hbase.base).hasSize(2);
            assertThat(rows(session, IndexQuery.index("by_delay"))).containsExactly("r1", "r2");
        }
    }

    @Test
    void saysHowManyOfABatchWereWritten() throws IOException {
        long change = SessionOverlay.weight(2, 7);
        try (Session session =
                open(IndexScheme.ASYNC_SESSION, SessionOptions.builder().maxBytes(3 * change))) {
            assertThatThrownBy(() -> session.put(List.of(put("r1", 1), put("r2", 2), put("r3", 3), put("r4", 4))))
                    .isInstanceOfSatisfying(SessionFullException.class, e -> assertThat(e.written())
                            .isEqualTo(3));
            assertThat(rows(session, IndexQuery.index("by_delay"))).containsExactly("r1", "r2", "r3");
        }
    }

    @Test
    void makesRoomByDraining() throws IOException {
        long change = SessionOverlay.weight(2, 7);
        try (Session session =
                open(IndexScheme.ASYNC_SESSION, SessionOptions.builder().maxBytes(2 * change))) {
            drainable = true;
            for (int i = 0; i < 9; i++) {
                session.put(put("r" + i, i));
                assertThat(session.bytes()).isLessThanOrEqualTo(2 * change);
            }
            assertThat(rows(session, IndexQuery.index("by_delay"))).hasSize(9);
        }
    }

    @Test
    void aWriteThatTouchesNoSuchIndexIsNeverRefused() throws IOException {
        try (Session session =
                open(IndexScheme.ASYNC_SESSION, SessionOptions.builder().maxBytes(1))) {
            session.put(
                    new Put(Bytes.toBytes("r1")).addColumn(FakeHBase.F, Bytes.toBytes("carrier"), Bytes.toBytes("UA")));
            assertThatThrownBy(() -> session.put(put("r1", 1))).isInstanceOf(SessionFullException.class);
        }
        try (Session session =
                open(IndexScheme.SYNC_FULL, SessionOptions.builder().maxBytes(1))) {
            session.put(put("r1", 1));
            assertThat(rows(session, IndexQuery.index("by_delay"))).containsExactly("r1");
        }
    }

    @Test
    void takesAPutThatFitsAlsoIfItsColumnsHaveVariableLength() throws IOException {
        long change = SessionOverlay.weight(2, key("LAX", "r1").length);
        try (Session session =
                open(byCarrierAndOrigin(), SessionOptions.builder().maxBytes(2 * change + 10))) {
            session.put(List.of(
                    flight("r1", "UA").addColumn(FakeHBase.F, ORIGIN, Bytes.toBytes("LAX")),
                    flight("r2", "UA").addColumn(FakeHBase.F, ORIGIN, Bytes.toBytes("ORD"))));
            assertThat(hbase.calls).containsExactly("batch 2");
            assertThat(rows(session, IndexQuery.index("by_carrier").equalTo("UA")))
                    .containsExactly("r1", "r2");
            assertThat(session.bytes()).isEqualTo(2 * change);
        }
    }

    @Test
    void saysOfABoundThatIsTooSmallForAWriteHowLargeItMustBe() throws IOException {
        drainable = true;
        Put noOrigin = flight("r1", "UA");
        Put dated = new Put(Bytes.toBytes("r1"), 7)
                .addColumn(FakeHBase.F, Bytes.toBytes("carrier"), Bytes.toBytes("UA"))
                .addColumn(FakeHBase.F, ORIGIN, Bytes.toBytes("LAX"));
        long longest = SessionOverlay.weight(2, IndexKeyCodec.MAX_KEY_LENGTH);
        for (Mutation write : List.of(noOrigin, dated)) {
            try (Session session =
                    open(byCarrierAndOrigin(), SessionOptions.builder().maxBytes(longest - 1))) {
                whileDraining = () -> fail("No drain makes room for it");
                assertThatThrownBy(() -> session.put((Put) write))
                        .isInstanceOf(SessionFullException.class)
                        .hasMessageContaining("maxBytes to " + longest + " or more")
                        .hasMessageNotContaining("later");
                assertThat(hbase.calls).isEmpty();
            }
            try (Session session =
                    open(byCarrierAndOrigin(), SessionOptions.builder().maxBytes(longest))) {
                session.put((Put) write);
            }
        }
    }

    @Test
    void aDeleteOfARowNeedsNoRoomForAnEntry() throws IOException {
        Delete row = new Delete(Bytes.toBytes("r1"));
        try (Session session =
                open(byCarrierAndOrigin(), SessionOptions.builder().maxBytes(SessionOverlay.weight(2, 0)))) {
            session.delete(row);
            assertThat(session.bytes()).isEqualTo(SessionOverlay.weight(2, 0));
            Delete column = new Delete(Bytes.toBytes("r1")).addColumn(FakeHBase.F, ORIGIN);
            assertThatThrownBy(() -> session.delete(column)).isInstanceOf(SessionFullException.class);
            assertThatThrownBy(() -> session.delete(new Delete(Bytes.toBytes("r1"), 7)))
                    .isInstanceOf(SessionFullException.class);
        }
    }

    @Test
    void refusesToOpenASessionThatCouldRememberNothing() throws IOException {
        open(IndexScheme.ASYNC_SESSION, SessionOptions.builder()).close();
        try (IndexedTable table = new IndexedTable(hbase.connection, FLIGHTS)) {
            long least = SessionOverlay.weight(1, 0);
            assertThatThrownBy(() -> table.openSession(
                            SessionOptions.builder().maxBytes(least - 1).build()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("maxBytes to " + least);
            table.openSession(SessionOptions.builder().maxBytes(least).build()).close();
        }
    }

    @Test
    void whatOpenScannersShowCountsUntilTheyAreClosedOrAtTheirEnd() throws IOException {
        long change = SessionOverlay.weight(2, 7);
        drainable = true;
        try (Session session =
                open(IndexScheme.ASYNC_SESSION, SessionOptions.builder().maxBytes(2 * change))) {
            session.put(List.of(put("r1", 1), put("r2", 2)));
            IndexScanner closed =
                    session.getByIndex(IndexQuery.index("by_delay").build());
            IndexScanner read = session.getByIndex(IndexQuery.index("by_delay").build());
            assertThat(closed.next()).isNotNull();
            assertThatThrownBy(() -> session.put(put("r3", 3)))
                    .isInstanceOf(SessionFullException.class)
                    .hasMessageContaining(2 * change + " of them only for open scanners")
                    .hasMessageContaining("close scanners");
            closed.close();
            assertThat(session.bytes()).isEqualTo(2 * change);
            assertThat(read).hasSize(2);
            assertThat(session.bytes()).isZero();
            session.put(List.of(put("r3", 3), put("r4", 4)));
            assertThat(rows(session, IndexQuery.index("by_delay"))).containsExactly("r1", "r2", "r3", "r4");
        }
    }

    /** The index scan is as of a moment before the drain. */
    @Test
    void aScannerGoesOnToShowWhatIsDrainedMeanwhile() throws IOException {
        long change = SessionOverlay.weight(2, 7);
        drainable = true;
        try (Session session =
                open(IndexScheme.ASYNC_SESSION, SessionOptions.builder().maxBytes(3 * change))) {
            hbase.write(put("r7", 7));
            hbase.deliverAll();
            session.put(List.of(put("r1", 1), put("r2", 2)));
            session.put(put("r7", 8));
            IndexScanner hits =
                    session.getByIndex(IndexQuery.index("by_delay").caching(1).build());
            assertThat(Bytes.toString(hits.next().row())).isEqualTo("r1");
            assertThatThrownBy(() -> session.put(put("r3", 3))).isInstanceOf(SessionFullException.class);
            assertThat(hbase.queue).isEmpty();
            assertThat(hits).extracting(hit -> hit.text().get(0)).containsExactly("2", "8");
            session.put(put("r3", 3));
            assertThat(rows(session, IndexQuery.index("by_delay"))).containsExactly("r1", "r2", "r3", "r7");
        }
    }

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
    void readsGoOnWhileTheIndexesAreDrainedForAWrite() throws Exception {
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
    void readsGoOnWhileAWriteIsInFlight() throws Exception {
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

    /** With so little room that the session forgets again and again, while others read. */
    @Test
    void readersBesideAWriterSeeAllThatWasAcknowledgedBeforeTheyBegan() throws Exception {
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

    /** Each row, with that value or, if it is written meanwhile, a later one. */
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

    @Test
    void readsOwnWritesUnderSyncInsertThroughTheDoubleCheck() throws IOException {
        try (Session session = open(IndexScheme.SYNC_INSERT, SessionOptions.builder())) {
            session.put(put("r1", 7));
            session.put(put("r1", 8));
            assertThat(rows(session, IndexQuery.index("by_delay"))).containsExactly("r1");
            hbase.awaitIndexed(hbase.expected());
        }
    }

    @Test
    void expiresWhenIdle() throws IOException {
        Session session =
                open(IndexScheme.ASYNC_SESSION, SessionOptions.builder().idleTimeout(Duration.ofMinutes(30)));
        session.put(put("r1", 7));
        IndexScanner hits = session.getByIndex(IndexQuery.index("by_delay").build());
        now = now.plus(Duration.ofMinutes(30));
        assertThat(hits.next()).isNotNull();
        now = now.plus(Duration.ofMinutes(30));
        session.put(put("r2", 7));
        now = now.plus(Duration.ofMinutes(30)).plusMillis(1);
        assertThatThrownBy(() -> session.put(put("r3", 7)))
                .isInstanceOf(SessionExpiredException.class)
                .hasMessageContaining("PT30M")
                .hasMessageContaining("open a new session");
        assertThatThrownBy(() -> session.getByIndex(IndexQuery.index("by_delay").build()))
                .isInstanceOf(SessionExpiredException.class);
        assertThatThrownBy(hits::next).isInstanceOf(SessionExpiredException.class);
        assertThat(hbase.base).hasSize(2);
        assertThat(session.bytes()).isZero();
        session.close();
        assertThatThrownBy(() -> session.put(put("r3", 7))).isInstanceOf(IllegalStateException.class);
    }

    /** Random writes of the session and of others, delivered late, out of order and twice, against f(base). */
    @Property(tries = 300)
    void alwaysSeesItsOwnRowsExactly(@ForAll Random random) throws IOException {
        Session session = open(IndexScheme.ASYNC_SESSION, SessionOptions.builder());
        Map<String, Integer> own = new TreeMap<>();
        for (int step = 0; step < 40; step++) {
            String row = "r" + random.nextInt(3);
            int value = random.nextInt(3);
            switch (random.nextInt(6)) {
                case 0 -> {
                    session.delete(new Delete(Bytes.toBytes(row)));
                    own.remove(row);
                }
                case 1, 2 -> {
                    session.put(put(row, value));
                    own.put(row, value);
                }
                case 3 -> hbase.write(put("other" + row, value));
                case 4 -> hbase.write(new Delete(Bytes.toBytes("other" + row)));
                default -> deliverSome(random);
            }
            assertThat(ownHits(session, IndexQuery.index("by_delay"))).isEqualTo(sorted(own));
        }
        Collections.shuffle(hbase.queue, random);
        hbase.deliverAll();
        assertThat(hbase.indexed()).isEqualTo(hbase.expected());
        assertThat(rows(session, IndexQuery.index("by_delay")))
                .hasSize(hbase.expected().size());
        assertThat(ownHits(session, IndexQuery.index("by_delay"))).isEqualTo(sorted(own));
    }

    /** Where others write the same rows: the session's last write of a row shows, and what it replaced does not. */
    @Property(tries = 300)
    void seesItsLastWriteOfARowThatOthersWriteToo(@ForAll Random random) throws IOException {
        Session session = open(IndexScheme.ASYNC_SESSION, SessionOptions.builder());
        for (int step = 0; step < 40; step++) {
            String row = "r" + random.nextInt(2);
            int value = random.nextInt(3);
            List<String> before = valuesOf(row);
            switch (random.nextInt(4)) {
                case 0 -> {
                    session.delete(new Delete(Bytes.toBytes(row)));
                    assertThat(ownHits(session, IndexQuery.index("by_delay"))).doesNotContainAnyElementsOf(before);
                }
                case 1 -> {
                    session.put(put(row, value));
                    before.remove(value + ":" + row);
                    assertThat(ownHits(session, IndexQuery.index("by_delay")))
                            .contains(value + ":" + row)
                            .doesNotContainAnyElementsOf(before.isEmpty() ? List.of("none") : before);
                }
                case 2 -> hbase.write(put(row, value));
                default -> deliverSome(random);
            }
        }
        hbase.deliverAll();
        assertThat(rows(session, IndexQuery.index("by_delay")))
                .hasSize(hbase.expected().size());
    }

    private void deliverSome(Random random) {
        Collections.shuffle(hbase.queue, random);
        int count = random.nextInt(hbase.queue.size() + 1);
        hbase.queue.subList(0, count).forEach(hbase::deliver);
        if (random.nextBoolean()) {
            hbase.queue.subList(0, count).clear();
        }
    }

    private List<String> valuesOf(String row) {
        List<String> values = new ArrayList<>();
        if (hbase.base.containsKey(Bytes.toBytes(row))) {
            var cell = hbase.base.get(Bytes.toBytes(row)).firstEntry().getValue();
            values.add(Bytes.toInt(cell.getValueArray(), cell.getValueOffset()) + ":" + row);
        } else {
            values.add("none");
        }
        return values;
    }

    private static List<String> sorted(Map<String, Integer> own) {
        return own.entrySet().stream()
                .map(entry -> entry.getValue() + ":" + entry.getKey())
                .sorted()
                .toList();
    }

    private static List<String> ownHits(Session session, IndexQuery.Builder query) throws IOException {
        List<String> found = new ArrayList<>();
        try (IndexScanner hits = session.getByIndex(query.build())) {
            for (IndexHit hit : hits) {
                if (Bytes.toString(hit.row()).startsWith("r")) {
                    found.add(hit.text().get(0) + ":" + Bytes.toString(hit.row()));
                }
            }
        }
        return found;
    }

    private Session open(IndexScheme scheme, SessionOptions.Builder options) throws IOException {
        return open(
                IndexDefinition.builder(FLIGHTS, "by_delay")
                        .column("f", "delay", ColumnTypes.INT)
                        .scheme(scheme)
                        .build(),
                options);
    }

    private Session open(IndexDefinition index, SessionOptions.Builder options) throws IOException {
        hbase = new FakeHBase(index.withState(IndexState.ACTIVE));
        FakeHBase drained = hbase;
        return new Session(
                new IndexedTable(hbase.connection, FLIGHTS),
                tableWithADelay(hbase.connection.getTable(FLIGHTS)),
                options.clock(() -> now).build(),
                () -> {
                    whileDraining.run();
                    if (drainable) {
                        drained.deliverAll();
                    }
                    return drainable;
                });
    }

    /** The base table that a session writes to, whose batches wait for {@link #beforeBatch}. */
    private Table tableWithADelay(Table base) throws IOException {
        Table table = mock(Table.class);
        try {
            doAnswer(call -> {
                        beforeBatch.run();
                        base.batch(call.getArgument(0), call.getArgument(1));
                        return null;
                    })
                    .when(table)
                    .batch(anyList(), any());
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        return table;
    }

    private static IndexDefinition byCarrierAndOrigin() {
        return IndexDefinition.builder(FLIGHTS, "by_carrier")
                .column("f", "carrier", ColumnTypes.STRING)
                .column("f", "origin", ColumnTypes.STRING)
                .scheme(IndexScheme.ASYNC_SESSION)
                .build();
    }

    private static byte[] key(String origin, String row) {
        return Bytes.toBytes("UA\0\1" + origin + "\0\1" + row);
    }

    private static Put flight(String row, String carrier) {
        return new Put(Bytes.toBytes(row)).addColumn(FakeHBase.F, Bytes.toBytes("carrier"), Bytes.toBytes(carrier));
    }

    private static Put put(String row, int delay) {
        return new Put(Bytes.toBytes(row)).addColumn(FakeHBase.F, Bytes.toBytes("delay"), Bytes.toBytes(delay));
    }

    private static List<String> rows(Session session, IndexQuery.Builder query) throws IOException {
        List<String> rows = new ArrayList<>();
        try (IndexScanner hits = session.getByIndex(query.build())) {
            for (IndexHit hit : hits) {
                rows.add(Bytes.toString(hit.row()));
            }
        }
        return rows;
    }
}
