package org.diffindex.lab.bench.statistics;

import java.util.Optional;

/**
 * A plot of values of an experiment.
 *
 * @param name the name of its file, without the extension
 * @param title its title
 * @param x the value on the x-axis; empty if the x-axis lists the loads as categories
 * @param y the value on the y-axis
 */
public record Plot(String name, String title, Optional<Quantity> x, Quantity y) {
    /** Returns a plot with one line per contender, over a value. */
    public static Plot of(String name, String title, Quantity x, Quantity y) {
        return new Plot(name, title, Optional.of(x), y);
    }

    /** Returns a plot with the contenders side by side at each load. */
    public static Plot byLoad(String name, String title, Quantity y) {
        return new Plot(name, title, Optional.empty(), y);
    }

    /**
     * A value as an axis shows it.
     *
     * @param value the name of the value
     * @param label the label of the axis, with its unit
     * @param factor the factor that converts the value to the unit of the axis
     * @param logarithmic whether the axis is logarithmic
     */
    public record Quantity(String value, String label, double factor, boolean logarithmic) {
        /** Returns a value in its own unit on a linear axis. */
        public static Quantity linear(String value, String label) {
            return new Quantity(value, label, 1, false);
        }

        /** Returns a value in its own unit on a logarithmic axis. */
        public static Quantity log(String value, String label) {
            return new Quantity(value, label, 1, true);
        }

        /** Returns a value in microseconds, shown in milliseconds on a logarithmic axis. */
        public static Quantity millis(String value, String label) {
            return new Quantity(value, label, 1e-3, true);
        }
    }
}
