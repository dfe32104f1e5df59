package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.server.sequences.LastWrite;
import org.diffindex.server.sequences.Step;
import org.diffindex.server.sequences.Step.Column;
import org.diffindex.server.sequences.Step.Era;
import org.diffindex.server.sequences.Step.Extent;
import org.diffindex.server.sequences.StepMutations;
import org.junit.jupiter.api.Test;

/** Tests that the model detects a write that the base does not show. */
class LastWriteTest {
    private static final Step.Time BY_SERVER = new Step.Time(Era.SERVER, 0);
    private static final Step.Put PUT =
            new Step.Put(0, List.of(new Step.Value(Column.A, 1)), BY_SERVER, Durability.USE_DEFAULT);

    private static List<Cell> row(Column column, int value) {
        return List.of(new KeyValue(
                Bytes.toBytes("r0"),
                column.family(),
                column.qualifier(),
                1,
                StepMutations.value(new Step.Value(column, value))));
    }

    private static Step.Delete delete(Extent extent) {
        return new Step.Delete(0, extent, Column.A, BY_SERVER);
    }

    private static void assertIsFound(Step.Single write, List<Cell> visible) {
        assertThatThrownBy(() -> LastWrite.assertIsShown(write, visible)).isInstanceOf(AssertionError.class);
    }

    private static void assertIsRight(Step.Single write, List<Cell> visible) {
        assertThatCode(() -> LastWrite.assertIsShown(write, visible)).doesNotThrowAnyException();
    }

    @Test
    void detectsAPutThatIsHidden() {
        assertIsFound(PUT, List.of());
        assertIsFound(PUT, row(Column.A, 2));
        assertIsFound(PUT, row(Column.C, 1));
        assertIsRight(PUT, row(Column.A, 1));
    }

    @Test
    void detectsADeleteThatHidesNothing() {
        assertIsFound(delete(Extent.ROW), row(Column.C, 1));
        assertIsFound(delete(Extent.FAMILY), row(Column.B, 1));
        assertIsRight(delete(Extent.FAMILY), row(Column.C, 1));
        assertIsFound(delete(Extent.COLUMN), row(Column.A, 1));
        assertIsRight(delete(Extent.COLUMN), row(Column.B, 1));
        assertIsRight(delete(Extent.ROW), List.of());
    }

    /** Such a delete reveals an older version. */
    @Test
    void ignoresADeleteOfOneVersion() {
        assertIsRight(delete(Extent.VERSION), row(Column.A, 1));
    }

    @Test
    void detectsAPutThatIsHiddenBesideOneThatAClientDated() {
        Step.PutBeside put = new Step.PutBeside(PUT, new Step.Value(Column.B, 2), new Step.Time(Era.PAST, 1));
        assertIsFound(put, row(Column.B, 2));
        assertIsRight(put, row(Column.A, 1));
    }

    @Test
    void detectsThatTheSecondOfTwoDeletesHidesNothing() {
        Step.TwoDeletes deletes = new Step.TwoDeletes(delete(Extent.VERSION), delete(Extent.COLUMN));
        assertIsFound(deletes, row(Column.A, 1));
        assertIsRight(deletes, row(Column.B, 1));
    }

    @Test
    void detectsAResultThatIsHidden() {
        assertIsFound(new Step.Append(0, Column.A), row(Column.A, 1));
        assertIsFound(new Step.Increment(0, 1), row(Column.A, 1));
        assertIsRight(new Step.Increment(0, 1), row(Column.N, 1));
    }

    @Test
    void checksAColumnThatNoIndexReads() {
        Step.Put put = new Step.Put(0, List.of(new Step.Value(Column.X, 1)), BY_SERVER, Durability.USE_DEFAULT);
        assertIsFound(put, row(Column.A, 1));
        assertIsRight(put, row(Column.X, 1));
        assertIsFound(delete(Extent.ROW), row(Column.X, 1));
        assertIsFound(delete(Extent.FAMILY), row(Column.X, 1));
    }
}
