package org.diffindex.lab.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;

/**
 * An axis from one number to another: where a value is on it, and which values are marked. Immutable.
 *
 * @param from the value at its begin
 * @param to the value at its end, which is larger
 * @param logarithmic whether equal ratios are equally long; then both ends are positive
 */
record Axis(double from, double to, boolean logarithmic) {
    private static final int MOST_TICKS = 7;

    /** From 0 to a round number above all values. */
    static Axis linear(DoubleStream values) {
        double most = values.max().orElse(1);
        double step = step(Math.max(most, 1e-9));
        return new Axis(0, Math.max(step, Math.ceil(most / step * (1 - 1e-12)) * step), false);
    }

    /** From a power of ten below all positive values to one above, or to 2 or 5 times one. */
    static Axis log(DoubleStream values) {
        double[] positive = values.filter(value -> value > 0).sorted().toArray();
        if (positive.length == 0) {
            return new Axis(0.1, 1, true);
        }
        double low = mark(positive[0], false);
        double high = mark(positive[positive.length - 1], true);
        return new Axis(low, high > low ? high : low * 10, true);
    }

    /** The next of 1, 2 and 5 times a power of ten, at or above or below a value. */
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

    /** A distance between ticks, 1, 2 or 5 times a power of ten, of which few fit into a length. */
    private static double step(double length) {
        double power = Math.pow(10, Math.floor(Math.log10(length / MOST_TICKS)));
        for (double factor : new double[] {1, 2, 5}) {
            if (length / (factor * power) <= MOST_TICKS) {
                return factor * power;
            }
        }
        return 10 * power;
    }

    /** Where a value is: 0 at the begin, 1 at the end; what lies outside is put to the nearer end. */
    double place(double value) {
        double share = logarithmic
                ? (Math.log(Math.max(value, from)) - Math.log(from)) / (Math.log(to) - Math.log(from))
                : (value - from) / (to - from);
        return Math.max(0, Math.min(1, share));
    }

    /** The values that are marked. */
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
