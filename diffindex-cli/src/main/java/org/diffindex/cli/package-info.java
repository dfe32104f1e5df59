/**
 * The {@code diffindex} command. {@link org.diffindex.cli.DiffIndex} holds the list of its subcommands; each is a class of
 * its own, and {@link org.diffindex.cli.console.ClusterConnection} brings one that talks to HBase its connection.
 *
 * <p>Imports every module; {@code bench}, {@code chaos} and {@code demo} are in {@code org.diffindex.lab}. No module imports
 * the command.
 */
package org.diffindex.cli;
