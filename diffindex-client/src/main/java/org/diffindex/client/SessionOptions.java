package org.diffindex.client;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;

/** The limits of a {@link Session}. Immutable. Obtained from {@link #DEFAULT} or {@link #builder}. */
public final class SessionOptions {
    /**
     * The default limits: 16 MiB, and an idle timeout of 30 minutes (paper, section 5.2), measured by {@link
     * System#nanoTime}: a jump of the system's clock ends no session.
     */
    public static final SessionOptions DEFAULT = builder().build();

    private final long maxBytes;
    private final Duration idleTimeout;
    private final InstantSource clock;

    private SessionOptions(Builder builder) {
        this.maxBytes = builder.maxBytes;
        this.idleTimeout = builder.idleTimeout;
        this.clock = builder.clock;
    }

    /** Returns a builder that starts with the default limits. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns the most memory, in bytes, that a session's changes may occupy, including those kept only for open
     * scanners.
     */
    public long maxBytes() {
        return maxBytes;
    }

    /** Returns how long a session may be idle before it expires. */
    public Duration idleTimeout() {
        return idleTimeout;
    }

    InstantSource clock() {
        return clock;
    }

    /** Builds {@link SessionOptions}. Not safe for use by many threads. */
    public static final class Builder {
        private long maxBytes = 16L << 20;
        private Duration idleTimeout = Duration.ofMinutes(30);
        private InstantSource clock = () -> Instant.EPOCH.plusNanos(System.nanoTime());

        private Builder() {}

        /**
         * Sets the most memory, in bytes, that the session's changes may occupy. A change takes about 320 bytes plus
         * its row key and its index key. A put that omits a column of variable length of an async-session index, whose
         * other columns it sets, is refused unless there is room for the longest key that an index takes, almost 32,767 bytes.
         *
         * @throws IllegalArgumentException if it is not positive
         */
        public Builder maxBytes(long bytes) {
            if (bytes <= 0) {
                throw new IllegalArgumentException("A session's maxBytes must be positive, not " + bytes);
            }
            this.maxBytes = bytes;
            return this;
        }

        /**
         * Sets how long the session may be idle before it expires.
         *
         * @throws IllegalArgumentException if it is not positive
         */
        public Builder idleTimeout(Duration timeout) {
            if (timeout.isNegative() || timeout.isZero()) {
                throw new IllegalArgumentException("A session's idle timeout must be positive, not " + timeout);
            }
            this.idleTimeout = timeout;
            return this;
        }

        /** Sets the clock that measures idle time, by differences of its instants alone. */
        public Builder clock(InstantSource source) {
            this.clock = Objects.requireNonNull(source, "clock");
            return this;
        }

        /** Returns the options. */
        public SessionOptions build() {
            return new SessionOptions(this);
        }
    }
}
