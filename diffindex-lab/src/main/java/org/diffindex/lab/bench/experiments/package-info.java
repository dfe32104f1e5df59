/**
 * The experiments, the tables that they use, and the clients that load them.
 *
 * <p>Imports the modules below the lab and, from the lab, {@code steps}, {@code bench.statistics} and {@code
 * bench.rivals}.
 */
package org.diffindex.lab.bench.experiments;
