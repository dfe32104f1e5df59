package org.diffindex.client;

/**
 * The progress of a backfill. Immutable.
 *
 * @param rows base rows read so far that have a value in an indexed column
 * @param entries index entries written
 * @param leftOut rows with a value that the index cannot hold: it is undecodable, or its key would be too long
 * @param rowsRead all base rows read, including those without an indexed column; the start key of a region may count as
 *     one
 * @param regionsDone regions of the base table that are complete
 * @param regions regions of the base table when the backfill began
 */
public record BackfillProgress(long rows, long entries, long leftOut, long rowsRead, int regionsDone, int regions) {}
