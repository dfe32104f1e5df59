package org.diffindex.server.deliver;

import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;
import static org.mockito.Mockito.withSettings;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.mockito.MockMakers;

/**
 * Region servers among which every table's regions are dealt out, as the network sees them: a batch is an RPC to each server
 * that has one of its rows, as HBase's client makes it. Rows begin with 8 bytes, by which the regions divide them evenly.
 * Safe for use by many threads.
 */
final class SimulatedServers {
    private final List<ServerName> servers;
    private final int regionsOfEach;

    /** Guarded by this. */
    private int rpcs;

    /** Guarded by this. */
    private final List<Mutation> received = new ArrayList<>();

    SimulatedServers(int servers, int regionsOfEach) {
        this.servers = IntStream.range(0, servers)
                .mapToObj(i -> ServerName.valueOf("rs" + i, 16020, 1))
                .toList();
        this.regionsOfEach = regionsOfEach;
    }

    /** A mock that is gone when nothing refers to it. */
    private static <T> T stub(Class<T> type) {
        return mock(type, withSettings().stubOnly().mockMaker(MockMakers.PROXY));
    }

    /** A connection to them. */
    Connection connection() throws IOException {
        Connection connection = stub(Connection.class);
        when(connection.getRegionLocator(any())).thenAnswer(call -> locator(call.getArgument(0)));
        when(connection.getTable(any(), any())).thenAnswer(call -> table(call.getArgument(0)));
        return connection;
    }

    private RegionLocator locator(TableName table) throws IOException {
        RegionLocator locator = stub(RegionLocator.class);
        when(locator.getRegionLocation(any())).thenAnswer(call -> {
            int region = region(call.getArgument(0));
            return new HRegionLocation(
                    RegionInfoBuilder.newBuilder(table).setRegionId(region).build(), serverOf(table, region));
        });
        return locator;
    }

    private int region(byte[] row) {
        // The upper 32 bits tell, as a share of all that they can be.
        return (int) ((Bytes.toLong(row) >>> Integer.SIZE) * servers.size() * regionsOfEach >>> Integer.SIZE);
    }

    /** Each table begins at another server. */
    private ServerName serverOf(TableName table, int region) {
        return servers.get(Math.floorMod(region + table.hashCode(), servers.size()));
    }

    private Table table(TableName name) throws IOException {
        Table table = stub(Table.class);
        try {
            doAnswer(call -> {
                        receive(name, call.getArgument(0));
                        return null;
                    })
                    .when(table)
                    .batch(anyList(), any());
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        return table;
    }

    private synchronized void receive(TableName table, List<? extends Row> rows) {
        rpcs += (int) rows.stream()
                .map(row -> serverOf(table, region(row.getRow())))
                .distinct()
                .count();
        rows.forEach(row -> received.add((Mutation) row));
    }

    /** How many RPCs they had. */
    synchronized int rpcs() {
        return rpcs;
    }

    /** What came with them. */
    synchronized List<Mutation> received() {
        return List.copyOf(received);
    }
}
