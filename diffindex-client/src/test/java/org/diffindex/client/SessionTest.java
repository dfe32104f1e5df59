package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.OperationTimeoutExceededException;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.RetriesExhaustedException;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.apache.hadoop.hbase.ipc.CallTimeoutException;
import org.apache.hadoop.hbase.util.Bytes;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexRole;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.junit.jupiter.api.Test;

class SessionTest extends SessionFixture {
    /** The system's clock may jump. */
    @Test
    void idleTimeIsMeasuredByAClockThatDoesNotJump() {
        long before = System.nanoTime();
        Instant now = SessionOptions.DEFAULT.clock().instant();
        assertThat(now).isBetween(Instant.EPOCH.plusNanos(before), Instant.EPOCH.plusNanos(System.nanoTime()));
    }

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

    /** Servers tell a session of its changes of both, from the moment when writes maintain both. */
    @Test
    void seesItsOwnWritesThroughTheNewColumnsOfAnIndex() throws IOException {
        IndexDefinition before = IndexDefinition.builder(FLIGHTS, "by_delay")
                .column("f", "other", ColumnTypes.INT)
                .scheme(IndexScheme.ASYNC_SESSION)
                .build()
                .withId("before");
        IndexDefinition shadow = IndexDefinition.builder(FLIGHTS, "by_delay")
                .column("f", "delay", ColumnTypes.INT)
                .build()
                .asShadowOf(before)
                .withId("after");
        try (Session session = open(shadow, SessionOptions.builder())) {
            hbase.defined = List.of(before, shadow);
            session.put(put("r1", 7));
            assertThat(hbase.indexed()).isEmpty();
            hbase.defined = List.of(before.withRole(IndexRole.RETIRED), shadow.withRole(IndexRole.IN_SERVICE));
            hbase.refuseReadersOf(before);
            assertThat(rows(session, IndexQuery.index("by_delay").equalTo(7))).containsExactly("r1");
            session.put(put("r1", 8));
            assertThat(rows(session, IndexQuery.index("by_delay").equalTo(7))).isEmpty();
            assertThat(rows(session, IndexQuery.index("by_delay").equalTo(8))).containsExactly("r1");
        }
    }

