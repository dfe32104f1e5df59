/**
 * What the subcommands share: the inherited options, the connection to the cluster that they name, the progress bar, and
 * how a failure is printed.
 *
 * <p>Imports {@code org.diffindex.cluster}, and no subcommand.
 */
package org.diffindex.cli.console;
