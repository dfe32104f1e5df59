package org.diffindex.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.apache.hbase.thirdparty.com.google.gson.JsonParser;
import org.diffindex.client.IndexLag;
import org.diffindex.client.IndexStatus;
import org.diffindex.client.RegionStatus;
import org.diffindex.client.Staleness;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.junit.jupiter.api.Test;

class StatusTextTest {
    private static final TableName TABLE = TableName.valueOf("flights");
    private static final IndexDefinition INDEX = IndexDefinition.builder(TABLE, "by_origin")
            .column("f", "origin", ColumnTypes.STRING)
            .build();

    private static IndexStatus status() {
        RegionStatus region = new RegionStatus(
                "region",
                "server",
                7,
                700,
                2,
                Duration.ofMillis(1_500),
                100,
                1,
                Staleness.NONE,
                11,
                12,
                13,
                14,
                Optional.empty(),
                Map.of("by_origin", new IndexLag(5, 1, Duration.ofSeconds(1), true)));
        return new IndexStatus(TABLE, List.of(INDEX), List.of(region));
    }

    @Test
    void theJsonObjectCountsTheRowsInTheQueueAndThoseThatAnIndexLacks() {
        JsonObject json = JsonParser.parseString(StatusText.json(status())).getAsJsonObject();
        assertThat(json.get("auq_rows").getAsLong()).isEqualTo(7);
        JsonObject index = json.getAsJsonArray("indexes").get(0).getAsJsonObject();
        assertThat(index.get("behind_rows").getAsLong()).isEqualTo(5);
    }

    @Test
    void showsTheCostOfMaintenance() {
        assertThat(StatusText.lines(status()))
                .contains("base reads 11, not needed 12, index puts 13, index deletes 14");
        JsonObject json = JsonParser.parseString(StatusText.json(status())).getAsJsonObject();
        assertThat(json.get("base_reads").getAsLong()).isEqualTo(11);
        assertThat(json.get("row_memory_hits").getAsLong()).isEqualTo(12);
    }

    @Test
    void theTextCountsTheSameRows() {
        assertThat(StatusText.lines(status()))
                .contains("by_origin", "STALLED: lacks 5 rows and 1 files", "AUQ        7 rows, 700 bytes, 2 files");
    }
}
