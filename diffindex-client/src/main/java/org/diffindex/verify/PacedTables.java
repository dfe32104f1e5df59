package org.diffindex.verify;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Result;
import org.diffindex.tasks.KeyRange;
import org.diffindex.tasks.Pace;

/**
 * Limits how many rows of the tables are read per second by scans, lookups and repairs. Safe for use by many threads.
 */
final class PacedTables implements ScrubTables {
    private static final int MOST_TOGETHER = Place.PAGE;

    private final ScrubTables tables;
    private final Pace pace;
    private final int together;

    PacedTables(ScrubTables tables, Pace pace) {
        this.tables = tables;
        this.pace = pace;
        this.together = pace.together(MOST_TOGETHER);
    }

    @Override
    public List<ScrubRange> baseRanges() throws IOException {
        return tables.baseRanges();
    }

    @Override
    public List<ScrubRange> indexRanges() throws IOException {
        return tables.indexRanges();
    }

    @Override
    public KeyRange baseRegionOf(byte[] row) throws IOException {
        return tables.baseRegionOf(row);
    }

    @Override
    public void scanBase(ScrubRange range, Rows rows) throws IOException {
        Counted counted = new Counted(rows);
        tables.scanBase(range, counted);
        counted.end();
    }

    @Override
    public void scanIndex(ScrubRange range, Rows rows) throws IOException {
        Counted counted = new Counted(rows);
        tables.scanIndex(range, counted);
        counted.end();
    }

    @Override
    public int rowsOfALook() {
        return Math.min(together, tables.rowsOfALook());
    }

    @Override
    public ScrubTables afterWaitFor(int rows) throws IOException {
        pace.await(rows);
        return tables;
    }

    @Override
    public Result[] baseRows(List<byte[]> rows) throws IOException {
        return inParts(rows, tables::baseRows);
    }

    @Override
    public Result[] indexRows(List<byte[]> keys) throws IOException {
        return inParts(keys, tables::indexRows);
    }

    /** Looks up rows by key. */
    @FunctionalInterface
    private interface PointReads {
        Result[] of(List<byte[]> places) throws IOException;
    }

    private Result[] inParts(List<byte[]> places, PointReads reads) throws IOException {
        List<Result> results = new ArrayList<>(places.size());
        for (List<byte[]> part : Place.pages(places, together)) {
            pace.await(part.size());
            Collections.addAll(results, reads.of(part));
        }
        return results.toArray(Result[]::new);
    }

    @Override
    public long[] latestStamps(List<byte[]> rows) throws IOException {
        return tables.latestStamps(rows);
    }

    @Override
    public long drain(Duration timeout) throws IOException {
        return tables.drain(timeout);
    }

    /** Counts each repair as a row, because the server reads it. */
    @Override
    public void repair(List<RowRepair> repairs) throws IOException {
        for (List<RowRepair> part : Place.pages(repairs, together)) {
            pace.await(part.size());
            tables.repair(part);
        }
    }

    @Override
    public void delete(List<Delete> deletes) throws IOException {
        tables.delete(deletes);
    }

    /** Counts the rows of a scan. */
    private final class Counted implements Rows {
        private final Rows rows;
        private int uncounted;

        Counted(Rows rows) {
            this.rows = rows;
        }

        @Override
        public void next(Result row) throws IOException {
            if (++uncounted == together) {
                end();
            }
            rows.next(row);
        }

        /** Waits for the rows counted since the last wait. */
        void end() throws IOException {
            if (uncounted > 0) {
                pace.await(uncounted);
                uncounted = 0;
            }
        }
    }
}
