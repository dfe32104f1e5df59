/**
 * A real HBase cluster on this machine whose parts are operating system processes of their own; for tests, the lab and
 * the command line. Start with {@link org.diffindex.cluster.LocalCluster}.
 *
 * <p>Imports HBase, HDFS and {@code org.diffindex.client}, and nothing that prints or parses a command line. The
 * classes of the server are on the class path of the processes only.
 */
package org.diffindex.cluster;
