package org.diffindex.mapreduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.verify.Difference;
import org.diffindex.verify.FoundDifference;
import org.diffindex.verify.ScrubReport;
import org.junit.jupiter.api.Test;

class PartReportsTest {
    private static final IndexDefinition INDEX = IndexDefinition.builder(TableName.valueOf("t"), "by_city")
            .column("f", "city", ColumnTypes.STRING)
            .build();
    private static final FoundDifference MISSING = new FoundDifference(Difference.MISSING, "r\\x00\"1", "", "k@1");
    private static final FoundDifference STALE = new FoundDifference(Difference.STALE, "r2", "k@2", "l@3");

    @Test
    void theReportsOfMappersAddUp() {
        ScrubReport base = new ScrubReport(
                INDEX,
                10,
                0,
                Map.of(Difference.MISSING, 3L),
                Map.of(Difference.MISSING, 2L),
                1,
                List.of(MISSING, MISSING),
                Duration.ofSeconds(1));
        ScrubReport index = new ScrubReport(
                INDEX, 0, 12, Map.of(Difference.STALE, 1L), Map.of(), 2, List.of(STALE), Duration.ofSeconds(2));
        PartReports sum = new PartReports(INDEX, 3);
        sum.add(PartReports.toJson(base));
        sum.add(PartReports.toJson(index));
        sum.add(PartReports.toJson(base));
        assertThat(sum.sum(Duration.ofSeconds(5)))
                .isEqualTo(new ScrubReport(
                        INDEX,
                        20,
                        12,
                        Map.of(Difference.MISSING, 6L, Difference.STALE, 1L),
                        Map.of(Difference.MISSING, 4L),
                        4,
                        List.of(MISSING, MISSING, STALE, MISSING),
                        Duration.ofSeconds(5)));
    }

    @Test
    void samplesAreKeptAsOftenAsAsked() {
        PartReports sum = new PartReports(INDEX, 1);
        String json = PartReports.toJson(new ScrubReport(
                INDEX,
                1,
                0,
                Map.of(Difference.MISSING, 2L),
                Map.of(),
                0,
                List.of(MISSING, MISSING),
                Duration.ofSeconds(1)));
        sum.add(json);
        sum.add(json);
        assertThat(sum.sum(Duration.ZERO).samples()).containsExactly(MISSING);
    }
}
