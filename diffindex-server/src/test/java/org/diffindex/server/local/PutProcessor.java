package org.diffindex.server.local;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellScanner;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.regionserver.BaseRowProcessor;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.wal.WALEdit;

/** A row processor that makes a given put. */
public final class PutProcessor extends BaseRowProcessor<com.google.protobuf.Message, com.google.protobuf.Message> {
    private final Put put;

    public PutProcessor(Put put) {
        this.put = put;
    }

    @Override
    public Collection<byte[]> getRowsToLock() {
        return List.of(put.getRow());
    }

    @Override
    public com.google.protobuf.Message getResult() {
        return null;
    }

    @Override
    public com.google.protobuf.Message getRequestData() {
        return null;
    }

    @Override
    public void initialize(com.google.protobuf.Message message) {
        throw new UnsupportedOperationException("The put is given to the constructor");
    }

    @Override
    public boolean readOnly() {
        return false;
    }

    @Override
    public void process(long now, HRegion region, List<Mutation> mutations, WALEdit edit) throws IOException {
        mutations.add(put);
        for (CellScanner cells = put.cellScanner(); cells.advance(); ) {
            Cell cell = cells.current();
            edit.add(cell);
        }
    }
}
