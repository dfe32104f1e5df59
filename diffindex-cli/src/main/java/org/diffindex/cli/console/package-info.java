/**
 * The parts that subcommands share: the inherited options, the connection to the cluster, the progress bar, and the
 * output of failures.
 *
 * <p>Imports {@code org.diffindex.cluster}, and no subcommand.
 */
package org.diffindex.cli.console;
