package org.diffindex.lab.demo;

import java.util.Optional;

/**
 * What was measured on the indexes of one table.
 *
 * @param getByIndexP50Us median time to find one row by exact values, microseconds
 * @param readMs median time to read by index what the full scan reads, milliseconds
 * @param lag the staleness; empty for the synchronous schemes, which have none
 * @param differences what the comparison with the table found
 */
record IndexResult(double getByIndexP50Us, double readMs, Optional<Lag> lag, Differences differences) {}
