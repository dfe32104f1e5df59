package org.diffindex.server.maintain;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.PackagePrivateFieldAccessor;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexedColumn;

/**
 * Reads a region's own rows at an MVCC read point.
 *
 * <p>HBase gives every write a sequence number and shows a scanner the writes up to its read point; so the row before
 * and after a write is what HBase itself shows at the read points just below and at the number of that write, for every
 * kind of mutation, whatever its timestamps. The scanner is the region's own, past the access checks of the writer.
 */
public final class RegionRowReader implements RowReader {
    private final Region region;
    private final List<IndexedColumn> columns;

    public RegionRowReader(Region region, Collection<IndexDefinition> indexes) {
        this.region = region;
        this.columns = indexes.stream()
                .flatMap(index -> index.columns().stream())
                .distinct()
                .toList();
    }

    @Override
    public List<Cell> read(byte[] row, long sequence) throws IOException {
        if (sequence <= 0) {
            return List.of();
        }
        Scan scan = new Scan(new Get(row));
        for (IndexedColumn column : columns) {
            scan.addColumn(column.family(), column.qualifier());
        }
        PackagePrivateFieldAccessor.setMvccReadPoint(scan, sequence);
        List<Cell> cells = new ArrayList<>(columns.size());
        try (RegionScanner scanner = region.getScanner(scan)) {
            scanner.next(cells);
            cells.replaceAll(KeyValueUtil::copyToNewKeyValue);
        }
        return cells;
    }
}
