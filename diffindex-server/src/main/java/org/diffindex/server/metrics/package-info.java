/** Counts what the indexes of a server cost, and reports it with labels among HBase's metrics. */
package org.diffindex.server.metrics;
