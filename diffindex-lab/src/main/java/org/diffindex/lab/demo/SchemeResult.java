package org.diffindex.lab.demo;

import java.util.Optional;

/**
 * The measurements of one table.
 *
 * @param scheme the scheme's name, or {@code no index}
 * @param rows the number of rows of the table
 * @param putP50Us the median time of a put, in microseconds
 * @param putP95Us the 95th percentile of the time of a put, in microseconds
 * @param putRatioP50 the ratio of the median to that of the table without an index
 * @param scanMs the median time of a filtered full scan, in milliseconds
 * @param index the measurements of its indexes; empty if it has none
 */
record SchemeResult(
        String scheme,
        long rows,
        double putP50Us,
        double putP95Us,
        double putRatioP50,
        double scanMs,
        Optional<IndexResult> index) {}
