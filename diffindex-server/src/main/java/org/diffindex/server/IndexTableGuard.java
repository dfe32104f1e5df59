package org.diffindex.server;

import com.google.protobuf.Service;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CoprocessorEnvironment;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Append;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Increment;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.coprocessor.ObserverContext;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.coprocessor.RegionObserver;
import org.apache.hadoop.hbase.regionserver.InternalScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.Pair;
import org.apache.hadoop.hbase.wal.WALEdit;
import org.diffindex.model.IndexCell;
import org.diffindex.model.IndexDefinitions;

/**
 * The coprocessor of an index table: refuses writes that do not come from the index itself. Also those of an index of the
 * same name that was dropped before this one was made: a region server may still be trying to send them. Lets no server
 * answer reads that may have lost the region without knowing it.
 */
public final class IndexTableGuard implements RegionCoprocessor, RegionObserver {
    private volatile String index = "";
    private volatile SessionLease lease;
    private volatile Inspection inspection;

    @Override
    @SuppressWarnings("rawtypes") // as HBase declares it
    public void start(CoprocessorEnvironment env) {
        RegionCoprocessorEnvironment region = (RegionCoprocessorEnvironment) env;
        index = IndexDefinitions.indexIdOf(region.getRegion().getTableDescriptor());
        inspection = new Inspection(region.getServerName(), region.getConfiguration(), List.of());
        lease = PerServer.acquire(region, SessionLease.class, () -> SessionLease.of(region));
    }

    @Override
    @SuppressWarnings("rawtypes") // as HBase declares it
    public void stop(CoprocessorEnvironment env) {
        PerServer.release((RegionCoprocessorEnvironment) env, SessionLease.class);
    }

    @Override
    public Optional<RegionObserver> getRegionObserver() {
        return Optional.of(this);
    }

    @Override
    public Iterable<Service> getServices() {
        return Set.of(new InspectionEndpoint(() -> inspection));
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

    @Override
    public void postGetOp(ObserverContext<RegionCoprocessorEnvironment> context, Get get, List<Cell> result)
            throws IOException {
        lease.require(context.getEnvironment());
    }

    /** Here the client is sent to look for the region elsewhere; a scanner that is open is only reset, and comes here. */
    @Override
    public void preScannerOpen(ObserverContext<RegionCoprocessorEnvironment> context, Scan scan) throws IOException {
        lease.require(context.getEnvironment());
    }

    @Override
    public boolean postScannerNext(
            ObserverContext<RegionCoprocessorEnvironment> context,
            InternalScanner scanner,
            List<Result> results,
            int limit,
            boolean hasNext)
            throws IOException {
        lease.require(context.getEnvironment());
        return hasNext;
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
