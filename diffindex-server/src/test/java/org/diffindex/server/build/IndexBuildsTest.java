package org.diffindex.server.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexState;
import org.diffindex.protocol.DiffIndexProtos.BuildRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests which indexes a master builds, and when it begins and ends that. */
class IndexBuildsTest {
    private static final BuildOrders PAUSED = new BuildOrders(OptionalDouble.empty(), true);

    private BuiltTable table;
    private IndexBuilds builds;

    /** What the master told its watcher last. */
    private volatile Collection<BuildReading> readings = List.of();

    @BeforeEach
    void create() throws IOException {
        table = new BuiltTable();
        builds = new IndexBuilds(table.connection, "master-1", told -> readings = told);
    }

    @AfterEach
    void stop() {
        builds.close();
    }

    private static void await(Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.call()) {
            assertThat(System.nanoTime()).as("now").isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private boolean isActive() {
        return table.state() == IndexState.ACTIVE;
    }

    private static boolean isBuilding() {
        return Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.isAlive() && thread.getName().startsWith("diffindex-region-walk"));
    }

    private void order(BuildOrders orders) throws IOException {
        table.order(orders);
    }

    /** HBase ends a master after an exception out of a hook. */
    @Test
    void aMasterThatStopsDoesNotLook() {
        builds.start();
        builds.close();
        builds.lookSoon();
    }

    @Test
    void buildsWhatAnEarlierMasterHasLeft() throws Exception {
        builds.start();
        await(this::isActive);
    }

    @Test
    void takesAnIndexOverBeforeItIsDefined() throws Exception {
        TableDescriptor base = table.tables.get(BuiltTable.NAME);
        table.tables.put(BuiltTable.NAME, IndexDefinitions.without(base, table.index.name()));
        builds.start();
        await(() -> table.recorded(BuildFamily.BUILDER) != null);
        assertThat(table.recorded(BuildFamily.BUILDER)).asString().isEqualTo("master-1");
        assertThat(table.pages).isEmpty();
        table.tables.put(BuiltTable.NAME, base);
        builds.lookSoon();
        await(this::isActive);
    }

    @Test
    void leavesAnIndexToAClientOfAnEarlierVersion() throws Exception {
        table.tables.computeIfPresent(table.index.indexTable(), (name, own) -> BuildFamily.remove(own));
        builds.start();
        table.awaitWatch(builds);
        assertThat(table.pages).isEmpty();
        assertThat(table.state()).isEqualTo(IndexState.BUILDING);
    }

    /** A master of an earlier build would write other entries, and report an index that is healthy as BROKEN. */
    @Test
    void leavesAnIndexOfALaterFormatToAMasterThatKnowsIt() throws Exception {
        table.tables.computeIfPresent(table.index.indexTable(), (name, own) -> TableDescriptorBuilder.newBuilder(own)
                .setValue("diffindex.format", "3")
                .build());
        builds.start();
        table.awaitWatch(builds);
        assertThat(table.recorded(BuildFamily.BUILDER)).isNull();
        assertThat(table.pages).isEmpty();
        assertThat(table.state()).isEqualTo(IndexState.BUILDING);
    }

    @Test
    void aBuildFollowsOrdersWhileItRuns() throws Exception {
        order(PAUSED);
        builds.start();
        await(IndexBuildsTest::isBuilding);
        assertThat(table.pages).isEmpty();
        order(BuildOrders.NONE);
        await(this::isActive);
    }

    /** Nothing else would wake its threads. */
    @Test
    void aPausedBuildEndsIfItsIndexIsDropped() throws Exception {
        order(PAUSED);
        builds.start();
        await(IndexBuildsTest::isBuilding);
        table.tables.computeIfPresent(
                table.index.indexTable(),
                (name, own) -> BuildFamily.remove(IndexDefinitions.withState(own, IndexState.DROPPING)));
        builds.lookSoon();
        await(() -> !isBuilding());
        assertThat(table.pages).isEmpty();
    }

    @Test
    void aBuildThatHasFailedIsTriedAgainWhenThatIsOrdered() throws Exception {
        table.onPage = page -> {
            throw new DoNotRetryIOException("the disk is full");
        };
        builds.start();
        await(() -> table.state() == IndexState.BROKEN);
        assertThat(table.problem()).contains("the disk is full");
        table.onPage = page -> {};
        builds.lookSoon();
        await(() -> !isBuilding());
        assertThat(table.pages).isEmpty();
        assertThat(table.state()).isEqualTo(IndexState.BROKEN);
        BuildRequest retry = table.request().setRetry(true).build();
        assertThat(BuildRequests.answer(table.connection, table.index, retry).hasProblem())
                .isFalse();
        await(this::isActive);
    }

    /** The master that recorded the failure ended before it could change the state. */
    @Test
    void anIndexWhoseBuildHasFailedUnderAnotherMasterBecomesBroken() throws Exception {
        table.record().failed("the disk is full");
        builds.start();
        await(() -> table.state() == IndexState.BROKEN);
        assertThat(table.problem()).isEqualTo("the disk is full");
        assertThat(table.pages).isEmpty();
    }

