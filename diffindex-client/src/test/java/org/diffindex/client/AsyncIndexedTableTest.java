package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexNotReadableException;
import org.diffindex.model.IndexRole;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests reads that do not wait. What they promise while rows move is tested by {@link ScanPromiseTest}. */
class AsyncIndexedTableTest {
    private static final TableName FLIGHTS = TableName.valueOf("flights");

    private final Tasks tasks = new Tasks(new Random(1));
    private FakeHBase hbase;
    private FakeAsyncHBase async;
    private IndexedTable blocking;

    private AsyncIndexedTable table(IndexScheme scheme) throws IOException {
        hbase = new FakeHBase(IndexDefinition.builder(FLIGHTS, "by_origin")
                .column("f", "origin", ColumnTypes.STRING)
                .scheme(scheme)
                .build());
        async = new FakeAsyncHBase(hbase, tasks);
        blocking = new IndexedTable(hbase.connection, FLIGHTS);
        return new AsyncIndexedTable(blocking, async.connection, tasks);
    }

    private void put(String row, String origin) {
        hbase.write(new Put(Bytes.toBytes(row)).addColumn(FakeHBase.F, Bytes.toBytes("origin"), Bytes.toBytes(origin)));
    }

    private void putRows(int count) {
        for (int i = 0; i < count; i++) {
            put(String.format("r%02d", i), "ORD");
        }
    }

    private static IndexQuery.Builder query() {
        return IndexQuery.index("by_origin");
    }

    private <T> T join(CompletableFuture<T> future) {
        tasks.runAll();
        assertThat(future).isDone();
        return future.join();
    }

    private Throwable failure(CompletableFuture<?> future) {
        tasks.runAll();
        assertThat(future).isCompletedExceptionally();
        return future.handle((value, failure) -> failure).join();
    }

    private static List<String> rows(List<IndexHit> hits) {
        return hits.stream().map(hit -> Bytes.toString(hit.row())).toList();
    }

    @ParameterizedTest
    @EnumSource(IndexScheme.class)
    void findsWhatTheBlockingReadFinds(IndexScheme scheme) throws IOException {
        AsyncIndexedTable table = table(scheme);
        hbase.regionStarts.add(Bytes.toBytes("L"));
        putRows(25);
        put("r03", "LAX");
        put("r07", "ATL");
        hbase.deliverAll();
        for (IndexQuery.Builder each : List.of(
                query().equalTo("ORD"),
                query().equalTo("ORD").caching(4),
                query().in("LAX", "ATL"),
                query().caching(3).reverse(),
                query().caching(3).withRows())) {
            IndexQuery query = each.limit(20).build();
            List<String> expected;
            try (IndexScanner hits = blocking.getByIndex(query)) {
                expected = hits.stream().map(IndexHit::toString).toList();
            }
            assertThat(join(table.getByIndex(query)))
                    .as("%s", query)
                    .extracting(IndexHit::toString)
                    .isEqualTo(expected);
        }
        assertThat(async.endedScans).isPositive();
    }

    @Test
    void aReadWithinOneRegionIsOneScan() throws IOException {
        AsyncIndexedTable table = table(IndexScheme.SYNC_FULL);
        putRows(5);
        assertThat(rows(join(table.getByIndex(query().limit(3).build())))).containsExactly("r00", "r01", "r02");
        assertThat(hbase.calls).containsExactly("scan limit 3");
        assertThat(async.endedScans).isEqualTo(1);
    }

    @Test
    void holdsNoThreadWhileItWaits() throws IOException {
        AsyncIndexedTable table = table(IndexScheme.SYNC_INSERT);
        putRows(1);
        List<CompletableFuture<List<IndexHit>>> reads = Stream.generate(
                        () -> table.getByIndex(query().limit(1).build()))
                .limit(1_000)
                .toList();
        tasks.runAll(); // on this thread
        assertThat(reads).allSatisfy(read -> assertThat(rows(read.join())).containsExactly("r00"));
    }

