package org.diffindex.server.sequences;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.diffindex.server.queue.UpdateProcessor;
import org.diffindex.server.sequences.Sequences.Sequence;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Internal errors that the code under test logs while no sequence runs: on a background thread, or in a close. */
class SequenceRunsTest {
    private static final Logger LOG = LoggerFactory.getLogger(UpdateProcessor.class);
    private static final Sequence FLUSH =
            new Sequence(TableShape.VERSIONS_1, false, List.of(Step.Upkeep.FLUSH, Step.Upkeep.DRAIN));

    @Test
    void anErrorAfterASequenceFailsTheRunThoughAnotherSequenceBegins() throws IOException {
        SequenceRuns runs = new SequenceRuns();
        runs.run(FLUSH);
        LOG.warn("Rows could not be indexed yet", new IllegalStateException("after the sequence"));
        assertThatThrownBy(() -> runs.run(FLUSH)).hasStackTraceContaining("after the sequence");
        runs.close();
    }

    @Test
    void anErrorAfterTheLastSequenceFailsTheRun() throws IOException {
        SequenceRuns runs = new SequenceRuns();
        runs.run(FLUSH);
        LOG.warn("Rows could not be indexed yet", new IllegalStateException("after the last sequence"));
        assertThatThrownBy(runs::close).hasStackTraceContaining("after the last sequence");
    }
}
