package org.diffindex.lab.chaos;

import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

/** Counts what the clients of one scheme did. Thread-safe. */
final class Tally {
    private final Map<String, Map<Outcome, LongAdder>> writes = new ConcurrentHashMap<>();
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
    final LongAdder builds = new LongAdder();
    final LongAdder schemeChanges = new LongAdder();
    final LongAdder failedBuildSteps = new LongAdder();

    /** Counts a write of a kind, as {@link Change#kind} names it. */
    void write(String kind, Outcome outcome) {
        writes.computeIfAbsent(kind, any -> zeros()).get(outcome).increment();
    }

    private static Map<Outcome, LongAdder> zeros() {
        Map<Outcome, LongAdder> zeros = new EnumMap<>(Outcome.class);
        for (Outcome outcome : Outcome.values()) {
            zeros.put(outcome, new LongAdder());
        }
        return zeros;
    }

    /** Returns the kinds of the writes, in alphabetical order. */
    List<String> kinds() {
        return writes.keySet().stream().sorted().toList();
    }

    long writes(String kind, Outcome outcome) {
        return writes.getOrDefault(kind, zeros()).get(outcome).sum();
    }

    long writes(Outcome outcome) {
        return kinds().stream().mapToLong(kind -> writes(kind, outcome)).sum();
    }

    long writes(String kind) {
        return Stream.of(Outcome.values())
                .mapToLong(outcome -> writes(kind, outcome))
                .sum();
    }

    long writes() {
        return kinds().stream().mapToLong(this::writes).sum();
    }
}
