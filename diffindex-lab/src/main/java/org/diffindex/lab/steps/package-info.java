/**
 * How the steps of a run are taken: side by side, or in turns.
 *
 * <p>Imports nothing of Diff-Index.
 */
package org.diffindex.lab.steps;
