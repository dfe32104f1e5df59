package org.diffindex.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.diffindex.ycsb.OperationResult;
import org.diffindex.ycsb.YcsbResult;
import org.junit.jupiter.api.Test;

class YcsbTextTest {
    private static final OperationResult UPDATE =
            new OperationResult("UPDATE", 1_000, 1_500, 1_200, 3_000, 12_345, Map.of("OK", 1_000L));

    private static String text(Optional<Duration> drainTime, boolean asynchronous, boolean target) {
        StringWriter text = new StringWriter();
        YcsbResult result = new YcsbResult(500, Duration.ofSeconds(2), drainTime, Map.of("UPDATE", UPDATE), List.of());
        YcsbText.print(result, asynchronous, target, new PrintWriter(text, true));
        return text.toString();
    }

    @Test
    void theRateOfAnAsynchronousSchemeIsPrintedWithAndWithoutTheDrain() {
        assertThat(text(Optional.of(Duration.ofMillis(500)), true, false))
                .contains("UPDATE")
                .contains("12,345")
                .contains(
                        "500.0 operations/s in 2.0 s until the last acknowledgement; 400.0 operations/s in 2.5 s until"
                                + " the indexes were drained");
    }

    @Test
    void undrainedIndexesAreReported() {
        assertThat(text(Optional.empty(), true, false))
                .contains("500.0 operations/s in 2.0 s; the indexes were not drained")
                .doesNotContain("acknowledged");
    }

    /**
     * The scheme may have been given in a form that the command does not recognize, such as with a trailing space in a
     * file.
     */
    @Test
    void reportsAMeasuredDrainEvenIfTheSchemeIsNotRecognized() {
        assertThat(text(Optional.of(Duration.ofMillis(500)), false, false)).contains("until the indexes were drained");
    }

    @Test
    void aSynchronousSchemeHasOneRate() {
        assertThat(text(Optional.empty(), false, false))
                .contains("500.0 operations/s in 2.0 s\n")
                .doesNotContain("drain");
    }

    @Test
    void statesHowLatenciesAreMeasured() {
        assertThat(text(Optional.empty(), false, false)).contains("closed loop");
        assertThat(text(Optional.empty(), false, true))
                .contains("from the start that the target rate schedules")
                .doesNotContain("closed loop");
    }
}
