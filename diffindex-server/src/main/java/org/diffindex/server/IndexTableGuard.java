package org.diffindex.server;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.diffindex.model.IndexCell;
import org.diffindex.model.IndexDefinitions;

/**
 * The coprocessor of an index table: refuses writes that do not come from the index itself. Also those of an index of the
 * same name that was dropped before this one was made: a region server may still be trying to send them.
 */
public final class IndexTableGuard implements RegionCoprocessor, RegionObserver {
    private volatile String index = "";

    @Override
    @SuppressWarnings("rawtypes") // as HBase declares it
    public void start(CoprocessorEnvironment env) {
        index = IndexDefinitions.indexIdOf(
                ((RegionCoprocessorEnvironment) env).getRegion().getTableDescriptor());
    }

    @Override
    public Optional<RegionObserver> getRegionObserver() {
        return Optional.of(this);
    }

    @Override
    public void prePut(ObserverContext<RegionCoprocessorEnvironment> context, Put put, WALEdit edit)
            throws IOException {
        requireIndexWriter(context, put);
    }

    @Override
    public void preDelete(ObserverContext<RegionCoprocessorEnvironment> context, Delete delete, WALEdit edit)
            throws IOException {
        requireIndexWriter(context, delete);
    }

    @Override
    public Result preIncrement(ObserverContext<RegionCoprocessorEnvironment> context, Increment increment, WALEdit edit)
            throws IOException {
        requireIndexWriter(context, increment);
        return null;
    }

    @Override
    public Result preAppend(ObserverContext<RegionCoprocessorEnvironment> context, Append append, WALEdit edit)
            throws IOException {
        requireIndexWriter(context, append);
        return null;
    }

    @Override
    public void preBulkLoadHFile(
            ObserverContext<RegionCoprocessorEnvironment> context, List<Pair<byte[], String>> familyPaths)
            throws IOException {
        throw refused(context);
    }

    private void requireIndexWriter(ObserverContext<RegionCoprocessorEnvironment> context, Mutation mutation)
            throws DoNotRetryIOException {
        byte[] writer = mutation.getAttribute(IndexCell.WRITER_ATTRIBUTE);
        if (writer == null) {
            throw refused(context);
        }
        if (writer.length > 0 && !Bytes.toString(writer).equals(index)) {
            throw new DoNotRetryIOException("Write refused, nothing was written: it is for an index that was dropped; "
                    + context.getEnvironment().getRegionInfo().getTable() + " is the table of a later one");
        }
    }

    private static DoNotRetryIOException refused(ObserverContext<RegionCoprocessorEnvironment> context) {
        return new DoNotRetryIOException("Write refused, nothing was written: "
                + context.getEnvironment().getRegionInfo().getTable()
                + " is the table of an index and is written by the index alone; write to the base table");
    }
}
