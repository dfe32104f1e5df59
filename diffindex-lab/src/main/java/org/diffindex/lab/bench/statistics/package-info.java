/**
 * The measurements of experiments and their summaries: contenders, cells, the measurements of their rounds, and the spread of a
 * value over rounds. Pure; immutable values.
 *
 * <p>Imports the model only.
 */
package org.diffindex.lab.bench.statistics;
