package org.diffindex.server.build;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.OptionalDouble;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class IndexBuildTest {
    private static final BuildFamily.Totals ALL = new BuildFamily.Totals(52, 52, 0);

    private BuiltTable table;

    @BeforeEach
    void create() throws IOException {
        table = new BuiltTable();
    }

    private IndexBuild build() throws IOException {
        return new IndexBuild(table.connection, table.index, table.record().read(), new StateChanges(table.connection));
    }

    @Test
    void backfillsAllRowsAndMakesTheIndexActive() throws IOException {
        IndexBuild build = build();
        build.run();
        assertThat(table.state()).isEqualTo(IndexState.ACTIVE);
        assertThat(table.tables.get(table.index.indexTable()).hasColumnFamily(BuildFamily.NAME))
                .isFalse();
        assertThat(build.progress()).isEqualTo(new BuildProgress(ALL, 3, 3));
        assertThat(BuildFamily.totals(table.tables.get(table.index.indexTable())))
                .contains(ALL);
        assertThat(table.pages).contains("", "h", "p").doesNotHaveDuplicates();
    }

    /** The next master does not backfill again what was recorded. */
    @Test
    void goesOnWhereAnEarlierMasterEnded() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        CountDownLatch sixth = new CountDownLatch(1);
        table.onPage = page -> {
            if (asked.incrementAndGet() == 6) {
                sixth.countDown();
                awaitInterrupt();
            }
        };
        IndexBuild first = build();
        Thread running = new Thread(first::run);
        running.start();
        sixth.await();
        running.interrupt(); // the master stops
        running.join();
        assertThat(table.state()).isEqualTo(IndexState.BUILDING);
        assertThat(table.record().read().problem()).isEmpty();
        assertThat(table.pages).hasSize(5);

        table.onPage = page -> {};
        IndexBuild second = build();
        assertThat(second.progress().totals()).isEqualTo(first.progress().totals());
        second.run();
        assertThat(table.state()).isEqualTo(IndexState.ACTIVE);
        assertThat(table.pages).doesNotHaveDuplicates();
        assertThat(second.progress().totals()).isEqualTo(ALL);
    }

    private static void awaitInterrupt() throws InterruptedIOException {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException e) {
            throw (InterruptedIOException) new InterruptedIOException("Interrupted").initCause(e);
        }
    }

    @Test
    void aFailureThatMayPassIsRetried() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        table.onPage = page -> {
            if (asked.incrementAndGet() == 2) {
                throw new NotServingRegionException("moved");
            }
        };
        build().run();
        assertThat(table.state()).isEqualTo(IndexState.ACTIVE);
        assertThat(table.pages).doesNotHaveDuplicates();
    }

    /** While it lasts, those who look are told. */
    @Test
    void aFailureThatIsRetriedIsRecorded() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        table.onPage = page -> {
            if (asked.incrementAndGet() == 1) {
                throw new NotServingRegionException("moved");
            }
            if (asked.get() == 2) {
                assertThat(table.record().read().failing().orElseThrow()).contains("moved");
            }
            if (asked.get() == 3) {
                assertThat(table.record().read().failing()).isEmpty();
            }
        };
        build().run();
        assertThat(table.state()).isEqualTo(IndexState.ACTIVE);
    }

    /** Until an operator has removed the cause. */
    @Test
    void aFailureThatCannotPassIsRecorded() throws IOException {
        table.onPage = page -> {
            throw new DoNotRetryIOException("a row would not expire with its entry");
        };
        build().run();
        assertThat(table.state()).isEqualTo(IndexState.BUILDING);
        assertThat(table.record().read().problem().orElseThrow()).contains("would not expire with its entry");
        table.record().order(table.request().setRetry(true).build());
        assertThat(table.record().read().problem()).isEmpty();
    }

    @Test
    void theBuildOfAnIndexThatIsDroppedEnds() throws IOException {
        table.onPage = page -> {
            table.tables.computeIfPresent(
                    BuiltTable.NAME, (name, base) -> IndexDefinitions.without(base, table.index.name()));
            throw new IOException("index by_origin is not defined");
        };
        build().run();
        assertThat(table.record().read().problem()).isEmpty();
        assertThat(table.pages).isEmpty();
    }

    /** HBase's client throws, and the thread is not interrupted any more. */
    @Test
    void anInterruptThatHBasesClientHasClearedIsNoFailure() throws IOException {
        table.onPage = page -> {
            throw new InterruptedIOException("the master stops");
        };
        build().run();
        assertThat(table.state()).isEqualTo(IndexState.BUILDING);
        assertThat(table.record().read().problem()).isEmpty();
    }

    /** As for a change of its schema. */
    @Test
    void aBuildWaitsForATableThatIsDisabled() throws IOException {
        AtomicInteger asked = new AtomicInteger();
        table.onPage = page -> {
            if (asked.incrementAndGet() == 2) {
                throw new TableNotEnabledException(BuiltTable.NAME);
            }
        };
        build().run();
        assertThat(table.state()).isEqualTo(IndexState.ACTIVE);
    }

    @Test
    void beginsWithTheOrdersInTheDescriptor() throws IOException {
        TableDescriptor own = BuildFamily.add(
                BuildFamily.remove(table.tables.get(table.index.indexTable())), OptionalDouble.of(7), true);
        table.record().takeOver("master-1", own);
        assertThat(table.record().read().orders()).isEqualTo(new BuildOrders(OptionalDouble.of(7), true));
        table.order(BuildOrders.NONE);
        table.record().takeOver("master-2", own);
        assertThat(table.record().read().orders()).isEqualTo(BuildOrders.NONE);
    }

    @Test
    void ordersOutliveTheMaster() throws IOException {
        BuildOrders orders = new BuildOrders(OptionalDouble.of(12.5), true);
        table.order(orders);
        assertThat(table.record().read().orders()).isEqualTo(orders);
        table.order(BuildOrders.NONE);
        assertThat(table.record().read().orders()).isEqualTo(BuildOrders.NONE);
    }

    /** A build is created paused, its rate is limited, then it is resumed: its first pages are of the size of the rate. */
    @Test
    void aRateThatIsOrderedDuringThePauseLimitsTheFirstPage() throws Exception {
        table.order(new BuildOrders(OptionalDouble.empty(), true));
        BlockingQueue<Integer> asked = new LinkedBlockingQueue<>();
        table.onPage = page -> asked.add(page.getMaxRows());
        IndexBuild build = build();
        Thread running = new Thread(build::run);
        running.start();
        try {
            while (Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().startsWith("diffindex-region-walk")
                            && thread.getState() == Thread.State.WAITING)) {
                Thread.onSpinWait();
            }
            build.order(new BuildOrders(OptionalDouble.of(10), false));
            assertThat(asked.poll(30, TimeUnit.SECONDS)).isEqualTo(1);
        } finally {
            running.interrupt();
            running.join();
        }
    }

    /** Another index of the same table, whose class no server has any more. */
    @Test
    void aFailureIsRecordedAlsoBesideAnIndexThatCannotBeLoaded() throws IOException {
        table.tables.computeIfPresent(BuiltTable.NAME, (name, base) -> TableDescriptorBuilder.newBuilder(base)
                .setValue(
                        "diffindex.index.other",
                        "{\"columns\":[\"f:x:missing.Type\"],\"scheme\":\"sync-full\",\"splits\":[],\"id\":\"id-2\"}")
                .build());
        table.onPage = page -> {
            throw new DoNotRetryIOException("the index other could not be loaded");
        };
        build().run();
        assertThat(table.record().read().problem()).isPresent();
    }
}
