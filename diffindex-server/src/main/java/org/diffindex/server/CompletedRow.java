package org.diffindex.server;

import java.util.List;
import org.diffindex.server.maintain.RowChange;
import org.diffindex.server.maintain.RowImages;

/**
 * The change of a row in a batch.
 *
 * @param images read with those of the batch's other rows
 * @param earlier the changes of the row before it of which the synchronous indexes have not heard yet
 */
record CompletedRow(RowChange change, RowImages images, List<RowChange> earlier) {}
