/**
 * The conclusions of a run and their presentation: the goals, the cost model, and the report as HTML, SVG, JSON and
 * text.
 *
 * <p>Imports, from the lab, {@code output}, {@code bench.statistics}, {@code bench.rivals} and {@code
 * bench.experiments}; from the modules
 * below it, the model and constants of the server that the cost model uses.
 */
package org.diffindex.lab.bench.report;
