package org.diffindex.tasks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.Arrays;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.RegionReplicaUtil;
import org.junit.jupiter.api.Test;

class RegionsTest {
    private static final ServerName SERVER = ServerName.valueOf("rs", 16020, 1);

    private final RegionInfo region =
            RegionInfoBuilder.newBuilder(TableName.valueOf("t")).build();

    /** So that the state of a region that is not open is known, too. */
    @Test
    void knowsARegionWithoutAServer() throws IOException {
        HRegionLocation closed = at(region, null);
        assertThat(Regions.of(locator(closed))).containsExactly(closed);
    }

    @Test
    void passesOverReplicasWithAndWithoutAServer() throws IOException {
        HRegionLocation open = at(region, SERVER);
        HRegionLocation replica = at(RegionReplicaUtil.getRegionInfoForReplica(region, 1), SERVER);
        assertThat(Regions.of(locator(open, replica, null))).containsExactly(open);
    }

    private static HRegionLocation at(RegionInfo region, ServerName server) {
        return new HRegionLocation(region, server);
    }

    private static RegionLocator locator(HRegionLocation... locations) throws IOException {
        RegionLocator locator = mock(RegionLocator.class);
        when(locator.getAllRegionLocations()).thenReturn(Arrays.asList(locations));
        return locator;
    }
}
