package org.diffindex.server.metrics;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs operations on indexes that take long, one line each, as {@code key=value}. A minute has {@value #MOST} lines at
 * most: the first line after that says how many were left out. An operation that is not slow costs a comparison.
 * Thread-safe.
 */
public final class SlowOperations {
    /** The most lines in a minute. */
    static final int MOST = 30;

    private static final Logger LOG = LoggerFactory.getLogger(SlowOperations.class);
    private static final long WINDOW_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Receives lines. */
    @FunctionalInterface
    interface Log {
        void line(String text);
    }

    private final long thresholdNanos;
    private final LongSupplier nanoTime;
    private final Log log;

    /** When the first line of the current minute was logged. Guarded by this, like the counts. */
    private long windowBegin;

    private int lines;
    private long leftOut;

    /**
     * Creates a log that goes to the server's.
     *
     * @param thresholdMs the duration, in milliseconds, from which an operation is slow; 0 if none is
     * @param nanoTime elapsed time in nanoseconds
     */
    public SlowOperations(long thresholdMs, LongSupplier nanoTime) {
        this(thresholdMs, nanoTime, LOG::warn);
    }

    SlowOperations(long thresholdMs, LongSupplier nanoTime, Log log) {
        this.thresholdNanos = thresholdMs <= 0 ? Long.MAX_VALUE : TimeUnit.MILLISECONDS.toNanos(thresholdMs);
        this.nanoTime = nanoTime;
        this.log = log;
    }

    /** Returns the time at which an operation begins, for {@link #ended}. */
    public long begin() {
        return nanoTime.getAsLong();
    }

    /**
     * Logs an operation that ends now, if it was slow.
     *
     * @param begin the result of {@link #begin}
     * @param operation its kind
     * @param details tells the rest; asked only if the operation was slow
     */
    public void ended(long begin, String operation, Details details) {
        long now = nanoTime.getAsLong();
        if (now - begin >= thresholdNanos) {
            log(now, TimeUnit.NANOSECONDS.toMillis(now - begin), operation, details);
        }
    }

    /** An operation that may fail. */
    @FunctionalInterface
    public interface Body {
        void run() throws IOException;
    }

    /** Carries out an operation, and logs it if it was slow, whether it succeeds or fails. */
    public void during(String operation, Details details, Body body) throws IOException {
        long begin = begin();
        try {
            body.run();
        } finally {
            ended(begin, operation, details);
        }
    }

    /** Tells what an operation was about. */
    @FunctionalInterface
    public interface Details {
        void tell(Line line);
    }

    /** A line of the log. */
    public static final class Line {
        private final StringBuilder text;

        private Line(String beginning) {
            text = new StringBuilder(beginning);
        }

        /** Adds a pair; a value with blanks, quotes or equals signs is quoted. */
        public Line with(String key, Object value) {
            String plain = String.valueOf(value);
            boolean needsQuotes = plain.isEmpty() || plain.chars().anyMatch(c -> c <= ' ' || c == '"' || c == '=');
            text.append(' ').append(key).append('=');
            if (needsQuotes) {
                text.append('"')
                        .append(plain.replace("\\", "\\\\")
                                .replace("\"", "\\\"")
                                .replaceAll("\\p{Cntrl}", " "))
                        .append('"');
            } else {
                text.append(plain);
            }
            return this;
        }
    }

    private void log(long now, long ms, String operation, Details details) {
        long before;
        synchronized (this) {
            if (lines == 0 || now - windowBegin >= WINDOW_NANOS) {
                windowBegin = now;
                lines = 0;
            }
            if (lines == MOST) {
                leftOut++;
                return;
            }
            lines++;
            before = leftOut;
            leftOut = 0;
        }
        Line line = new Line("Slow index operation:");
        line.with("op", operation).with("ms", ms);
        details.tell(line);
        line.with("left_out", before);
        log.line(line.text.toString());
    }
}
