/**
 * Regions, tables and servers inside one JVM, on HBase's own {@code HRegion}, with index tables in memory: what tests of the
 * coprocessors run on.
 */
package org.diffindex.server.local;
