package org.diffindex.lab.chaos;

import org.apache.hadoop.hbase.client.Row;

/**
 * A write of one row that a client is about to send.
 *
 * @param row the row
 * @param state the row's state after the write
 * @param kind the name of the operation in the history
 * @param action the operation for HBase
 */
record Change(RowHistory row, RowState state, String kind, Row action) {}
