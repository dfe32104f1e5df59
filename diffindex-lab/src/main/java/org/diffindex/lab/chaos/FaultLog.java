package org.diffindex.lab.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The faults of a run, in the order of their ends. Safe for use by many threads. */
final class FaultLog {
    private final Consumer<FaultEvent> listener;
    private final List<FaultEvent> events = new ArrayList<>();

    /** Tells each fault to a listener. */
    FaultLog(Consumer<FaultEvent> listener) {
        this.listener = listener;
    }

    void add(FaultEvent event) {
        synchronized (this) {
            events.add(event);
        }
        listener.accept(event);
    }

    synchronized List<FaultEvent> all() {
        return List.copyOf(events);
    }

    /** Those that were going on, or were over for less than this, at that time of the run's clock. */
    synchronized List<FaultEvent> around(long time, long before) {
        return events.stream()
                .filter(event -> event.begin() <= time && event.end() >= time - before)
                .toList();
    }
}
