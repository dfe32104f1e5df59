package org.diffindex.lab.bench;

import java.util.Optional;

/**
 * Which values of an experiment a plot shows.
 *
 * @param name the name of its file, without ending
 * @param title what it shows
 * @param x the value along the x-axis; empty if that has the loads, each in its place
 * @param y the value along the y-axis
 */
record Plot(String name, String title, Optional<Quantity> x, Quantity y) {
    /** One line for each contender, over a value. */
    static Plot of(String name, String title, Quantity x, Quantity y) {
        return new Plot(name, title, Optional.of(x), y);
    }

    /** The contenders beside each other, at each load. */
    static Plot byLoad(String name, String title, Quantity y) {
        return new Plot(name, title, Optional.empty(), y);
    }

    /**
     * A value as an axis shows it.
     *
     * @param value the name of the value
     * @param label what it is, with its unit
     * @param factor what to multiply the value by to have that unit
     * @param logarithmic whether equal ratios are equally long
     */
    record Quantity(String value, String label, double factor, boolean logarithmic) {
        static Quantity linear(String value, String label) {
            return new Quantity(value, label, 1, false);
        }

        static Quantity log(String value, String label) {
            return new Quantity(value, label, 1, true);
        }

        /** Microseconds as milliseconds, on a logarithmic axis. */
        static Quantity millis(String value, String label) {
            return new Quantity(value, label, 1e-3, true);
        }
    }
}
