/**
 * {@code diffindex bench}: the experiments of section 8 of the Diff-Index paper, and some beyond it, on a local cluster of
 * real processes; their figures beside the goals.
 *
 * <p>Imports the modules below the lab, and of the lab {@code output} and {@code steps}.
 */
package org.diffindex.lab.bench;
