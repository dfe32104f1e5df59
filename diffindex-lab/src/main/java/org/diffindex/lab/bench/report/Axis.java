package org.diffindex.lab.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * An axis of a plot: the position of a value, and the ticks. Immutable.
 *
 * @param from the value at its start
 * @param to the value at its end; larger than {@code from}
 * @param logarithmic whether it is logarithmic; then both ends are positive
 */
record Axis(double from, double to, boolean logarithmic) {
    private static final int MOST_TICKS = 7;

    /** Returns an axis from 0 to a round number that no value exceeds. */
    static Axis linear(DoubleStream values) {
        double most = values.max().orElse(1);
        double step = step(Math.max(most, 1e-9));
        return new Axis(0, Math.max(step, Math.ceil(most / step * (1 - 1e-12)) * step), false);
    }

    /** Returns an axis between numbers of the form 1, 2 or 5 times a power of ten that enclose all positive values. */
    static Axis log(DoubleStream values) {
        double[] positive = values.filter(value -> value > 0).sorted().toArray();
        if (positive.length == 0) {
            return new Axis(0.1, 1, true);
        }
        double low = mark(positive[0], false);
        double high = mark(positive[positive.length - 1], true);
        return new Axis(low, high > low ? high : low * 10, true);
    }

    /**
     * Returns the nearest number of the form 1, 2 or 5 times a power of ten, at or above a value, or at or below it.
     */
    private static double mark(double value, boolean above) {
        double power = Math.pow(10, Math.floor(Math.log10(value)));
        double found = above ? power * 10 : power;
        for (double factor : new double[] {1, 2, 5}) {
            double mark = factor * power;
            if (above ? mark >= value && mark < found : mark <= value && mark > found) {
                found = mark;
            }
        }
        return found;
    }

    /**
     * Returns the distance between ticks on an axis of that length: 1, 2 or 5 times a power of ten, for 7 steps at
     * most.
     */
    private static double step(double length) {
        double power = Math.pow(10, Math.floor(Math.log10(length / MOST_TICKS)));
        for (double factor : new double[] {1, 2, 5}) {
            if (length / (factor * power) <= MOST_TICKS) {
                return factor * power;
            }
        }
        return 10 * power;
    }

    /** Returns the position of a value: 0 at the start, 1 at the end; values outside are clamped. */
    double place(double value) {
        double share = logarithmic
                ? (Math.log(Math.max(value, from)) - Math.log(from)) / (Math.log(to) - Math.log(from))
                : (value - from) / (to - from);
        return Math.max(0, Math.min(1, share));
    }

    /** Returns the ticks, in ascending order. */
    List<Double> ticks() {
        List<Double> ticks = new ArrayList<>();
        if (!logarithmic) {
            double step = step(to - from);
            for (int i = 0; from + i * step <= to * (1 + 1e-9); i++) {
                ticks.add(from + i * step);
            }
            return ticks;
        }
        boolean fine = to / from <= 1_000;
        for (double power = Math.pow(10, Math.floor(Math.log10(from) + 1e-9)); power <= to * (1 + 1e-9); power *= 10) {
            for (double factor : fine ? new double[] {1, 2, 5} : new double[] {1}) {
                double tick = factor * power;
                if (tick >= from * (1 - 1e-9) && tick <= to * (1 + 1e-9)) {
                    ticks.add(tick);
                }
            }
        }
        return ticks;
    }
}
