/**
 * {@code diffindex bench}: runs the experiments of section 8 of the Diff-Index paper, and some beyond it, on a local
 * cluster of real processes, and compares their figures with the goals, or with those of another run.
 *
 * <p>Imports, from the lab, {@code bench.experiments}, {@code bench.statistics}, {@code bench.rivals}, {@code
 * bench.report}, {@code bench.compare}, {@code output} and {@code steps}; none of them imports this package.
 */
package org.diffindex.lab.bench;
