package org.diffindex.lab.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.CALLS_REAL_METHODS;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellComparator;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.lab.chaos.Violation.Kind;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.verify.Difference;
import org.diffindex.verify.ScrubReport;
import org.junit.jupiter.api.Test;

/** Tests the comparison of the base table with the answers that its clients received. */
class FinalCheckTest {
    private static final RowState FIRST = RowState.of("v001", 1, "t1");
    private static final RowState SECOND = RowState.of("v002", 2, "t2");

    private final AtomicLong time = new AtomicLong();
    private final SchemeHistory history = new SchemeHistory(IndexScheme.SYNC_FULL, time::incrementAndGet);
    private final List<Violation> told = new ArrayList<>();

    private void write(RowState state, Outcome outcome) {
        RowHistory row = history.row("r");
        history.end(row, history.begin(row, state, "put", RowWrite.NO_SESSION), outcome);
    }

    private List<Kind> kindsWhenBaseIs(Map<String, RowState> base) {
        told.clear();
        FinalCheck.check(history, base, new Violations(told::add));
        return told.stream().map(Violation::kind).toList();
    }

    private static ScrubReport report(IndexScheme scheme, Map<Difference, Long> found) {
        IndexDefinition index = new ChaosTable(scheme).definitions().get(1);
        return new ScrubReport(index, 9, 9, found, Map.of(), 0, List.of(), Duration.ZERO);
    }

    private List<Violation> violationsOf(ScrubReport report) {
        told.clear();
        FinalCheck.check(history, report, new Violations(told::add));
        return List.copyOf(told);
    }

    @Test
    void seesThatAnIndexDiffersFromItsTable() {
        assertThat(violationsOf(report(IndexScheme.SYNC_FULL, Map.of()))).isEmpty();
        assertThat(violationsOf(report(IndexScheme.SYNC_FULL, Map.of(Difference.STALE, 2L))))
                .singleElement()
                .satisfies(violation -> {
                    assertThat(violation.kind()).isEqualTo(Kind.COMPARISON);
                    assertThat(violation.value()).isEqualTo("by_val_n");
                    assertThat(violation.detail()).contains("2 stale");
                });
    }

    @Test
    void doesNotBlameASchemeForTheEntriesThatItLeavesToReaders() {
        ScrubReport left = report(IndexScheme.SYNC_INSERT, Map.of(Difference.STALE, 2L, Difference.DANGLING, 3L));
        assertThat(violationsOf(left)).isEmpty();
        assertThat(FinalCheck.leftToReaders(List.of(left, left))).isEqualTo(10);
        assertThat(violationsOf(report(IndexScheme.SYNC_INSERT, Map.of(Difference.MISSING, 1L))))
                .hasSize(1);
    }

    @Test
    void returnsTheNumberOfRowsCompared() {
        write(FIRST, Outcome.OK);
        history.row("s");
        assertThat(FinalCheck.check(history, Map.of("r", FIRST), new Violations(told::add)))
                .isEqualTo(2);
        assertThat(told).isEmpty();
    }

    @Test
    void acceptsTheLastAcknowledgedWrite() {
        write(FIRST, Outcome.OK);
        write(SECOND, Outcome.OK);

        assertThat(kindsWhenBaseIs(Map.of("r", SECOND))).isEmpty();
    }

    @Test
    void seesAnAcknowledgedWriteThatIsMissing() {
        write(FIRST, Outcome.OK);
        write(SECOND, Outcome.OK);

        assertThat(kindsWhenBaseIs(Map.of("r", FIRST))).containsExactly(Kind.BASE);
    }

    @Test
    void seesARowThatIsGone() {
        write(FIRST, Outcome.DELAYED);

        assertThat(kindsWhenBaseIs(Map.of())).containsExactly(Kind.BASE);
    }

    @Test
    void seesTheValueOfAnotherWriteByItsTag() {
        write(FIRST, Outcome.OK);
        write(RowState.of("v001", 1, "t3"), Outcome.OK);

        assertThat(kindsWhenBaseIs(Map.of("r", FIRST))).containsExactly(Kind.BASE);
    }