    @Test
    void aPausedBuildEndsIfItsIndexIsDisabled() throws Exception {
        order(PAUSED);
        builds.start();
        await(IndexBuildsTest::isBuilding);
        table.tables.computeIfPresent(
                table.index.indexTable(),
                (name, own) -> BuildFamily.remove(IndexDefinitions.disabled(own, "the definition")));
        builds.lookSoon();
        await(() -> !isBuilding());
        assertThat(table.state()).isEqualTo(IndexState.DISABLED);
    }

    /** Its threads would wait until the index is dropped. */
    @Test
    void aPausedBuildEndsIfAnotherMasterHasMadeItsIndexActive() throws Exception {
        order(PAUSED);
        builds.start();
        await(IndexBuildsTest::isBuilding);
        table.tables.computeIfPresent(
                table.index.indexTable(),
                (name, own) -> BuildFamily.complete(
                        IndexDefinitions.withState(own, IndexState.ACTIVE), BuildFamily.Totals.NONE));
        builds.lookSoon();
        await(() -> !isBuilding());
    }

    /** Any user who may create tables can make one. */
    @Test
    void aTableWithABrokenDescriptorDoesNotKeepTheOthersFromBeingBuilt() throws Exception {
        TableName broken = TableName.valueOf("broken");
        table.tables.put(
                broken,
                TableDescriptorBuilder.newBuilder(broken)
                        .setValue("diffindex.base", "no table's name")
                        .build());
        builds.start();
        await(this::isActive);
    }

    /** Returns what the master has told of the record of the index. */
    private Optional<BuildReading.Recorded> recorded() {
        return readings.stream()
                .filter(reading -> reading.table().equals(BuiltTable.NAME)
                        && reading.index().equals(table.index.name()))
                .findFirst()
                .flatMap(BuildReading::recorded);
    }

    /** The last numbers would look like those of a build that stands. */
    @Test
    void tellsThatTheRecordCannotBeReached() throws Exception {
        order(PAUSED);
        AtomicBoolean away = new AtomicBoolean();
        try (IndexBuilds own = new IndexBuilds(
                whoseTables(() -> {
                    if (away.get()) {
                        throw new IllegalStateException("no region of the index table is online");
                    }
                }),
                "master-1",
                told -> readings = told)) {
            own.start();
            await(() -> recorded().filter(BuildReading.Recorded::isPaused).isPresent());
            away.set(true);
            await(() -> readings.size() == 1 && recorded().isEmpty());
            away.set(false);
            await(() -> recorded().filter(BuildReading.Recorded::isPaused).isPresent());
        }
    }

    /** Returns a connection that does something before it gives access to the record of the index. */
    private Connection whoseTables(Runnable before) {
        Connection watched = mock(Connection.class, delegatesTo(table.connection));
        doAnswer(call -> {
                    before.run();
                    return table.connection.getTableBuilder(table.index.indexTable(), null);
                })
                .when(watched)
                .getTableBuilder(any(), any());
        return watched;
    }

    /** Builds the index, although the access to its record fails at times. */
    private void buildsThrough(Runnable before) throws Exception {
        try (IndexBuilds own = new IndexBuilds(whoseTables(before), "master-1")) {
            own.start();
            await(this::isActive);
        }
    }

    /** A scheduled executor does not repeat what has thrown something, and tells nobody. */
    @Test
    void anErrorOfOneLookDoesNotEndAllLooks() throws Exception {
        AtomicInteger operations = new AtomicInteger();
        buildsThrough(() -> {
            if (operations.incrementAndGet() == 2) { // the first one takes the index over
                throw new OutOfMemoryError("unable to create native thread");
            }
        });
    }

    /** Such as of a column type whose class this master lacks. A client would wait for ever. */
    @Test
    void saysThatThisMasterCannotLoadTheDefinition() throws Exception {
        String broken = "{\"columns\":[\"f:x:missing.Type\"],\"scheme\":\"sync-full\",\"splits\":[],\"id\":\"%s\"}"
                .formatted(table.index.id());
        table.tables.computeIfPresent(BuiltTable.NAME, (name, base) -> TableDescriptorBuilder.newBuilder(base)
                .setValue("diffindex.index." + table.index.name(), broken)
                .build());
        builds.start();
        await(() -> table.record().read().problem().isPresent());
        assertThat(table.record().read().problem().orElseThrow()).contains("master-1 cannot load", "missing.Type");
        await(() -> table.state() == IndexState.BROKEN);
        assertThat(table.problem()).contains("master-1 cannot load", "missing.Type");
        await(() -> recorded().filter(BuildReading.Recorded::hasFailed).isPresent());
    }

    @Test
    void takesOverATableThatCouldNotBeReachedBefore() throws Exception {
        AtomicInteger operations = new AtomicInteger();
        buildsThrough(() -> {
            if (operations.incrementAndGet() == 1) {
                throw new IllegalStateException("not now");
            }
        });
        assertThat(table.looks.get()).isEqualTo(1);
    }
}
