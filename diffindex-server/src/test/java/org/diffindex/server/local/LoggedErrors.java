package org.diffindex.server.local;

import java.io.UncheckedIOException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import org.apache.log4j.Appender;
import org.apache.log4j.AppenderSkeleton;
import org.apache.log4j.Level;
import org.apache.log4j.Logger;
import org.apache.log4j.spi.LoggingEvent;
import org.apache.log4j.spi.ThrowableInformation;

/**
 * Passes on the internal errors that Diff-Index logs and survives, for example because it tries a delivery again: a test
 * learns of such an error only from the log. Until it is closed, the log of Diff-Index is not printed.
 */
public final class LoggedErrors implements AutoCloseable {
    private static final Logger LOGGER = Logger.getLogger("org.diffindex");

    private final Level level = LOGGER.getLevel();
    private final boolean additivity = LOGGER.getAdditivity();
    private final Appender appender;

    private LoggedErrors(Appender appender) {
        this.appender = appender;
    }

    /** Passes each internal error on, with the message, on the thread that logs it. Only one can be open. */
    public static LoggedErrors sentTo(BiConsumer<String, Throwable> receiver) {
        LoggedErrors errors = new LoggedErrors(new ErrorAppender(receiver));
        LOGGER.addAppender(errors.appender);
        LOGGER.setAdditivity(false);
        LOGGER.setLevel(Level.ALL);
        return errors;
    }

    private static final class ErrorAppender extends AppenderSkeleton {
        private final BiConsumer<String, Throwable> receiver;

        ErrorAppender(BiConsumer<String, Throwable> receiver) {
            this.receiver = receiver;
        }

        @Override
        protected void append(LoggingEvent event) {
            ThrowableInformation logged = event.getThrowableInformation();
            if (logged != null && isInternal(logged.getThrowable())) {
                receiver.accept(event.getRenderedMessage(), logged.getThrowable());
            }
        }

        @Override
        public void close() {
            // holds nothing
        }

        @Override
        public boolean requiresLayout() {
            return false;
        }
    }

    /**
     * Returns whether a failure is an unchecked exception, or was caused by one: an internal error, unless an executor
     * that is stopped rejected a task, or the exception stands for an IOException.
     */
    private static boolean isInternal(Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            boolean isUnchecked = each instanceof RuntimeException || each instanceof Error;
            if (isUnchecked && !(each instanceof RejectedExecutionException || each instanceof UncheckedIOException)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        LOGGER.removeAppender(appender);
        LOGGER.setAdditivity(additivity);
        LOGGER.setLevel(level);
    }
}
