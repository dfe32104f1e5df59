package org.diffindex.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collection;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/** Runs every benchmark, as briefly as possible. */
class BenchmarksTest {
    private static final int BENCHMARKS = 8;

    @Test
    void runsEveryBenchmark() throws RunnerException {
        Collection<RunResult> results = new Runner(new OptionsBuilder()
                        .forks(0)
                        .warmupIterations(0)
                        .measurementIterations(1)
                        .measurementTime(TimeValue.milliseconds(20))
                        .shouldFailOnError(true)
                        .verbosity(VerboseMode.SILENT)
                        .build())
                .run();
        assertThat(results).hasSize(BENCHMARKS).allSatisfy(result -> assertThat(
                        result.getPrimaryResult().getScore())
                .isPositive());
    }
}
