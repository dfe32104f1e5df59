package org.diffindex.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.verify.ScrubListener;
import org.diffindex.verify.ScrubOptions;
import org.diffindex.verify.ScrubReport;
import org.diffindex.verify.Scrubber;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Measures the speed of a scrub, compared with a plain scan of both tables in the same run. A measurement, not a gate:
 * run it with {@code -Ddiffindex.scrub.rows=500000}.
 */
@ExtendWith(ClusterExtension.class)
@Tag("proof")
@EnabledIfSystemProperty(named = "diffindex.scrub.rows", matches = "[1-9][0-9]*")
class ScrubSpeedIT {
    private static final int BATCH = 5_000;
    private static final int ROUNDS = 4;

    @Test
    void measures(Connection connection) throws IOException {
        int rows = Integer.getInteger("diffindex.scrub.rows");
        try (IndexedFixture fixture = new IndexedFixture(
                connection,
                1,
                table -> List.of(IndexDefinition.builder(table, "by_city")
                        .column("f", "city", ColumnTypes.STRING)
                        .splitAt("city3", "city6")
                        .build()))) {
            List<Put> batch = new ArrayList<>();
            for (int i = 0; i < rows; i++) {
                String row = "%c%08d".formatted('a' + i % 26, i);
                batch.add(IndexedFixture.putOf(row, "city%06d".formatted(i * 7L % 1_000_000), i)
                        .addColumn(IndexedFixture.F, IndexedFixture.NOTE, new byte[100]));
                if (batch.size() == BATCH || i == rows - 1) {
                    fixture.table.put(batch);
                    batch.clear();
                }
            }
            IndexDefinition index = fixture.admin.describeIndex(fixture.name, "by_city");
            try (Admin admin = connection.getAdmin()) {
                admin.flush(fixture.name);
                admin.flush(index.indexTable());
            }
            for (int round = 0; round < ROUNDS; round++) {
                Speed scan = Speed.of(2L * rows, () -> {
                    assertThat(scan(connection, fixture.name) + scan(connection, index.indexTable()))
                            .isEqualTo(2L * rows);
                });
                System.out.printf("round %d: plain scan, 1 thread: %s%n", round, scan);
                for (int threads = 1; threads <= 2; threads++) {
                    ScrubOptions options = ScrubOptions.DEFAULT.withThreads(threads);
                    Speed scrub = Speed.of(2L * rows, () -> {
                        ScrubReport report = Scrubber.scrub(connection, index, options, ScrubListener.NONE);
                        assertThat(report.rows()).isEqualTo(rows);
                        assertThat(report.found()).isEmpty();
                    });
                    System.out.printf(
                            "round %d: scrub, %d threads: %s; of the plain scan %.2f by the clock, %.2f by CPU%n",
                            round,
                            threads,
                            scrub,
                            scrub.perSecond() / scan.perSecond(),
                            scrub.perCpuSecond() / scan.perCpuSecond());
                }
            }
        }
    }

    /** A task whose time is measured. */
    @FunctionalInterface
    private interface Work {
        void run() throws IOException;
    }

    /**
     * Returns rows per second of elapsed time, and per second of processor time of client and servers together: all are
     * in this JVM.
     */
    private record Speed(double perSecond, double perCpuSecond) {
        static Speed of(long rows, Work work) throws IOException {
            OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
            long cpu = system.getProcessCpuTime();
            long start = System.nanoTime();
            work.run();
            double seconds = (System.nanoTime() - start) / 1e9;
            return new Speed(rows / seconds, rows / ((system.getProcessCpuTime() - cpu) / 1e9));
        }

        @Override
        public String toString() {
            return "%,.0f rows/s, %,.0f rows per CPU second".formatted(perSecond, perCpuSecond);
        }
    }

    private static long scan(Connection connection, TableName name) throws IOException {
        long rows = 0;
        try (Table table = connection.getTable(name);
                ResultScanner results = table.getScanner(new Scan().setCaching(BATCH))) {
            for (Result unused : results) {
                rows++;
            }
        }
        return rows;
    }
}
