package org.diffindex.client;

import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Objects;

/** The limits of a {@link Session}. Immutable; {@link #DEFAULT} or {@link #builder}. */
public final class SessionOptions {
    /** 16 MiB, 30 minutes (paper, section 5.2), the system's clock. */
    public static final SessionOptions DEFAULT = builder().build();

    private final long maxBytes;
    private final Duration idleTimeout;
    private final InstantSource clock;

    private SessionOptions(Builder builder) {
        this.maxBytes = builder.maxBytes;
        this.idleTimeout = builder.idleTimeout;
        this.clock = builder.clock;
    }

    public static Builder builder() {
        return new Builder();
    }

    /** The most memory, in bytes, that a session's own changes may take, those too that only its open scanners show. */
    public long maxBytes() {
        return maxBytes;
    }

    /** How long a session may go unused before it expires. */
    public Duration idleTimeout() {
        return idleTimeout;
    }

    InstantSource clock() {
        return clock;
    }

    /** Gathers {@link SessionOptions}. Not safe for use by many threads. */
    public static final class Builder {
        private long maxBytes = 16L << 20;
        private Duration idleTimeout = Duration.ofMinutes(30);
        private InstantSource clock = Clock.systemUTC();

        private Builder() {}

        /**
         * The most memory, in bytes, that the session's own changes may take. A change takes about 320 bytes and its row and
         * index key; a put that leaves out a column of variable length of an index is refused unless there is room for the
         * longest key that HBase takes, 32,767 bytes.
         *
         * @throws IllegalArgumentException if it is not positive
         */
        public Builder maxBytes(long bytes) {
            if (bytes <= 0) {
                throw new IllegalArgumentException("A session needs room for its changes, not " + bytes + " bytes");
            }
            this.maxBytes = bytes;
            return this;
        }

        /**
         * How long the session may go unused.
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

        /** The clock by which idleness is measured. */
        public Builder clock(InstantSource source) {
            this.clock = Objects.requireNonNull(source, "clock");
            return this;
        }

        public SessionOptions build() {
            return new SessionOptions(this);
        }
    }
}
