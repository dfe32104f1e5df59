package org.diffindex.client;

/**
 * How far the filling of an index has come.
 *
 * @param rows base rows with a value in an indexed column
 * @param entries index entries written
 * @param leftOut rows with a value that the index cannot hold: undecodable, or too long a key
 * @param rowsRead all base rows read, those included that have no indexed column; the start key of a region may count as one
 * @param regionsDone regions of the base table that are filled
 * @param regions regions of the base table when the filling began
 */
public record FillProgress(long rows, long entries, long leftOut, long rowsRead, int regionsDone, int regions) {}
