package org.diffindex.mapreduce;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.mapreduce.InputSplit;
import org.diffindex.tasks.KeyRange;
import org.diffindex.tasks.Regions;

/**
 * The part of a task: rows of a table, all of one region when the job was divided, and the host of that region, which is a
 * hint only. Hadoop creates it empty and reads its fields.
 */
final class RangeSplit extends InputSplit implements Writable {
    private TableName table;
    private KeyRange range;
    private String host;

    /** Creates a split to be read into. */
    RangeSplit() {}

    RangeSplit(TableName table, KeyRange range, String host) {
        this.table = table;
        this.range = range;
        this.host = host;
    }

    /**
     * Divides ranges of a table where its regions start.
     *
     * @param ranges ranges that do not overlap
     */
    static List<RangeSplit> of(Connection connection, TableName table, List<KeyRange> ranges) throws IOException {
        NavigableMap<byte[], String> hosts = new TreeMap<>(Bytes.BYTES_COMPARATOR);
        hosts.put(HConstants.EMPTY_START_ROW, "");
        try (RegionLocator locator = connection.getRegionLocator(table)) {
            for (HRegionLocation region : Regions.of(locator)) {
                String host = region.getServerName() == null ? "" : region.getHostname();
                hosts.put(region.getRegion().getStartKey(), host);
            }
        }
        List<RangeSplit> splits = new ArrayList<>();
        for (KeyRange range : ranges) {
            splits.addAll(divided(table, range, hosts));
        }
        return splits;
    }

    private static List<RangeSplit> divided(TableName table, KeyRange range, NavigableMap<byte[], String> hosts) {
        List<RangeSplit> splits = new ArrayList<>();
        byte[] start = range.start();
        for (byte[] next : hosts.navigableKeySet().tailSet(start, false)) {
            if (range.endsBy(next)) {
                break;
            }
            splits.add(new RangeSplit(
                    table, new KeyRange(start, next), hosts.floorEntry(start).getValue()));
            start = next;
        }
        String host = hosts.floorEntry(start).getValue();
        splits.add(new RangeSplit(table, new KeyRange(start, range.end()), host));
        return splits;
    }

    TableName table() {
        return table;
    }

    KeyRange range() {
        return range;
    }

    /** Returns 0: how many bytes a range has is not known, and the order of the tasks does not matter. */
    @Override
    public long getLength() {
        return 0;
    }

    @Override
    public String[] getLocations() {
        return host.isEmpty() ? new String[0] : new String[] {host};
    }

    @Override
    public void write(DataOutput out) throws IOException {
        Bytes.writeByteArray(out, table.getName());
        Bytes.writeByteArray(out, range.start());
        Bytes.writeByteArray(out, range.end());
        out.writeUTF(host);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
        table = TableName.valueOf(Bytes.readByteArray(in));
        range = new KeyRange(Bytes.readByteArray(in), Bytes.readByteArray(in));
        host = in.readUTF();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RangeSplit split
                && table.equals(split.table)
                && Arrays.equals(range.start(), split.range.start())
                && Arrays.equals(range.end(), split.range.end());
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(range.start());
    }

    @Override
    public String toString() {
        return table + " " + range;
    }
}
