/**
 * A real HBase cluster on this machine, every part an operating system process of its own. {@link
 * org.diffindex.cli.cluster.LocalCluster} is the way in.
 */
package org.diffindex.cli.cluster;
