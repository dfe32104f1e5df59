package org.diffindex.client;

import java.io.IOException;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexNotReadableException;
import org.diffindex.tasks.Regions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The regions of an index table, as a reader by the index meets them. */
final class IndexTableRegions {
    private static final Logger LOG = LoggerFactory.getLogger(IndexTableRegions.class);

    private static final byte[] FIRST_KEY = {0};

    private IndexTableRegions() {}

    /**
     * Returns whether no region refuses readers because the index is BUILDING: the table's descriptor tells that the index
     * is ACTIVE before the regions are opened with it. True if the caller may not read the index, and so cannot find out.
     */
    static boolean areReadable(Connection connection, IndexDefinition index) throws IOException {
        try (RegionLocator locator = connection.getRegionLocator(index.indexTable());
                Table table = connection.getTable(index.indexTable())) {
            for (HRegionLocation location : Regions.of(locator)) {
                readOne(table, index, location.getRegion());
            }
            return true;
        } catch (IndexNotReadableException e) {
            LOG.debug("A region of {} is not open with the state ACTIVE yet", index.indexTable(), e);
            return false;
        } catch (AccessDeniedException e) {
            LOG.debug("This user may not read {}", index.indexTable(), e);
            return true;
        }
    }

    /** Looks for an entry at the start of a region. HBase's client would print the exception of a scanner that is refused. */
    private static void readOne(Table table, IndexDefinition index, RegionInfo region) throws IOException {
        byte[] row = region.getStartKey().length == 0 ? FIRST_KEY : region.getStartKey();
        Result unused = table.get(index.entryFormat().get(row));
    }
}
