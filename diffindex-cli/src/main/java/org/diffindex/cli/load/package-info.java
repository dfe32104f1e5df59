/**
 * {@code diffindex load}: writes the rows of a CSV file into a table. {@link org.diffindex.cli.load.LoadCommand} is the way
 * in.
 *
 * <p>Imports {@code org.diffindex.cli.console} and {@code org.diffindex.model}.
 */
package org.diffindex.cli.load;
