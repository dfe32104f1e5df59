package org.diffindex.server;

import java.io.IOException;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.server.deliver.CallListener;
import org.diffindex.server.trace.Spans;

/**
 * Gives each call to an index table a span, which belongs to that of the write or delivery that makes it; no span if
 * that has none. The spans of HBase's client belong to the call. Thread-safe.
 *
 * @param next is told of the calls too
 */
record TracedCalls(CallListener next) implements CallListener {
    @Override
    public Ending begins(TableName indexTable, int updates) {
        return next.begins(indexTable, updates);
    }

    @Override
    public void during(TableName indexTable, int updates, Body call) throws IOException {
        Spans.within(
                "DiffIndex.call",
                span -> span.setAttribute("db.hbase.table", indexTable.getNameAsString())
                        .setAttribute("diffindex.updates", updates),
                () -> next.during(indexTable, updates, call));
    }
}
