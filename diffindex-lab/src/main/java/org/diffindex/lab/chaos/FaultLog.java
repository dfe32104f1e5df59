package org.diffindex.lab.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** The faults of a run, ordered by their ends. Thread-safe. */
final class FaultLog {
    private final Consumer<FaultEvent> listener;
    private final List<FaultEvent> events = new ArrayList<>();

    /** Creates an empty log that passes each added fault to a listener. */
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

    /**
     * Returns the faults that were active at a time of the run's clock, or that had ended at most {@code before}
     * nanoseconds earlier.
     */
    synchronized List<FaultEvent> around(long time, long before) {
        return events.stream()
                .filter(event -> event.begin() <= time && event.end() >= time - before)
                .toList();
    }
}
