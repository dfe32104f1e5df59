/**
 * {@code diffindex bench}: the experiments of section 8 of the Diff-Index paper, and some beyond it, on a local cluster of
 * real processes; their figures beside the goals.
 */
package org.diffindex.cli.bench;
