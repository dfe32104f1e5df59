package org.diffindex.lab.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.model.IndexDefinition;
import org.diffindex.verify.Difference;
import org.diffindex.verify.ScrubReport;
import org.junit.jupiter.api.Test;

/** Tests that a recovery without all rows is no recovery, though index and table agree. */
class RecoveryExperimentTest {
    private static final IndexDefinition INDEX =
            new BenchTable(Results.ASYNC, "", 10, 1, 1).definitions().get(0);

    private static ScrubReport report(long rows, Map<Difference, Long> found) {
        return new ScrubReport(INDEX, rows, rows, found, Map.of(), 0, List.of(), Duration.ZERO);
    }

    private static void requireComplete(ScrubReport... reports) throws IOException {
        RecoveryExperiment.requireComplete(List.of(reports), 4_000);
    }

    @Test
    void everyRowThatWasWrittenMustBeInTableAndIndex() {
        assertThatCode(() -> requireComplete(report(4_000, Map.of()))).doesNotThrowAnyException();
        assertThatThrownBy(() -> requireComplete(report(4_000, Map.of()), report(3_999, Map.of())))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("4,000 rows were acknowledged, but 3,999 are there");
        assertThatThrownBy(() -> requireComplete(report(4_000, Map.of(Difference.MISSING, 1L))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("differs from its table");
    }

    @Test
    void someIndexMustHaveBeenCompared() {
        assertThatThrownBy(() -> requireComplete())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("No index was compared");
    }

    /** Nothing compares a table without an index. */
    @Test
    void theRowsOfATableWithoutAnIndexAreCounted() throws IOException {
        Connection connection = mock(Connection.class);
        Table table = mock(Table.class);
        ResultScanner scanner = mock(ResultScanner.class);
        when(connection.getTable(any(TableName.class))).thenReturn(table);
        when(table.getScanner(any(Scan.class))).thenReturn(scanner);
        when(scanner.next()).thenReturn(Result.EMPTY_RESULT, Result.EMPTY_RESULT, null);
        FullQueue queue = new FullQueue(
                new Bench(null, connection, Results.options(2_000), null), Contender.NO_INDEX, "_recovery0");

        assertThat(queue.count()).isEqualTo(2);
    }
}
