package org.diffindex.server;

import io.opentelemetry.api.trace.Span;
import java.io.IOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.trace.TraceUtil;
import org.diffindex.server.deliver.CallListener;

/**
 * Gives each call to an index table a span, which belongs to that of the write or delivery that makes it. The spans of
 * HBase's client belong to the call. Thread-safe.
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
        TraceUtil.<IOException>trace(() -> next.during(indexTable, updates, call), () -> spanOf(indexTable, updates));
    }

    private static Span spanOf(TableName indexTable, int updates) {
        return TraceUtil.createSpan("DiffIndex.call")
                .setAttribute("db.hbase.table", indexTable.getNameAsString())
                .setAttribute("diffindex.updates", updates);
    }
}
