package org.diffindex.lab.chaos;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** The reads in flight; the history that they need is kept. Thread-safe. */
final class ReadPins {
    private final LongSupplier clock;
    private final Map<Object, Long> begins = new ConcurrentHashMap<>();

    ReadPins(LongSupplier clock) {
        this.clock = clock;
    }

    /** Registers a read, which must take its start time from the clock after this call returns. */
    Object pin() {
        Object pin = new Object();
        begins.put(pin, clock.getAsLong());
        return pin;
    }

    void unpin(Object pin) {
        begins.remove(pin);
    }

    /** Returns a lower bound of the start times of all reads, in flight and future. */
    long oldest() {
        long oldest = clock.getAsLong(); // taken before looking at the pins: a read that pins later starts later
        for (long begin : begins.values()) {
            oldest = Math.min(oldest, begin);
        }
        return oldest;
    }
}
