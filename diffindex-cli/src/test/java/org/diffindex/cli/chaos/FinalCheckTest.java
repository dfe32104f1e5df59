package org.diffindex.cli.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.diffindex.cli.chaos.Violation.Kind;
import org.diffindex.model.IndexScheme;
import org.junit.jupiter.api.Test;

/** The base table against what its clients were told. */
class FinalCheckTest {
    private static final RowState FIRST = RowState.of("v001", "t1");
    private static final RowState SECOND = RowState.of("v002", "t2");

    private final AtomicLong time = new AtomicLong();
    private final SchemeHistory history = new SchemeHistory(IndexScheme.SYNC_FULL, time::incrementAndGet);
    private final List<Violation> told = new ArrayList<>();
    private final Violations violations = new Violations(told::add);

    private void write(RowState state, Outcome outcome) {
        RowHistory row = history.row("r");
        history.end(row, history.begin(row, state, "put", RowWrite.NO_SESSION), outcome);
    }

    private List<Kind> kindsWhenBaseIs(Map<String, RowState> base) {
        FinalCheck.check(history, base, violations);
        return told.stream().map(Violation::kind).toList();
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
        write(RowState.of("v001", "t3"), Outcome.OK);

        assertThat(kindsWhenBaseIs(Map.of("r", FIRST))).containsExactly(Kind.BASE);
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
