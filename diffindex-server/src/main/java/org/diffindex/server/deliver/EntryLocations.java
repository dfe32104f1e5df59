package org.diffindex.server.deliver;

import java.io.Closeable;
import java.io.IOException;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.diffindex.model.IndexKeyCodec;

/** Finds the regions of entries, with one locator for each index table. Confined to one thread. */
final class EntryLocations implements Closeable {
    private final IndexWriter.Connections connections;
    private final Map<TableName, RegionLocator> locators = new LinkedHashMap<>();

    EntryLocations(IndexWriter.Connections connections) {
        this.connections = connections;
    }

    /** Returns the location of the region that contains a key. */
    HRegionLocation of(TableName table, byte[] key) throws IOException {
        RegionLocator locator = locators.get(table);
        if (locator == null) {
            locator = connections.get().getRegionLocator(table);
            locators.put(table, locator);
        }
        int longest = IndexKeyCodec.maxKeyLength(table);
        return key.length <= longest ? locator.getRegionLocation(key) : ofTooLong(key, longest, locator);
    }

    /**
     * Finds the region of an entry that an earlier version wrote, whose key is too long for a lookup, from that of its
     * prefix on. HBase's client, which sends the update, then finds it among the regions that it knows.
     */
    private static HRegionLocation ofTooLong(byte[] key, int longest, RegionLocator locator) throws IOException {
        HRegionLocation location = locator.getRegionLocation(Arrays.copyOf(key, longest));
        while (!location.getRegion().containsRow(key)) {
            location = locator.getRegionLocation(location.getRegion().getEndKey());
        }
        return location;
    }

    @Override
    public void close() throws IOException {
        for (RegionLocator locator : locators.values()) {
            locator.close();
        }
    }
}
