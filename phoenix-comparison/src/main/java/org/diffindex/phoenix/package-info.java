/**
 * Apache Phoenix's tables for {@code diffindex bench --against phoenix}. Only the Maven profile {@code phoenix} builds
 * this module, so that nothing else depends on Phoenix.
 *
 * <p>Imports, from Diff-Index, {@code lab.bench.rivals}, {@code lab.bench.statistics} and {@code ycsb}.
 */
package org.diffindex.phoenix;