    /** An image of a row is for the entries of one page. */
    @Test
    void looksUpTheSameRowAgainForALaterPage() throws IOException {
        AsyncIndexedTable table = table(IndexScheme.SYNC_INSERT);
        put("r1", "LAX");
        put("r1", "ORD");
        assertThat(rows(join(table.getByIndex(query().caching(1).limit(10).build()))))
                .containsExactly("r1");
        assertThat(hbase.rowsLookedUp).isEqualTo(2);
    }

    @Test
    void checksEachPageByOneLookup() throws IOException {
        AsyncIndexedTable table = table(IndexScheme.SYNC_INSERT);
        putRows(25);
        assertThat(join(table.getByIndex(query().caching(10).limit(25).build())))
                .hasSize(25);
        assertThat(hbase.callsToRead()).containsExactly("scan limit 25", "get", "get", "get");
        assertThat(hbase.rowsLookedUp).isEqualTo(25);
    }

    @Test
    void refusesAResultThatDoesNotFitIntoMemory() throws IOException {
        AsyncIndexedTable table = table(IndexScheme.SYNC_FULL);
        assertThat(failure(table.getByIndex(query().build())))
                .isInstanceOf(InvalidQueryException.class)
                .hasMessageContaining("no limit")
                .hasMessageContaining("publish(query)");
        assertThat(failure(table.getPage(query().limit(100_001).build()))).hasMessageContaining("a limit of 100001");
        assertThat(hbase.calls).isEmpty();
    }

    @Test
    void readsPageAfterPage() throws IOException {
        AsyncIndexedTable table = table(IndexScheme.SYNC_FULL);
        putRows(5);
        IndexPage first = join(table.getPage(query().limit(3).build()));
        assertThat(rows(first.hits())).containsExactly("r00", "r01", "r02");
        IndexPage second = join(table.getPage(
                query().limit(3).after(first.token().orElseThrow()).build()));
        assertThat(rows(second.hits())).containsExactly("r03", "r04");
        assertThat(second.token()).isEmpty();
    }

    @Test
    void failsAsTheBlockingReadDoes() throws IOException {
        AsyncIndexedTable table = table(IndexScheme.SYNC_FULL);
        IndexQuery query = query().limit(1).build();
        assertThat(failure(table.getByIndex(IndexQuery.index("no_such").limit(1).build())))
                .isInstanceOf(NoSuchIndexException.class);
        assertThat(failure(table.getByIndex(query().equalTo("A", "B").limit(1).build())))
                .isInstanceOf(InvalidQueryException.class);
        hbase.failures.put("scan limit 1", new IndexNotReadableException("The index is BUILDING"));
        assertThat(failure(table.getByIndex(query))).isInstanceOf(IndexNotReadableException.class);
        hbase.failures.put("scan limit 1", new IOException("on purpose"));
        assertThat(failure(table.getByIndex(query))).hasRootCauseMessage("on purpose");
        hbase.replaced = true;
        assertThat(failure(table.getByIndex(query))).isInstanceOf(NoSuchIndexException.class);
    }

    @Test
    void failsWithTheFailureOfALookup() throws IOException {
        AsyncIndexedTable table = table(IndexScheme.SYNC_INSERT);
        putRows(3);
        hbase.failures.put("get", new DoNotRetryIOException("on purpose"));
        assertThat(failure(table.getByIndex(query().limit(3).build())))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessage("on purpose");
    }

    @Test
    void goesOverToTheIndexAsItIsNowIfItsColumnsWereChanged() throws IOException {
        IndexDefinition before = IndexDefinition.builder(FLIGHTS, "by_origin")
                .column("f", "dest", ColumnTypes.STRING)
                .build()
                .withId("before");
        IndexDefinition shape = IndexDefinition.builder(FLIGHTS, "by_origin")
                .column("f", "origin", ColumnTypes.STRING)
                .build();
        hbase = new FakeHBase(shape.asShadowOf(before).withId("now").withRole(IndexRole.IN_SERVICE));
        hbase.refuseReadersOf(before);
        hbase.defined = List.of(before);
        async = new FakeAsyncHBase(hbase, tasks);
        blocking = new IndexedTable(hbase.connection, FLIGHTS);
        AsyncIndexedTable table = new AsyncIndexedTable(blocking, async.connection, tasks);
        assertThat(blocking.getIndex("by_origin").id()).isEqualTo("before");
        hbase.defined = List.of(hbase.definition);
        put("r1", "ORD");
        assertThat(rows(join(table.getByIndex(query().equalTo("ORD").limit(5).build()))))
                .containsExactly("r1");
    }

