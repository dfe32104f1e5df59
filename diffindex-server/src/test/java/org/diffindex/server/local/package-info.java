/**
 * Regions, tables and servers inside one JVM, on HBase's own {@code HRegion}, with index tables in memory, for tests of
 * the coprocessors.
 */
package org.diffindex.server.local;
