/**
 * The {@code diffindex} command. {@link org.diffindex.cli.DiffIndex} holds the list of its subcommands; each is a class of
 * its own, and {@link org.diffindex.cli.ClusterConnection} brings one that talks to HBase its connection.
 */
package org.diffindex.cli;
