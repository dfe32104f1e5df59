package org.diffindex.cli.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicLong;
import org.diffindex.cli.chaos.Violation.Kind;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.verify.Difference;
import org.diffindex.verify.ScrubReport;
import org.junit.jupiter.api.Test;

/** The base table against what its clients were told. */
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
        assertThat(FinalCheck.leftToReaders(left)).isEqualTo(5);
        assertThat(violationsOf(report(IndexScheme.SYNC_INSERT, Map.of(Difference.MISSING, 1L))))
                .hasSize(1);
    }

    @Test
    void tellsHowManyRowsItHasCompared() {
        write(FIRST, Outcome.OK);
        history.row("s");
        assertThat(FinalCheck.check(history, Map.of("r", FIRST), new Violations(told::add)))
                .isEqualTo(2);
        assertThat(told).isEmpty();
    }

    @Test
    void takesTheLastAcknowledgedWrite() {
        write(FIRST, Outcome.OK);
        write(SECOND, Outcome.OK);

        assertThat(kindsWhenBaseIs(Map.of("r", SECOND))).isEmpty();
    }

    @Test
    void seesAnAcknowledgedWriteThatIsNotThere() {
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

    /** Value and tag are those that they should be. */
    @Test
    void seesAnIncrementThatIsLostOrWasMadeTwice() {
        write(FIRST, Outcome.OK);
        write(FIRST.incremented(), Outcome.OK);

        assertThat(kindsWhenBaseIs(Map.of("r", FIRST.incremented()))).isEmpty();
        assertThat(kindsWhenBaseIs(Map.of("r", FIRST))).containsExactly(Kind.BASE);
        assertThat(kindsWhenBaseIs(Map.of("r", FIRST.incremented().incremented())))
                .containsExactly(Kind.BASE);
    }

    @Test
    void knowsTheNumberOfARowThatHadNone() {
        write(RowState.NONE.incremented(), Outcome.OK);

        assertThat(kindsWhenBaseIs(Map.of("r", new RowState(Optional.empty(), OptionalLong.of(1), Optional.empty()))))
                .isEmpty();
        assertThat(kindsWhenBaseIs(Map.of())).containsExactly(Kind.BASE);
    }

    @Test
    void seesARowThatNobodyWrote() {
        assertThat(kindsWhenBaseIs(Map.of("x", FIRST))).containsExactly(Kind.INVENTED);
    }

    @Test
    void takesAWriteOfUnknownFateEitherWay() {
        write(FIRST, Outcome.OK);
        write(SECOND, Outcome.UNKNOWN);

        assertThat(kindsWhenBaseIs(Map.of("r", FIRST))).isEmpty();
        assertThat(kindsWhenBaseIs(Map.of("r", SECOND))).isEmpty();
        assertThat(kindsWhenBaseIs(Map.of())).containsExactly(Kind.BASE);
    }
}
