/**
 * A real HBase cluster on this machine, every part an operating system process of its own; for tests, the lab and the
 * command line. {@link org.diffindex.cluster.LocalCluster} is the way in.
 *
 * <p>Imports HBase, HDFS and {@code org.diffindex.client}, nothing that prints or parses a command line. The classes of the
 * server are on the class path of the processes.
 */
package org.diffindex.cluster;