    @Test
    void aPublisherReadsNoMoreThanAPageAhead() throws IOException {
        AsyncIndexedTable table = table(IndexScheme.SYNC_INSERT);
        putRows(40);
        HitCollector hits = new HitCollector();
        table.publish(query().caching(10).build()).subscribe(hits);
        tasks.runAll();
        assertThat(hbase.calls).isEmpty();
        hits.subscription.request(5);
        hits.subscription.request(4);
        tasks.runAll();
        assertThat(rows(hits.hits)).hasSize(9).startsWith("r00").endsWith("r08");
        assertThat(hbase.rowsLookedUp).isEqualTo(10);
        assertThat(async.answersOfScans).isEqualTo(1);
        hits.subscription.request(Long.MAX_VALUE);
        hits.subscription.request(Long.MAX_VALUE);
        tasks.runAll();
        assertThat(hits.hits).hasSize(40);
        assertThat(hits.completions).isEqualTo(1);
        assertThat(async.endedScans).isEqualTo(1);
    }

    @Test
    void aPublisherCompletesWithTheLastRequestedHit() throws IOException {
        AsyncIndexedTable table = table(IndexScheme.SYNC_FULL);
        putRows(4);
        HitCollector hits = new HitCollector();
        table.publish(query().limit(3).build()).subscribe(hits);
        hits.subscription.request(3);
        tasks.runAll();
        assertThat(hits.hits).hasSize(3);
        assertThat(hits.completions).isEqualTo(1);
    }

    @Test
    void aSubscriberThatCancelsEndsItsScan() throws IOException {
        AsyncIndexedTable table = table(IndexScheme.SYNC_FULL);
        putRows(40);
        HitCollector[] hits = new HitCollector[1];
        hits[0] = new HitCollector(hit -> hits[0].subscription.cancel());
        table.publish(query().caching(10).build()).subscribe(hits[0]);
        hits[0].subscription.request(5);
        tasks.runAll();
        assertThat(hits[0].hits).hasSize(1);
        assertThat(hits[0].completions).isZero();
        assertThat(hits[0].error).isNull();
        assertThat(async.endedScans).isEqualTo(1);
    }

    @Test
    void aSubscriberThatFailsOrRequestsNothingEndsItsRead() throws IOException {
        AsyncIndexedTable table = table(IndexScheme.SYNC_FULL);
        putRows(40);
        HitCollector failing = new HitCollector(hit -> {
            throw new IllegalStateException("on purpose");
        });
        table.publish(query().caching(10).build()).subscribe(failing);
        failing.subscription.request(5);
        HitCollector wrong = new HitCollector();
        table.publish(query().caching(10).build()).subscribe(wrong);
        wrong.subscription.request(1);
        tasks.runAll();
        wrong.subscription.request(0);
        tasks.runAll();
        assertThat(failing.hits).hasSize(1);
        assertThat(failing.error).hasMessage("on purpose");
        assertThat(wrong.error).isInstanceOf(IllegalArgumentException.class).hasMessageContaining("requested 0 hits");
        assertThat(async.endedScans).isEqualTo(2);
    }

    @Test
    void aSubscriberHearsOfAFailure() throws IOException {
        AsyncIndexedTable table = table(IndexScheme.SYNC_FULL);
        hbase.replaced = true;
        HitCollector hits = new HitCollector();
        table.publish(query().build()).subscribe(hits);
        hits.subscription.request(1);
        tasks.runAll();
        assertThat(hits.error).isInstanceOf(NoSuchIndexException.class);
        assertThat(hits.completions).isZero();
    }

