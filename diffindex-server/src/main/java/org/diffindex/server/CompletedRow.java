package org.diffindex.server;

import java.util.List;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.maintain.RowImages;

/**
 * The change of a row in a batch.
 *
 * @param images the row before and after the change, read together with the batch's other rows
 * @param earlier the earlier changes of the row whose synchronous index updates are still in flight
 */
record CompletedRow(RowChange change, RowImages images, List<RowChange> earlier) {}
