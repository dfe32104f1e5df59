package org.diffindex.server;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
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
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.diffindex.model.IndexCell;

/** The coprocessor of an index table: refuses writes that do not come from the index itself. */
public final class IndexTableGuard implements RegionCoprocessor, RegionObserver {
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

    private static void requireIndexWriter(ObserverContext<RegionCoprocessorEnvironment> context, Mutation mutation)
            throws DoNotRetryIOException {
        if (mutation.getAttribute(IndexCell.WRITER_ATTRIBUTE) == null) {
            throw refused(context);
        }
    }

    private static DoNotRetryIOException refused(ObserverContext<RegionCoprocessorEnvironment> context) {
        return new DoNotRetryIOException("Write refused, nothing was written: "
                + context.getEnvironment().getRegionInfo().getTable()
                + " is the table of an index and is written by the index alone; write to the base table");
    }
}
