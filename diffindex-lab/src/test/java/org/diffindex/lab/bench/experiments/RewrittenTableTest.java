package org.diffindex.lab.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.ycsb.Items;
import org.junit.jupiter.api.Test;

class RewrittenTableTest {
    private static final int ROWS = 1_200;

    private final RewrittenTable table = new RewrittenTable(Contender.NO_INDEX, ROWS);
    private final Connection connection = mock(Connection.class);
    private final Map<String, String> titles = new HashMap<>();
    private final Map<String, Set<String>> owners = new HashMap<>();

    private void serve() throws IOException {
        Table served = mock(Table.class);
        doAnswer(call -> {
                    call.<List<Put>>getArgument(0).forEach(this::received);
                    return null;
                })
                .when(served)
                .put(anyList());
        when(connection.getTable(any(TableName.class))).thenReturn(served);
    }

    private void received(Put put) {
        String row = Bytes.toString(put.getRow());
        Cell cell = put.get(BenchTable.FAMILY, Bytes.toBytes(Items.TITLE)).get(0);
        String title = Bytes.toString(CellUtil.cloneValue(cell));
        titles.put(row, title);
        owners.computeIfAbsent(title, each -> new HashSet<>()).add(row);
    }

    @Test
    void everyTitleHasOneItemAndAsManyFormerOnes() throws IOException {
        serve();
        table.rewrite(connection, 10, new Random(1));
        assertThat(titles).hasSize(ROWS);
        assertThat(Set.copyOf(titles.values())).hasSize(ROWS);
        assertThat(owners).allSatisfy((title, rows) -> assertThat(rows).hasSize(10));
    }

    @Test
    void tellsTheTitlesThatItWrote() throws IOException {
        serve();
        IntStream.range(0, ROWS).forEach(item -> assertThat(table.title(item)).isEqualTo(Items.titleBytes(item, 0)));
        table.rewrite(connection, 3, new Random(1));
        IntStream.range(0, ROWS).forEach(item -> assertThat(table.titleText(item))
                .isEqualTo(titles.get(Items.key(item)))
                .isEqualTo(Bytes.toString(table.title(item))));
    }
}
