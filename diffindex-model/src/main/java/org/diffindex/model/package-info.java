/**
 * The layer shared by client and server: index definitions, the encoding of index entries, the pure functions from a
 * base row to its index entries, and the exceptions and settings that both sides use.
 *
 * <p>Performs no I/O. Depends on no other Diff-Index package; of HBase it uses only value types: cells, descriptors,
 * mutations and results.
 */
package org.diffindex.model;
