/** The Diff-Index paper's {@code item} table and workload (section 8.1) for YCSB 0.17. */
package org.diffindex.ycsb;
