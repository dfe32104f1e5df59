/**
 * The interfaces through which {@code diffindex bench --against} measures the tables of another system. Modules outside
 * of the ordinary build implement them.
 *
 * <p>Imports, from the lab, {@code bench.statistics} only.
 */
package org.diffindex.lab.bench.rivals;
