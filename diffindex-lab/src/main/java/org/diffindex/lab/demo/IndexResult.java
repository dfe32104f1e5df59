package org.diffindex.lab.demo;

import java.util.Optional;

/**
 * The measurements of the indexes of one table.
 *
 * @param getByIndexP50Us median time of a read of one row by exact values, in microseconds
 * @param readMs median time of a read by index of the rows that the full scan finds, in milliseconds
 * @param lag the staleness; empty for synchronous schemes
 * @param differences the differences from the table
 */
record IndexResult(double getByIndexP50Us, double readMs, Optional<Lag> lag, Differences differences) {}
