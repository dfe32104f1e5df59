package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.Mockito.atLeastOnce;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.times;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.verifyNoMoreInteractions;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.lab.chaos.IndexReads.Question;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.verify.Difference;
import org.diffindex.verify.ScrubReport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CheckpointTest {
    /** Under faults, a kind of read that always fails would go unnoticed among those that succeed. */
    @Test
    void readsEveryIndexInEveryWay() {
        for (String index : ChaosTable.INDEXES) {
            List<Question> asked = Question.all(ChaosTable.INDEXES).stream()
                    .filter(question -> question.index().equals(index))
                    .toList();
            assertThat(asked.stream().filter(question -> question.limit().isEmpty() && !question.withRows()))
                    .as("reads without limit or rows, at least one for each value")
                    .hasSizeGreaterThanOrEqualTo(ValueRange.DOMAIN)
                    .anyMatch(CheckpointTest::isOverAllRegions);
            assertThat(asked)
                    .anyMatch(
                            question -> question.withRows() && question.limit().isEmpty() && isOverAllRegions(question))
                    .anyMatch(
                            question -> question.withRows() && question.limit().isPresent())
                    .anyMatch(
                            question -> !question.withRows() && question.limit().isPresent());
        }
    }

    private static ScrubReport report(Map<Difference, Long> found) {
        IndexDefinition index =
                new ChaosTable(IndexScheme.SYNC_INSERT).definitions().get(0);
        return new ScrubReport(index, 9, 9, found, Map.of(), 0, List.of(), Duration.ZERO);
    }

    /** Returns the number of entries left when the comparisons after each pass of the reads find this. */
    private long leftByCleanUp(List<Violation> told, Duration atMost, ScrubReport... afterEachPass) throws Exception {
        Iterator<ScrubReport> reports = List.of(afterEachPass).iterator();
        FinalCheck check = new FinalCheck(null, (table, found) -> found.accept(reports.next()));
        Workload work = work(IndexScheme.SYNC_INSERT, mock(IndexReads.class), told);
        return Checkpoint.readUntilClean(work, ChaosTable.INDEXES, check, atMost);
    }

    private static Workload work(IndexScheme scheme, IndexReads reads, List<Violation> told) {
        AtomicLong time = new AtomicLong();
        return new Workload(
                new ChaosTable(scheme),
                null,
                new SchemeHistory(scheme, time::incrementAndGet),
                null,
                reads,
                new Violations(told::add),
                new Tally(),
                1,
                new ReentrantReadWriteLock(),
                new AtomicBoolean());
    }

    @ParameterizedTest
    @EnumSource
    void comparesTheTimestampsOfHitsAndReadsInASessionIfThereAreAny(IndexScheme scheme) throws Exception {
        IndexReads reads = mock(IndexReads.class);
        Workload work = work(scheme, reads, new ArrayList<>());
        assertThat(new Checkpoint(mock(DiffIndexAdmin.class)).run(work, Duration.ofMinutes(1)))
                .isEmpty();
        verify(reads, times(Question.all(ChaosTable.INDEXES).size())).readWithTimes(any(Question.class));
        verify(reads, times(scheme.hasSessions() ? 1 : 0)).readInSession(any());
        verifyNoMoreInteractions(reads);
    }

    /** A move leaves a stale entry in an index whose scheme was changed to sync-insert, after all reads of the pass. */
    @Test
    void aCleanUpMovesNoRows() throws Exception {
        IndexReads reads = mock(IndexReads.class);
        Workload work = work(IndexScheme.ASYNC_SESSION, reads, new ArrayList<>());
        FinalCheck check = new FinalCheck(null, (table, found) -> found.accept(report(Map.of())));
        assertThat(Checkpoint.readUntilClean(work, ChaosTable.INDEXES, check, Duration.ofMinutes(1)))
                .isZero();
        verify(reads, atLeastOnce()).readWithTimes(any(Question.class));
        verifyNoMoreInteractions(reads);
    }

    /** The clean-up of an entry at the key of a present one may delete that too. */
    @Test
    void aCleanUpThatRemovesPresentEntriesIsAViolation() throws Exception {
        List<Violation> told = new ArrayList<>();
        ScrubReport stale = report(Map.of(Difference.STALE, 2L));
        ScrubReport missing = report(Map.of(Difference.MISSING, 1L));
        assertThat(leftByCleanUp(told, Duration.ofMinutes(1), stale, missing)).isZero();
        assertThat(told).singleElement().satisfies(violation -> {
            assertThat(violation.kind()).isEqualTo(Violation.Kind.COMPARISON);
            assertThat(violation.detail()).contains("1 missing");
        });
    }

    @Test
    void aCleanUpEndsWhenNoStaleEntryIsLeftOrItsTimeIsOver() throws Exception {
        List<Violation> told = new ArrayList<>();
        ScrubReport stale = report(Map.of(Difference.STALE, 2L, Difference.DANGLING, 1L));
        assertThat(leftByCleanUp(told, Duration.ofMinutes(1), stale, report(Map.of())))
                .isZero();
        assertThat(leftByCleanUp(told, Duration.ZERO, stale)).isEqualTo(3);
        assertThat(told).isEmpty();
    }

    /** The scheme of an index that is created and changed meanwhile may leave stale entries for readers, too. */
    @Test
    void aCleanUpReadsEveryIndex() throws Exception {
        IndexReads reads = mock(IndexReads.class);
        Workload work = work(IndexScheme.SYNC_INSERT, reads, new ArrayList<>());
        List<String> indexes = List.of("by_val", "built");
        FinalCheck check = new FinalCheck(null, (table, found) -> found.accept(report(Map.of())));
        assertThat(Checkpoint.readUntilClean(work, indexes, check, Duration.ofMinutes(1)))
                .isZero();
        for (String index : indexes) {
            verify(reads, atLeastOnce())
                    .readWithTimes(argThat(
                            question -> question != null && question.index().equals(index)));
        }
    }

    private static boolean isOverAllRegions(Question question) {
        return ChaosTable.region(question.range().low()) == 0
                && ChaosTable.region(question.range().high()) == ChaosTable.BORDERS.size();
    }
}
