package org.diffindex.server.local;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import org.diffindex.server.queue.UpdateProcessor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

class LoggedErrorsTest {
    private static final Logger LOG = LoggerFactory.getLogger(UpdateProcessor.class);

    private final List<Throwable> received = new ArrayList<>();
    private final LoggedErrors errors = LoggedErrors.sentTo((message, error) -> received.add(error));

    @AfterEach
    void close() {
        errors.close();
    }

    @Test
    void receivesUncheckedExceptionsAtAnyLevel() {
        RuntimeException exception = new IllegalStateException("in the code");
        Error error = new AssertionError("in the code");
        LOG.warn("Not delivered yet [rows={}]", 1, exception);
        LOG.debug("Left to a later read", error);
        assertThat(received).containsExactly(exception, error);
    }

    @Test
    void receivesWhatAnUncheckedExceptionCaused() {
        IOException failure = new IOException(new ExecutionException(new NullPointerException()));
        LOG.warn("Not delivered yet", failure);
        assertThat(received).containsExactly(failure);
    }

    @Test
    void receivesNoFailureThatIsExpected() {
        LOG.warn("Not delivered yet", new IOException("The index table is not available"));
        LOG.warn("Not delivered yet", new IOException(new RejectedExecutionException("The server stops")));
        LOG.warn("Not read", new UncheckedIOException(new IOException("The file is gone")));
        LOG.warn("Without an exception");
        assertThat(received).isEmpty();
    }

    @Test
    void receivesNothingOnceItIsClosed() {
        errors.close();
        LOG.warn("Not delivered yet", new IllegalStateException("after the test"));
        assertThat(received).isEmpty();
    }
}
