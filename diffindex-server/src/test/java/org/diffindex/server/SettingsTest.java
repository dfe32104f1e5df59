package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.coprocessor.ReadOnlyConfiguration;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.regionserver.RegionServerServices;
import org.junit.jupiter.api.Test;

class SettingsTest {
    @Test
    void boundsTheLingerOfABatch() {
        Configuration conf = new Configuration(false);
        assertThat(new Settings(conf).lingerMs()).isEqualTo(10);
        conf.setLong(Settings.LINGER_MS, -1);
        assertThat(new Settings(conf).lingerMs()).isZero();
        conf.setLong(Settings.LINGER_MS, Long.MAX_VALUE);
        assertThat(new Settings(conf).lingerMs()).isEqualTo(60_000);
    }

    /** HBase gives a coprocessor a view of its server's configuration, of which a plain copy is empty. */
    @Test
    void theConnectionToIndexTablesUsesTheServersConfiguration() {
        Configuration ofTheServer = new Configuration(false);
        ofTheServer.set("hbase.rpc.protection", "privacy");

        Configuration delivery = new Settings(new ReadOnlyConfiguration(ofTheServer)).forDelivery();

        assertThat(delivery.get("hbase.rpc.protection")).isEqualTo("privacy");
        assertThat(delivery.getInt("hbase.rpc.timeout", 0)).isEqualTo(10_000);
    }

    /**
     * HBase adds the values of a table to the configuration of its coprocessors, and the first region may be of any.
     */
    @Test
    void ignoresTheValuesOfTables() throws IOException {
        Configuration ofTable = new Configuration(false);
        ofTable.setLong(Settings.FLUSH_WAIT_MS, 600_000);
        RegionServerServices server = mock();
        when(server.getConfiguration()).thenReturn(new Configuration(false));
        RegionCoprocessorEnvironment region = mock();
        when(region.getServerName()).thenReturn(ServerName.valueOf("rs1", 16020, 1));
        when(region.getConfiguration()).thenReturn(ofTable);
        when(region.getOnlineRegions()).thenReturn(server);
        try (ServerIndexing indexing = new ServerIndexing(region, new Platform())) {
            assertThat(indexing.settings().flushWaitMs()).isEqualTo(3_000);
        }
    }

    /** Otherwise hbase.client.scanner.timeout.period, a minute, would apply to each attempt. */
    @Test
    void anAttemptToLookUpARegionTakesAPartOfTheTimeOfADelivery() {
        Configuration conf = new Configuration(false);
        conf.setInt(Settings.DELIVERY_TIMEOUT_MS, 5_000);

        Configuration delivery = new Settings(conf).forDelivery();

        assertThat(delivery.getInt("hbase.client.meta.scanner.timeout.period", 0)
                        + delivery.getInt("hbase.client.meta.operation.timeout", 0))
                .as("the scan and the wait for other lookups, three tenths of the time")
                .isEqualTo(1_500);
    }
}
