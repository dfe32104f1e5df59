package org.diffindex.ycsb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class YcsbOutputTest {
    /** Written by YCSB 0.17.0. */
    private static final String MEASUREMENTS =
            """
            [OVERALL], RunTime(ms), 2011
            [OVERALL], Throughput(ops/sec), 49.7265
            [TOTAL_GCS_G1_Young_Generation], Count, 1
            [TOTAL_GC_TIME_%], Time(%), 0.14917951268025857
            [READ], Operations, 40
            [READ], AverageLatency(us), 512.5
            [READ], MinLatency(us), 10
            [READ], MaxLatency(us), 1000
            [READ], 50thPercentileLatency(us), 400
            [READ], 95thPercentileLatency(us), 900
            [READ], 99thPercentileLatency(us), 1000
            [READ], Return=OK, 40
            [CLEANUP], Operations, 1
            [CLEANUP], AverageLatency(us), 3.0
            [CLEANUP], 50thPercentileLatency(us), 3
            [READ-BY-INDEX], Operations, 55
            [READ-BY-INDEX], AverageLatency(us), 1.5
            [READ-BY-INDEX], 50thPercentileLatency(us), 1
            [READ-BY-INDEX], 95thPercentileLatency(us), 2
            [READ-BY-INDEX], 99thPercentileLatency(us), 3
            [READ-BY-INDEX], Return=OK, 55
            [READ-BY-INDEX], Return=NOT_FOUND, 5
            [READ-BY-INDEX-FAILED], Operations, 5
            [READ-BY-INDEX-FAILED], AverageLatency(us), 9.0
            """;

    private static YcsbOutput outputOf(String measurements) {
        YcsbOutput output = new YcsbOutput();
        measurements.lines().forEach(output::addMeasurement);
        return output;
    }

    @Test
    void theMeasurementsAreRead() {
        YcsbResult result = outputOf(MEASUREMENTS).result(0, OptionalLong.of(100));

        assertThat(result.failures()).isEmpty();
        assertThat(result.isSuccess()).isTrue();
        assertThat(result.throughput()).isEqualTo(49.7265);
        assertThat(result.runTime()).isEqualTo(Duration.ofMillis(2011));
        assertThat(result.operations()).containsOnlyKeys("READ", "READ-BY-INDEX");
        assertThat(result.operations().get("READ"))
                .isEqualTo(new OperationResult("READ", 40, 512.5, 400, 900, 1000, Map.of("OK", 40L)));
        OperationResult byIndex = result.operations().get("READ-BY-INDEX");
        assertThat(byIndex.count()).isEqualTo(60);
        assertThat(byIndex.succeeded()).isEqualTo(55);
        assertThat(byIndex.misses()).isEqualTo(5);
        assertThat(byIndex.failed()).isZero();
        assertThat(byIndex.p99Micros()).isEqualTo(3);
    }

    @Test
    void theTimeToDrainIsNotAnOperationAndLowersTheRate() {
        String drained = MEASUREMENTS
                + """
                [DRAIN], Operations, 1
                [DRAIN], AverageLatency(us), 989000.0
                [DRAIN], 50thPercentileLatency(us), 989000
                """;
        YcsbResult result = outputOf(drained).result(0, OptionalLong.of(100));
        assertThat(result.isSuccess()).isTrue();
        assertThat(result.operations()).containsOnlyKeys("READ", "READ-BY-INDEX");
        assertThat(result.drainTime()).contains(Duration.ofMillis(989));
        assertThat(result.throughput()).isEqualTo(49.7265);
        assertThat(result.drainedThroughput().orElseThrow()).isCloseTo(100 / 3.0, within(1e-3));

        YcsbResult undrained = outputOf(MEASUREMENTS).result(0, OptionalLong.of(100));
        assertThat(undrained.drainTime()).isEmpty();
        assertThat(undrained.drainedThroughput()).isEmpty();
    }

    @Test
    void anyOtherReturnCodeIsAFailure() {
        String measurements =
                """
                [OVERALL], RunTime(ms), 10
                [OVERALL], Throughput(ops/sec), 1000.0
                [UPDATE], Operations, 7
                [UPDATE], AverageLatency(us), 1.0
                [UPDATE], Return=OK, 7
                [UPDATE], Return=ERROR, 2
                [UPDATE], Return=UNEXPECTED_STATE, 1
                """;
        YcsbResult result = outputOf(measurements).result(0, OptionalLong.of(10));
        assertThat(result.isSuccess()).isFalse();
        assertThat(result.failures())
                .containsExactly("3 of 10 operations UPDATE failed {ERROR=2, OK=7, UNEXPECTED_STATE=1}");
    }

    @Test
    void theFirstErrorOfAnOperationIsShown() {
        YcsbOutput output = outputOf(
                """
                [OVERALL], RunTime(ms), 10
                [OVERALL], Throughput(ops/sec), 100.0
                [READ-BY-INDEX], Return=ERROR, 2
                """);
        output.addError("READ-BY-INDEX failed: java.io.IOException: planted");
        output.addError("UPDATE of table item failed: java.io.IOException: later");
        assertThat(output.result(0, OptionalLong.of(2)).failures())
                .containsExactly("2 of 2 operations READ-BY-INDEX failed {ERROR=2}, first: READ-BY-INDEX failed:"
                        + " java.io.IOException: planted");
    }

    @Test
    void anOperationThatNeverSucceededHasNoLatency() {
        String measurements =
                """
                [OVERALL], RunTime(ms), 10
                [OVERALL], Throughput(ops/sec), 300.0
                [READ], Operations, 0
                [READ], AverageLatency(us), NaN
                [READ], 50thPercentileLatency(us), 0
                [READ], Return=ERROR, 3
                [READ-FAILED], Operations, 3
                """;
        OperationResult read = outputOf(measurements)
                .result(0, OptionalLong.of(3))
                .operations()
                .get("READ");
        assertThat(read.failed()).isEqualTo(3);
        assertThat(read.averageMicros()).isNaN();
        assertThat(read.p50Micros()).isNaN();
    }

    @Test
    void aMissingSummaryIsAFailureWhateverTheExitCode() {
        YcsbResult result = outputOf("").result(0, OptionalLong.of(10));
        assertThat(result.failures()).containsExactly("it wrote no summary, so it did not complete");
        assertThat(result.throughput()).isZero();
        assertThat(result.runTime()).isZero();
    }

    @Test
    void fewerOperationsThanRequestedAreAFailure() {
        YcsbOutput output = outputOf(MEASUREMENTS);
        assertThat(output.result(0, OptionalLong.of(200)).failures())
                .containsExactly("it performed 100 operations instead of 200");
        assertThat(output.result(0, OptionalLong.empty()).isSuccess()).isTrue();
    }

    @Test
    void aRunOfNothingIsAFailure() {
        String measurements = "[OVERALL], RunTime(ms), 5\n[OVERALL], Throughput(ops/sec), 0.0\n";
        assertThat(outputOf(measurements).result(0, OptionalLong.empty()).failures())
                .containsExactly("it performed no operation");
    }

    @Test
    void aRunOfLessThanAMillisecondHasASummaryWithoutThroughput() {
        String measurements = "[OVERALL], RunTime(ms), 0\n[OVERALL], Throughput(ops/sec), NaN\n";
        YcsbResult result = outputOf(measurements).result(0, OptionalLong.empty());
        assertThat(result.failures()).containsExactly("it performed no operation");
        assertThat(result.throughput()).isZero();
    }

    @Test
    void anExitCodeIsAFailure() {
        assertThat(outputOf(MEASUREMENTS).result(137, OptionalLong.of(100)).failures())
                .containsExactly("its process ended with exit code 137");
    }

    @Test
    void exceptionsThatYcsbWritesAreFailuresOnce() {
        YcsbOutput output = outputOf(MEASUREMENTS);
        output.addOutput("site.ycsb.DBException: No connection to HBase: planted");
        output.addOutput("\tat org.diffindex.ycsb.DiffIndexDB.init(DiffIndexDB.java:1)");
        output.addOutput("site.ycsb.DBException: No connection to HBase: planted");
        output.addOutput("java.lang.NullPointerException");
        output.addOutput("all is well: no Exception here");
        output.addError("Exception in thread \"Thread-3\" java.lang.StackOverflowError");
        assertThat(output.result(0, OptionalLong.of(100)).failures())
                .containsExactly(
                        "site.ycsb.DBException: No connection to HBase: planted",
                        "java.lang.NullPointerException",
                        "Exception in thread \"Thread-3\" java.lang.StackOverflowError");
    }

    @Test
    void aFailureThatHBasesClientRetriesIsNotAFailure() {
        YcsbOutput output = outputOf(MEASUREMENTS);
        output.addError("java.io.IOException: Connection reset by peer");
        output.addError("\tat java.base/sun.nio.ch.FileDispatcherImpl.read0(Native Method)");
        assertThat(output.result(0, OptionalLong.of(100)).isSuccess()).isTrue();
    }
}