    @Test
    void doesNotModifyItsMutations() throws IOException {
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
    void doesNotLookUpARowWhoseEntryTheServerShows() throws IOException {
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
    void hidesTheEntryReplacedByAWriteWhoseFirstAttemptWasNotAnswered() throws IOException {
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
    void aBatchIsOneCallAndKeepsTheChangesThatSucceeded() throws IOException {
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

    private static RetriesExhaustedWithDetailsException failureOf(Throwable write) {
        return new RetriesExhaustedWithDetailsException(
                List.of(write), List.of(new Put(Bytes.toBytes("r1"))), List.of("localhost:1"));
    }

    /** HBase's client fails a batch with one type, and without a cause, whatever a server said of the write. */
    @Test
    void aSingleWriteThatIsDelayedFailsWithItsOwnType() throws IOException {
        DoNotRetryIOException delay = new DoNotRetryIOException("org.apache.hadoop.hbase.DoNotRetryIOException: "
                + IndexUpdateDelayedException.DESCRIPTION + " [row=r1]\n\tat org.diffindex.server.BatchOutcome.delay");
        try (Session session = open(IndexScheme.SYNC_FULL, SessionOptions.builder())) {
            for (ThrowingCallable write : singleWrites(session)) {
                hbase.failures.put("batch 1", failureOf(delay));
                assertThatThrownBy(write)
                        .isInstanceOf(IndexUpdateDelayedException.class)
                        .hasMessage(IndexUpdateDelayedException.DESCRIPTION + " [row=r1]")
                        .hasCause(delay)
                        .satisfies(failure -> assertThat(failure.getStackTrace())
                                .anyMatch(frame -> frame.getClassName().equals(SessionTest.class.getName())));
            }
        }
    }

    @Test
    void aSingleWriteThatIsRefusedFailsWithTheRefusal() throws IOException {
        try (Session session = open(IndexScheme.SYNC_FULL, SessionOptions.builder())) {
            for (ThrowingCallable write : singleWrites(session)) {
                DoNotRetryIOException refusal = new DoNotRetryIOException("Write refused, nothing was written");
                RetriesExhaustedWithDetailsException batch = failureOf(refusal);
                hbase.failures.put("batch 1", batch);
                assertThatThrownBy(write).isSameAs(refusal).hasSuppressedException(batch);
            }
        }
    }

    /** The attempts before it may have succeeded, so it must not look like a refusal. */
    @Test
    void aSingleWriteWithoutAnAnswerFailsLikeThatOfATable() throws IOException {
        try (Session session = open(IndexScheme.SYNC_FULL, SessionOptions.builder())) {
            for (ThrowingCallable write : singleWrites(session)) {
                IOException silence = new CallTimeoutException("no answer");
                hbase.failures.put("batch 1", failureOf(silence));
                assertThatThrownBy(write)
                        .isExactlyInstanceOf(RetriesExhaustedException.class)
                        .hasCause(silence);
                hbase.failures.put("batch 1", failureOf(new OperationTimeoutExceededException("too late")));
                assertThatThrownBy(write)
                        .isInstanceOf(SocketTimeoutException.class)
                        .hasMessage("too late");
                hbase.failures.put("batch 1", failureOf(new IllegalStateException("broken")));
                assertThatThrownBy(write)
                        .isExactlyInstanceOf(RetriesExhaustedException.class)
                        .hasRootCauseMessage("broken");
            }
        }
    }

    private static List<ThrowingCallable> singleWrites(Session session) {
        return List.of(() -> session.put(put("r1", 1)), () -> session.delete(new Delete(Bytes.toBytes("r1"))));
    }

    @Test
    void aBatchFailsWithTheFailuresOfItsWrites() throws IOException {
        RetriesExhaustedWithDetailsException batch =
                failureOf(new DoNotRetryIOException(IndexUpdateDelayedException.DESCRIPTION));
        try (Session session = open(IndexScheme.SYNC_FULL, SessionOptions.builder())) {
            hbase.failures.put("batch 2", batch);
            assertThatThrownBy(() -> session.put(List.of(put("r1", 1), put("r2", 2))))
                    .isSameAs(batch);
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

    @Test
    void mayNeverExpire() throws IOException {
        Duration forever = ChronoUnit.FOREVER.getDuration();
        try (Session session =
                open(IndexScheme.ASYNC_SESSION, SessionOptions.builder().idleTimeout(forever))) {
            session.put(put("r1", 7));
            now = now.plus(Duration.ofDays(10_000));
            assertThat(ownHits(session, IndexQuery.index("by_delay"))).containsExactly("7:r1");
        }
    }

    /**
     * Random writes of the session and of other clients, delivered late, out of order and twice, compared with f(base).
     */
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

    /** The entry at which the scan meets it is older than the session's write, and dropped; the present one is in flight. */
    @Test
    void findsARowThatAnotherClientHasWrittenBackToItsEntry() throws IOException {
        for (boolean withRows : new boolean[] {false, true}) {
            Session session = open(IndexScheme.ASYNC_SESSION, SessionOptions.builder());
            hbase.write(put("r1", 1));
            hbase.deliverAll();
            session.put(put("r1", 2));
            hbase.write(put("r1", 1));
            IndexQuery.Builder all = IndexQuery.index("by_delay");
            assertThat(ownHits(session, withRows ? all.withRows() : all)).containsExactly("1:r1");
        }
    }

    /**
     * Other clients write the same rows: the session's last write of a row shows, and the entry that it replaced does
     * not.
     */
    @Property(tries = 300)
    void seesItsLastWriteOfARowThatOthersAlsoWrite(@ForAll Random random) throws IOException {
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
}
