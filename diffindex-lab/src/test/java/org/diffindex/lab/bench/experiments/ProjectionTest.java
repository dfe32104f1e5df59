package org.diffindex.lab.bench.experiments;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.ycsb.Items;
import org.junit.jupiter.api.Test;

class ProjectionTest {
    private static final byte[] ROW = BenchTable.key(7);
    private static final byte[] TITLE = Items.titleBytes(7, 3);

    private static Cell cell(String column, byte[] value) {
        return new KeyValue(ROW, BenchTable.FAMILY, Bytes.toBytes(column), 1L, value);
    }

    private static Result titleOnly(byte[] title) {
        return Result.create(List.of(cell(Items.TITLE, title)));
    }

    private static Result wholeRow() {
        List<Cell> cells = new ArrayList<>();
        Items.FILLERS.forEach(column -> cells.add(cell(column, new byte[100])));
        cells.add(cell(Items.PRICE, new byte[8]));
        cells.add(cell(Items.TITLE, TITLE));
        return Result.create(cells);
    }

    @Test
    void readsByIndexAndByKeyRequestTheSameCells() {
        assertThat(Projection.TITLE.get(ROW).getFamilyMap().get(BenchTable.FAMILY))
                .containsExactly(Bytes.toBytes(Items.TITLE));
        assertThat(Projection.TITLE.query(TITLE).isWithRows()).isFalse();
        assertThat(Projection.ROW.get(ROW).hasFamilies()).as("all columns").isFalse();
        assertThat(Projection.ROW.query(TITLE).isWithRows()).isTrue();
    }

    @Test
    void rejectsAReadThatReturnsMoreOrLess() {
        assertThat(Projection.TITLE.isOf(titleOnly(TITLE), ROW, TITLE)).isTrue();
        assertThat(Projection.TITLE.isOf(wholeRow(), ROW, TITLE)).isFalse();
        assertThat(Projection.ROW.isOf(wholeRow(), ROW, TITLE)).isTrue();
        assertThat(Projection.ROW.isOf(titleOnly(TITLE), ROW, TITLE)).isFalse();
        for (Projection projection : Projection.values()) {
            assertThat(projection.isOf(Result.EMPTY_RESULT, ROW, TITLE)).isFalse();
        }
    }

    @Test
    void rejectsAReadOfAnotherRowOrTitle() {
        assertThat(Projection.TITLE.isOf(titleOnly(TITLE), BenchTable.key(8), TITLE))
                .isFalse();
        assertThat(Projection.TITLE.isOf(titleOnly(TITLE), ROW, Items.titleBytes(7, 4)))
                .isFalse();
    }
}
