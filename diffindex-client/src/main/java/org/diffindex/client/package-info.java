/**
 * The client of Diff-Index: creates, drops and monitors global secondary indexes of HBase tables, and reads by them.
 * Needs only hbase-client.
 *
 * <p>Start with these classes:
 *
 * <ul>
 *   <li>{@link org.diffindex.client.DiffIndexAdmin} creates, drops, lists, drains and monitors indexes.
 *   <li>{@link org.diffindex.client.IndexedTable} reads by index. Writes go through HBase's own {@link
 *       org.apache.hadoop.hbase.client.Table}; the region servers maintain the indexes.
 *   <li>{@link org.diffindex.client.AsyncIndexedTable} reads by index without a thread that waits.
 *   <li>{@link org.diffindex.client.Session} writes and reads such that reads by async-session indexes see the
 *       session's own writes.
 * </ul>
 *
 * <pre>{@code
 * TableName name = TableName.valueOf("flights");
 * try (Connection connection = ConnectionFactory.createConnection(HBaseConfiguration.create());
 *         DiffIndexAdmin admin = new DiffIndexAdmin(connection);
 *         Table writes = connection.getTable(name);
 *         IndexedTable flights = new IndexedTable(connection, name)) {
 *     admin.createIndex(IndexDefinition.builder(name, "by_origin")
 *             .column("f", "origin", ColumnTypes.STRING)
 *             .scheme(IndexScheme.SYNC_FULL)
 *             .build());
 *     writes.put(new Put(Bytes.toBytes("AA1")).addColumn(F, ORIGIN, Bytes.toBytes("ORD")));
 *     try (IndexScanner hits = flights.getByIndex(IndexQuery.index("by_origin").equalTo("ORD").build())) {
 *         for (IndexHit hit : hits) {
 *             System.out.println(Bytes.toString(hit.row())); // AA1
 *         }
 *     }
 * }
 * }</pre>
 *
 * <p>The {@linkplain org.diffindex.model.IndexScheme scheme} of an index states what a read by it promises. Errors that
 * a retry cannot cure are {@link org.apache.hadoop.hbase.DoNotRetryIOException}s; their messages say what happened,
 * what is true now, and what to do. Each class states whether it is safe for use by many threads.
 *
 * <p>To compare an index with its base table, and to repair it, see {@link org.diffindex.verify.Scrubber}.
 */
package org.diffindex.client;
