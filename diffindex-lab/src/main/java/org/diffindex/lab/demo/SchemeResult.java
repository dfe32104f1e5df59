package org.diffindex.lab.demo;

import java.util.Optional;

/**
 * What was measured on one table.
 *
 * @param scheme the scheme's name, or {@code no index}
 * @param rows rows of the table
 * @param putP50Us median time of a put, microseconds
 * @param putP95Us time that 95 of 100 puts did not exceed, microseconds
 * @param putRatioP50 the median against that of the table without index
 * @param scanMs median time of a full scan with a filter, milliseconds
 * @param index what was measured on its indexes; empty if it has none
 */
record SchemeResult(
        String scheme,
        long rows,
        double putP50Us,
        double putP95Us,
        double putRatioP50,
        double scanMs,
        Optional<IndexResult> index) {}
