package org.diffindex.server.sim;

import org.apache.hadoop.hbase.KeepDeletedCells;
import org.apache.hadoop.hbase.regionserver.ScanOptions;

/** How much of the history a flush or compaction keeps, as the coprocessor may change it. */
final class Retention implements ScanOptions {
    private int maxVersions = 1;
    private KeepDeletedCells keepDeleted = KeepDeletedCells.FALSE;

    boolean keepsAll() {
        return maxVersions == Integer.MAX_VALUE && keepDeleted == KeepDeletedCells.TRUE;
    }

    @Override
    public int getMaxVersions() {
        return maxVersions;
    }

    @Override
    public void setMaxVersions(int versions) {
        maxVersions = versions;
    }

    @Override
    public KeepDeletedCells getKeepDeletedCells() {
        return keepDeleted;
    }

    @Override
    public void setKeepDeletedCells(KeepDeletedCells keep) {
        keepDeleted = keep;
    }

    @Override
    public long getTTL() {
        return Long.MAX_VALUE;
    }

    @Override
    public void setTTL(long ttl) {
        throw new UnsupportedOperationException();
    }

    @Override
    public int getMinVersions() {
        return 0;
    }

    @Override
    public void setMinVersions(int versions) {
        throw new UnsupportedOperationException();
    }

    @Override
    public long getTimeToPurgeDeletes() {
        return 0;
    }

    @Override
    public void setTimeToPurgeDeletes(long time) {
        throw new UnsupportedOperationException();
    }

    @Override
    public org.apache.hadoop.hbase.client.Scan getScan() {
        throw new UnsupportedOperationException();
    }
}
