/**
 * {@code diffindex load}: writes the rows of a CSV file to a table. Starts at {@link
 * org.diffindex.cli.load.LoadCommand}.
 *
 * <p>Imports {@code org.diffindex.cli.console} and {@code org.diffindex.model}.
 */
package org.diffindex.cli.load;
