/**
 * The {@code diffindex} command. {@link org.diffindex.cli.DiffIndex} lists its subcommands; each is a class of its own,
 * and {@link org.diffindex.cli.console.ClusterConnection} connects those that use HBase.
 *
 * <p>Imports every module; {@code bench}, {@code chaos} and {@code demo} are in {@code org.diffindex.lab}. No module
 * imports the command.
 */
package org.diffindex.cli;
