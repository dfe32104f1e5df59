package org.diffindex.lab.chaos;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** The reads under way, so that no history is forgotten that one of them needs. Safe for use by many threads. */
final class ReadPins {
    private final LongSupplier clock;
    private final Map<Object, Long> begins = new ConcurrentHashMap<>();

    ReadPins(LongSupplier clock) {
        this.clock = clock;
    }

    /** Registers a read. It begins later than this call returns: its begin is to be taken from the clock after it. */
    Object pin() {
        Object pin = new Object();
        begins.put(pin, clock.getAsLong());
        return pin;
    }

    void unpin(Object pin) {
        begins.remove(pin);
    }

    /** No read under way, and none that will begin, began before this time. */
    long oldest() {
        long oldest = clock.getAsLong(); // before the pins are looked at: who pins later begins later
        for (long begin : begins.values()) {
            oldest = Math.min(oldest, begin);
        }
        return oldest;
    }
}
