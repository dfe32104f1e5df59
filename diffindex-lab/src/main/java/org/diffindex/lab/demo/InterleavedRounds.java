package org.diffindex.lab.demo;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.diffindex.lab.steps.Rotation;

/**
 * Measures one operation on several tables, by one client, in short rounds in which the tables take turns, so that a
 * drift of the machine affects all of them. Each turn starts with the next table.
 *
 * @param warmUp the number of turns before the measured ones
 * @param turns the number of measured turns
 * @param length the number of operations per table and turn
 */
record InterleavedRounds(int warmUp, int turns, int length) {
    /** The operation on one table. */
    @FunctionalInterface
    interface Subject {
        /** Performs operation {@code n}, counted from 0, warm-up included. */
        void run(int n) throws IOException;

        /** Waits after a round, unmeasured, until none of its work can disturb the next round. */
        default void settle() throws IOException {}
    }

    /** Runs between the last turn of the warm-up and the first measured one. */
    @FunctionalInterface
    interface Warm {
        void run() throws IOException;
    }

    /** Returns the times of the measured operations, in nanoseconds. */
    Map<FlightTable, Histogram> measure(Map<FlightTable, ? extends Subject> subjects) throws IOException {
        return measure(subjects, () -> {});
    }

    /** Returns the times of the measured operations, in nanoseconds; runs {@code warm} before the first of them. */
    Map<FlightTable, Histogram> measure(Map<FlightTable, ? extends Subject> subjects, Warm warm) throws IOException {
        Map<FlightTable, Histogram> times = new LinkedHashMap<>();
        subjects.keySet().forEach(table -> times.put(table, new Histogram(3)));
        List<FlightTable> tables = List.copyOf(subjects.keySet());
        for (int turn = 0; turn < warmUp + turns; turn++) {
            if (turn == warmUp) {
                warm.run();
            }
            for (FlightTable table : Rotation.of(tables, turn)) {
                Histogram into = turn < warmUp ? new Histogram(3) : times.get(table);
                round(subjects.get(table), turn, into);
            }
        }
        return times;
    }

    private void round(Subject subject, int turn, Histogram into) throws IOException {
        for (int i = 0; i < length; i++) {
            long start = System.nanoTime();
            subject.run(turn * length + i);
            into.recordValue(System.nanoTime() - start);
        }
        subject.settle();
    }
}
