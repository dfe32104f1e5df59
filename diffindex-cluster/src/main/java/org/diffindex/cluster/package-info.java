/**
 * A real HBase cluster on this machine, every part an operating system process of its own; for tests, the lab and the
 * command line. {@link org.diffindex.cluster.LocalCluster} is the way in.
 *
 * <p>Imports HBase, HDFS, and of Diff-Index what it configures: {@code org.diffindex.client} and {@code
 * org.diffindex.server}. Imports nothing that prints or that parses a command line.
 */
package org.diffindex.cluster;
