/**
 * The experiments, the tables that they use, and the clients that load them.
 *
 * <p>Imports the modules below the lab and, from the lab, {@code steps} and {@code bench.statistics}.
 */
package org.diffindex.lab.bench.experiments;
