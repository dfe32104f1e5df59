package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyDouble;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.client.BuildAdmin;
import org.diffindex.client.BuildStatus;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.NoSuchIndexException;
import org.diffindex.lab.chaos.Violation.Kind;
import org.diffindex.model.IndexNotReadableException;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.model.SchemeState;
import org.diffindex.model.TableIndexes;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class BuildingClientTest {
    private static final ChaosTable TABLE = new ChaosTable(IndexScheme.SYNC_FULL);

    private final List<Violation> told = new ArrayList<>();
    private final Tally tally = new Tally();
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final DiffIndexAdmin admin = mock(DiffIndexAdmin.class);
    private final BuildAdmin builds = mock(BuildAdmin.class);
    private final Workload work = new Workload(
            TABLE,
            null,
            new SchemeHistory(IndexScheme.SYNC_FULL, System::nanoTime),
            null,
            null,
            new Violations(told::add),
            tally,
            100,
            new ReentrantReadWriteLock(),
            stopped);
    private final List<IndexScheme> changed = new ArrayList<>();
    private final BuildingClient client =
            new BuildingClient(work, admin, (index, to) -> changed.add(to), new Random(1), 1e6);

    private Optional<IndexState> state = Optional.empty();
    private Optional<String> problem = Optional.empty();
    private int looks;

    /** A master that has built an index when it was asked for it three times. */
    @BeforeEach
    void stubMaster() throws IOException {
        when(admin.stateOf(any(TableName.class), any())).thenAnswer(call -> state);
        when(admin.builds()).thenReturn(builds);
        when(admin.listDisabledIndexes(TABLE.name())).thenReturn(TableIndexes.NONE);
        doAnswer(call -> begin()).when(admin).beginIndex(any(), any());
        doAnswer(call -> begin()).when(admin).enableIndex(any(), any(), any());
        doAnswer(call -> begin()).when(admin).rebuildIndex(any(), any(), any());
        doAnswer(call -> {
                    state = Optional.of(IndexState.DISABLED);
                    return null;
                })
                .when(admin)
                .disableIndex(any(), any());
        when(builds.status(any(), any())).thenAnswer(call -> looked());
        when(builds.pause(any(), any())).thenAnswer(call -> looked());
        when(builds.resume(any(), any())).thenAnswer(call -> looked());
        when(builds.limit(any(), any(), anyDouble())).thenAnswer(call -> looked());
        doAnswer(call -> {
                    state = Optional.empty();
                    return null;
                })
                .when(admin)
                .dropIndex(any(), any());
    }

    private Void begin() {
        state = Optional.of(IndexState.BUILDING);
        looks = 0;
        return null;
    }

    private BuildStatus looked() {
        looks++;
        if (looks == 3 && problem.isEmpty()) {
            state = Optional.of(IndexState.ACTIVE);
        }
        return new BuildStatus(
                0, 0, 0, 0, 1, false, OptionalDouble.empty(), Optional.empty(), problem, Optional.empty());
    }

    private void runUntilBuilt(int builds) throws Exception {
        AtomicInteger steps = new AtomicInteger();
        when(admin.stateOf(any(TableName.class), any())).thenAnswer(call -> {
            stopped.set(tally.builds.sum() >= builds || steps.incrementAndGet() > 10_000);
            return state;
        });
        Void unused = client.call();
    }

    @Test
    void buildsOneIndexAfterTheOther() throws Exception {
        runUntilBuilt(40);
        assertThat(tally.builds.sum()).isEqualTo(40);
        assertThat(told).isEmpty();
        verify(builds, atLeastOnce()).pause(TABLE.name(), "built");
        verify(builds, atLeastOnce()).resume(TABLE.name(), "built");
        verify(builds, atLeastOnce()).limit(TABLE.name(), "built", 0);
        verify(admin, atLeastOnce()).disableIndex(TABLE.name(), "built");
        verify(admin, atLeastOnce()).enableIndex(eq(TABLE.name()), eq("built"), any());
        verify(admin, atLeastOnce()).rebuildIndex(eq(TABLE.name()), eq("built"), any());
        assertThat(changed).hasSizeGreaterThan(10).contains(IndexScheme.values());
        assertThat(tally.schemeChanges.sum())
                .as("changes to another scheme")
                .isEqualTo(changed.stream().filter(to -> to != TABLE.scheme()).count());
    }

    /** The comparison at the end judges by one scheme. */
    @Test
    void completesAChangeOfTheSchemeInTheEnd() throws Exception {
        state = Optional.of(IndexState.ACTIVE);
        SchemeState begun = SchemeState.begin(Optional.empty(), IndexScheme.SYNC_FULL, IndexScheme.ASYNC_SIMPLE, "c1");
        when(admin.schemesOf(TABLE.name(), "built"))
                .thenReturn(Optional.of(begun))
                .thenReturn(Optional.empty());
        assertThat(client.settle(Duration.ofSeconds(30))).isTrue();
        assertThat(changed).containsExactly(IndexScheme.ASYNC_SIMPLE);
    }

    @Test
    void goesOnAfterAStepThatAFaultHasFailed() throws Exception {
        AtomicInteger calls = new AtomicInteger();
        doAnswer(call -> {
                    if (calls.incrementAndGet() % 2 == 0) {
                        state = Optional.of(IndexState.DROPPING);
                        throw new IOException("no master");
                    }
                    state = Optional.empty();
                    return null;
                })
                .when(admin)
                .dropIndex(any(), any());
        runUntilBuilt(10);
        assertThat(tally.builds.sum()).isEqualTo(10);
        assertThat(tally.failedBuildSteps.sum()).isPositive();
        assertThat(told).isEmpty();
    }

    @Test
    void aFailedBuildIsAViolation() throws Exception {
        problem = Optional.of("the disk is full");
        when(builds.pause(any(), any())).thenAnswer(call -> {
            stopped.set(true);
            return looked();
        });
        Void unused = client.call();
        assertThat(told).extracting(Violation::kind).containsOnly(Kind.FAILED);
        assertThat(told.get(0).toString()).contains("a build has failed: the disk is full");
    }

    @Test
    void aFailureThatNoFaultExplainsIsAViolation() throws Exception {
        when(builds.status(any(), any())).thenAnswer(call -> {
            stopped.set(true);
            throw new IndexNotReadableException("but nobody reads");
        });
        Void unused = client.call();
        assertThat(told).extracting(Violation::kind).containsOnly(Kind.FAILED);
        assertThat(told.get(0).toString()).contains("but nobody reads");
    }

    @Test
    void endsWhatIsLeft() throws IOException {
        for (IndexState left : IndexState.values()) {
            state = Optional.of(left);
            looks = 0;
            assertThat(client.settle(Duration.ofSeconds(30))).isTrue();
            assertThat(state).isIn(Optional.empty(), Optional.of(IndexState.ACTIVE));
        }
    }

    /** Its table is BUILDING, and keeps a definition that the base table lacks. */
    @Test
    void goesOnWithAnEnablingThatAFaultHasEnded() throws IOException {
        state = Optional.of(IndexState.BUILDING);
        when(builds.resume(any(), any()))
                .thenThrow(mock(NoSuchIndexException.class))
                .thenAnswer(call -> looked());
        when(admin.listDisabledIndexes(TABLE.name()))
                .thenReturn(new TableIndexes(Map.of("built", TABLE.another()), Map.of()));
        assertThat(client.settle(Duration.ofSeconds(30))).isTrue();
        verify(admin, atLeastOnce()).enableIndex(eq(TABLE.name()), eq("built"), any());
        assertThat(state).contains(IndexState.ACTIVE);
    }

    /** As any other step, which a late effect of a fault may fail. */
    @Test
    void goesOnWithACreationThatCannotBeContinuedAtOnce() throws IOException {
        state = Optional.of(IndexState.BUILDING);
        when(builds.resume(any(), any()))
                .thenThrow(mock(NoSuchIndexException.class))
                .thenAnswer(call -> looked());
        doThrow(new IOException("no master"))
                .doAnswer(call -> begin())
                .when(admin)
                .beginIndex(any(), any());
        assertThat(client.settle(Duration.ofSeconds(30))).isTrue();
        assertThat(state).contains(IndexState.ACTIVE);
        assertThat(tally.failedBuildSteps.sum()).isOne();
    }

    @Test
    void reportsWhatCannotBeEnded() throws IOException {
        state = Optional.of(IndexState.DROPPING);
        doThrow(new IOException("no master")).when(admin).dropIndex(any(), any());
        assertThat(client.settle(Duration.ofMillis(1))).isFalse();
    }
}
