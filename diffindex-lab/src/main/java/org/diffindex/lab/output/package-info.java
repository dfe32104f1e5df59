/**
 * The output of commands: tables of text, and files that are replaced as a whole.
 *
 * <p>Imports nothing of Diff-Index.
 */
package org.diffindex.lab.output;