    /** Value and tag are correct. */
    @Test
    void seesAnIncrementThatWasLostOrAppliedTwice() {
        write(FIRST, Outcome.OK);
        write(FIRST.incremented(), Outcome.OK);

        assertThat(kindsWhenBaseIs(Map.of("r", FIRST.incremented()))).isEmpty();
        assertThat(kindsWhenBaseIs(Map.of("r", FIRST))).containsExactly(Kind.BASE);
        assertThat(kindsWhenBaseIs(Map.of("r", FIRST.incremented().incremented())))
                .containsExactly(Kind.BASE);
    }

    @Test
    void acceptsTheNumberOfARowThatHadNone() {
        write(RowState.NONE.incremented(), Outcome.OK);

        assertThat(kindsWhenBaseIs(Map.of("r", new RowState(Optional.empty(), OptionalLong.of(1), Optional.empty()))))
                .isEmpty();
        assertThat(kindsWhenBaseIs(Map.of())).containsExactly(Kind.BASE);
    }

    @Test
    void seesARowThatNoClientWrote() {
        assertThat(kindsWhenBaseIs(Map.of("x", FIRST))).containsExactly(Kind.INVENTED);
    }

    @Test
    void acceptsAWriteOfUnknownOutcomeEitherWay() {
        write(FIRST, Outcome.OK);
        write(SECOND, Outcome.UNKNOWN);

        assertThat(kindsWhenBaseIs(Map.of("r", FIRST))).isEmpty();
        assertThat(kindsWhenBaseIs(Map.of("r", SECOND))).isEmpty();
        assertThat(kindsWhenBaseIs(Map.of())).containsExactly(Kind.BASE);
    }

    /** The write must be refused because its number is not a number. */
    @Test
    void seesARefusedWriteThatTookEffect() {
        write(FIRST, Outcome.OK);
        Put refused = ChaosTable.unindexable("r", "v002", "t2:v002");

        assertThat(kindsWhenBaseIs(Map.of("r", ChaosTable.stateOf(Result.create(cellsOf(refused))))))
                .containsExactly(Kind.BASE);
    }

    private static List<Cell> cellsOf(Put put) {
        return put.getFamilyCellMap().get(ChaosTable.FAMILY).stream()
                .sorted(CellComparator.getInstance())
                .toList();
    }

    /** HBase's scanner throws an unchecked exception from its iterator, which would end the run without a result. */
    @Test
    void throwsAnIOExceptionIfATableCannotBeRead() throws IOException {
        ResultScanner scanner = mock(ResultScanner.class, CALLS_REAL_METHODS);
        doThrow(new NotServingRegionException("away")).when(scanner).next();
        Table table = mock(Table.class);
        when(table.getScanner(any(Scan.class))).thenReturn(scanner);
        Connection connection = mock(Connection.class);
        when(connection.getTable(any())).thenReturn(table);
        Workload work = Workload.of(
                new ChaosTable(IndexScheme.SYNC_FULL),
                connection,
                connection,
                history,
                null,
                null,
                1,
                new AtomicBoolean());

        assertThatThrownBy(() -> new FinalCheck(connection).compareWithHistory(work))
                .isInstanceOf(NotServingRegionException.class);
    }

    /** Entries ahead of their rows are the rows' entries, and are kept. */
    @Test
    void doesNotExpectReadersToReportEntriesAheadOfTheirRows() {
        IndexDefinition index =
                new ChaosTable(IndexScheme.SYNC_INSERT).definitions().get(0);
        Map<Difference, Long> found = Map.of(Difference.STALE, 2L, Difference.DANGLING, 3L, Difference.AHEAD, 4L);
        ScrubReport report = new ScrubReport(index, 9, 9, found, Map.of(), 0, List.of(), Duration.ZERO);

        assertThat(report.isClean()).isTrue();
        assertThat(FinalCheck.leftToReaders(List.of(report))).isEqualTo(5);
    }
}
