/**
 * The measurements of experiments and their summaries: contenders, cells, the measurements of their rounds, and the
 * spread of a value over rounds. All types are immutable values without I/O.
 *
 * <p>Imports the model only.
 */
package org.diffindex.lab.bench.statistics;
