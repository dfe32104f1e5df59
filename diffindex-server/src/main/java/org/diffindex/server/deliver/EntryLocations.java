package org.diffindex.server.deliver;

import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.ClusterConnection;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.NoServerForRegionException;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.RegionOfflineException;
import org.diffindex.model.IndexKeyCodec;

/**
 * Finds the regions of entries. A region server's connection makes one attempt each time: the attempts of a {@link
 * RegionLocator} together, as many as a call has, could take many times as long as a write may. Confined to one thread.
 */
final class EntryLocations implements Closeable {
    private final Connection connection;

    /** The locators of a connection of another kind, by index table. */
    private final Map<TableName, RegionLocator> locators = new LinkedHashMap<>(0);

    EntryLocations(Connection connection) {
        this.connection = connection;
    }

    /** Returns the location of the region that contains a key. */
    HRegionLocation of(TableName table, byte[] key) throws IOException {
        int longest = IndexKeyCodec.maxKeyLength(table);
        return key.length <= longest ? locate(table, key) : ofTooLong(table, key, longest);
    }

    /**
     * Finds the region of an entry that an earlier version wrote, whose key is too long for a lookup, from that of its
     * prefix on. HBase's client, which sends the update, then finds it among the regions that it knows.
     */
    private HRegionLocation ofTooLong(TableName table, byte[] key, int longest) throws IOException {
        HRegionLocation location = locate(table, Arrays.copyOf(key, longest));
        while (!location.getRegion().containsRow(key)) {
            location = locate(table, location.getRegion().getEndKey());
        }
        return location;
    }

    private HRegionLocation locate(TableName table, byte[] key) throws IOException {
        if (connection instanceof ClusterConnection cluster) {
            return cluster.locateRegion(table, key, true, false).getRegionLocation();
        }
        RegionLocator locator = locators.get(table);
        if (locator == null) {
            locator = connection.getRegionLocator(table);
            locators.put(table, locator);
        }
        return locator.getRegionLocation(key);
    }

    /** Looks up where hbase:meta is, unless a lookup failed for another reason, as HBase does between its attempts. */
    void refreshAfter(IOException failure) throws IOException {
        boolean metaAnswered =
                failure instanceof RegionOfflineException || failure instanceof NoServerForRegionException;
        if (!metaAnswered && connection instanceof ClusterConnection cluster) {
            cluster.relocateRegion(TableName.META_TABLE_NAME, HConstants.EMPTY_START_ROW);
        }
    }

    @Override
    public void close() throws IOException {
        for (RegionLocator locator : locators.values()) {
            locator.close();
        }
    }
}
