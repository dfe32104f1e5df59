/**
 * The common ground of client and server: what an index is, how its entries are encoded, the pure functions from a row to
 * its index entries, and the exceptions and settings that both sides share.
 *
 * <p>Performs no I/O. Imports nothing of Diff-Index, and of HBase only values: cells, descriptors, mutations, results.
 */
package org.diffindex.model;