    @Test
    void aReadThatIsCancelledEndsItsScan() throws IOException {
        AsyncIndexedTable table = table(IndexScheme.SYNC_INSERT);
        putRows(40);
        CompletableFuture<List<IndexHit>> read =
                table.getByIndex(query().caching(10).limit(40).build());
        hbase.beforeLookUp = () -> assertThat(read.cancel(false)).isTrue();
        tasks.runAll();
        assertThat(read).isCancelled();
        assertThat(hbase.callsToRead()).containsExactly("scan limit 40", "get");
        assertThat(async.endedScans).isEqualTo(1);
    }

    @Test
    void aReadThatTheExecutorRejectsFails() throws IOException {
        table(IndexScheme.SYNC_FULL);
        AsyncIndexedTable table = new AsyncIndexedTable(blocking, async.connection, task -> {
            throw new RejectedExecutionException("full");
        });
        assertThat(failure(table.getByIndex(query().limit(1).build()))).hasMessage("full");
        HitCollector hits = new HitCollector();
        table.publish(query().build()).subscribe(hits);
        hits.subscription.request(1);
        assertThat(hits.error).hasMessage("full");
    }

    /** Answers, steps and requests come from threads of their own. */
    @Test
    void readsOfManyThreadsFindTheSame() throws Exception {
        table(IndexScheme.SYNC_INSERT);
        hbase.regionStarts.add(Bytes.toBytes("ORD"));
        putRows(20);
        put("r03", "LAX");
        ExecutorService answers = Executors.newFixedThreadPool(3);
        try {
            AsyncIndexedTable table = new AsyncIndexedTable(blocking, new FakeAsyncHBase(hbase, answers).connection);
            IndexQuery query = query().caching(3).limit(100).build();
            List<String> expected = table.getByIndex(query)
                    .thenApply(AsyncIndexedTableTest::rows)
                    .get();
            assertThat(expected).hasSize(20);
            List<CompletableFuture<List<IndexHit>>> reads = new ArrayList<>();
            List<CompletableFuture<List<String>>> subscriptions = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                reads.add(table.getByIndex(query));
                subscriptions.add(subscribe(table, query, answers));
            }
            for (int i = 0; i < 50; i++) {
                assertThat(rows(reads.get(i).get(1, TimeUnit.MINUTES))).isEqualTo(expected);
                assertThat(subscriptions.get(i).get(1, TimeUnit.MINUTES)).isEqualTo(expected);
            }
        } finally {
            answers.shutdown();
        }
    }

    /** Subscribes to the hits of a query, and requests each on a thread of an executor; returns their rows. */
    private static CompletableFuture<List<String>> subscribe(
            AsyncIndexedTable table, IndexQuery query, Executor requests) {
        CompletableFuture<List<String>> rows = new CompletableFuture<>();
        HitCollector hits = new HitCollector() {
            @Override
            public void onNext(IndexHit hit) {
                super.onNext(hit);
                requests.execute(() -> subscription.request(1));
            }

            @Override
            public void onError(Throwable failure) {
                rows.completeExceptionally(failure);
            }

            @Override
            public void onComplete() {
                rows.complete(AsyncIndexedTableTest.rows(hits));
            }
        };
        table.publish(query).subscribe(hits);
        hits.subscription.request(1);
        return rows;
    }

    @Test
    void computesOnThreadsOfItsOwn() throws IOException {
        table(IndexScheme.SYNC_FULL);
        putRows(3);
        FakeAsyncHBase atOnce = new FakeAsyncHBase(hbase, Runnable::run);
        AsyncIndexedTable table = new AsyncIndexedTable(blocking, atOnce.connection);
        assertThat(table.getName()).isEqualTo(FLIGHTS);
        String thread = table.getByIndex(query().limit(2).build())
                .thenApply(hits -> hits.size() + " on " + Thread.currentThread().getName())
                .join();
        assertThat(thread).startsWith("2 on ");
    }
}
