package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.HBaseConfiguration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.quotas.QuotaSettingsFactory;
import org.apache.hadoop.hbase.quotas.SpaceViolationPolicy;
import org.diffindex.cluster.Conditions;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexUpdateDelayedException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Space quotas of index tables, on a cluster that is started with quotas. */
@Isolated
@Tag("proof")
@Tag("turn-3")
class QuotasIT {
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private static EmbeddedCluster started() throws IOException {
        Configuration conf = HBaseConfiguration.create();
        conf.setBoolean("hbase.quota.enabled", true);
        for (String chore : List.of(
                "hbase.regionserver.quotas.fs.utilization.chore",
                "hbase.regionserver.quotas.policy.refresher.chore",
                "hbase.regionserver.quotas.region.size.reporting.chore",
                "hbase.master.quotas.observer.chore",
                "hbase.master.quotas.snapshot.chore")) {
            conf.setInt(chore + ".period", 500);
            conf.setInt(chore + ".delay", 500);
        }
        conf.setInt("diffindex.delivery.timeout.ms", 3_000);
        return EmbeddedCluster.start(3, conf);
    }

    @Test
    void anIndexThatViolatesItsQuotaIsAway() throws Exception {
        try (EmbeddedCluster cluster = started();
                Connection connection = ConnectionFactory.createConnection(cluster.conf());
                Admin hbase = connection.getAdmin();
                IndexedFixture fixture = new IndexedFixture(
                        connection,
                        1,
                        name -> List.of(index(name, IndexScheme.SYNC_FULL), index(name, IndexScheme.ASYNC_SIMPLE)))) {
            fixture.put("a1", "Oslo");
            TableName own = IndexDefinition.indexTable(fixture.name, IndexScheme.SYNC_FULL.schemeName());
            hbase.flush(own);
            hbase.setQuota(QuotaSettingsFactory.limitTableSpace(own, 1, SpaceViolationPolicy.NO_WRITES));
            assertThat(Conditions.await(PATIENCE, () -> isDelayed(fixture)))
                    .as("the quota is in force")
                    .isTrue();
            assertThat(fixture.admin
                            .drain(fixture.name, Set.of(IndexScheme.ASYNC_SIMPLE.schemeName()), PATIENCE)
                            .remaining())
                    .as("updates of the other index")
                    .isZero();
            assertThat(fixture.rows(IndexScheme.ASYNC_SIMPLE.schemeName(), "Bergen"))
                    .containsExactly("b2");
            hbase.setQuota(QuotaSettingsFactory.removeTableSpaceLimit(own));
            assertThat(Conditions.await(PATIENCE, () -> !isDelayed(fixture)))
                    .as("the index takes updates again")
                    .isTrue();
            fixture.assertIndexesEqualBase();
        }
    }

    private static IndexDefinition index(TableName name, IndexScheme scheme) {
        return IndexDefinition.builder(name, scheme.schemeName())
                .column("f", "city", ColumnTypes.STRING)
                .scheme(scheme)
                .build();
    }

    /** Writes a row; returns whether a synchronous index is late with it. */
    private static boolean isDelayed(IndexedFixture fixture) throws IOException {
        try {
            fixture.put("b2", "Bergen");
            return false;
        } catch (IndexUpdateDelayedException e) {
            return true;
        }
    }
}
