/**
 * The comparison of two reports: what changed between two runs beyond the spread of their rounds.
 *
 * <p>Imports, from the lab, {@code output} and {@code bench.statistics}.
 */
package org.diffindex.lab.bench.compare;
