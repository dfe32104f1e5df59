package org.diffindex.lab.chaos;

import org.apache.hadoop.hbase.client.Row;

/**
 * What a client is about to do to one row.
 *
 * @param row the row
 * @param state what it will show
 * @param kind what it is called in the history
 * @param action what HBase is told
 */
record Change(RowHistory row, RowState state, String kind, Row action) {}
