/**
 * The output of commands: tables of text, and files that are replaced as a whole.
 *
 * <p>Imports no other package of Diff-Index.
 */
package org.diffindex.lab.output;
