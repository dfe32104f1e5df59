package org.diffindex.lab.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.diffindex.lab.chaos.Violation.Kind;
import org.diffindex.model.IndexScheme;

/** The violations of a run, each kind once per scheme, row and value. Thread-safe. */
final class Violations {
    /** The number of violations kept; further ones are only counted. */
    private static final int MOST = 1_000;

    private final Consumer<Violation> listener;
    private final Map<String, AtomicLong> seen = new TreeMap<>();
    private final List<Violation> first = new ArrayList<>();

    /** Creates an empty set that passes each new violation to a listener. */
    Violations(Consumer<Violation> listener) {
        this.listener = listener;
    }

    void add(Violation violation) {
        String key = violation.kind() + " " + violation.scheme() + " " + violation.row() + " " + violation.value();
        synchronized (this) {
            if (seen.computeIfAbsent(key, any -> new AtomicLong()).incrementAndGet() > 1) {
                return;
            }
            if (first.size() < MOST) {
                first.add(violation);
            }
        }
        listener.accept(violation);
    }

    /** Adds a violation that has no row. */
    void add(Kind kind, IndexScheme scheme, String what, long time, String detail) {
        add(new Violation(kind, scheme, "-", what, time, detail));
    }

    /** Returns the number of distinct violations. */
    synchronized int count() {
        return seen.size();
    }

    /** Returns the number of distinct violations of a kind. */
    synchronized long count(Kind kind) {
        return seen.keySet().stream().filter(key -> key.startsWith(kind + " ")).count();
    }

    /** Returns the first 1,000 distinct violations, in the order in which they were seen. */
    synchronized List<Violation> all() {
        return List.copyOf(first);
    }
}
