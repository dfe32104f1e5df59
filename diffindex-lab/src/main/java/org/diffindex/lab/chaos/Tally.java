package org.diffindex.lab.chaos;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts what the clients of one scheme did. Thread-safe. */
final class Tally {
    private final Map<Outcome, LongAdder> writes = new EnumMap<>(Outcome.class);
    final LongAdder reads = new LongAdder();
    final LongAdder sessionReads = new LongAdder();
    final LongAdder failedReads = new LongAdder();
    final LongAdder hits = new LongAdder();
    final LongAdder must = new LongAdder();
    final LongAdder moved = new LongAdder();
    final LongAdder unindexable = new LongAdder();
    final LongAdder rejected = new LongAdder();
    final LongAdder drains = new LongAdder();
    final LongAdder failedDrains = new LongAdder();

    Tally() {
        for (Outcome outcome : Outcome.values()) {
            writes.put(outcome, new LongAdder());
        }
    }

    void write(Outcome outcome) {
        writes.get(outcome).increment();
    }

    long writes(Outcome outcome) {
        return writes.get(outcome).sum();
    }

    long writes() {
        return writes.values().stream().mapToLong(LongAdder::sum).sum();
    }
}
