/**
 * Compares indexes with their base tables while writers continue, and repairs differences. Needs only hbase-client.
 *
 * <p>Start with {@link org.diffindex.verify.Scrubber#scrub}, which takes {@link org.diffindex.verify.ScrubOptions} and
 * returns a {@link org.diffindex.verify.ScrubReport}; {@link org.diffindex.verify.Difference} names the ways in which
 * an index may differ. For tables that are not being written there is {@link org.diffindex.verify.IndexComparison}:
 *
 * <pre>{@code
 * IndexDefinition index = admin.describeIndex(TableName.valueOf("flights"), "by_origin");
 * ScrubReport report = IndexComparison.compare(connection, index);
 * if (!report.isClean()) {
 *     report.samples().forEach(System.out::println);
 * }
 * }</pre>
 */
package org.diffindex.verify;
