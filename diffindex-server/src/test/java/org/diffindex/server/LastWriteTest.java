package org.diffindex.server;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
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

    private static final Set<Column> ALL = EnumSet.allOf(Column.class);

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
        assertThatThrownBy(() -> LastWrite.assertIsShown(write, ALL, visible)).isInstanceOf(AssertionError.class);
    }

    private static void assertIsRight(Step.Single write, List<Cell> visible) {
        assertThatCode(() -> LastWrite.assertIsShown(write, ALL, visible)).doesNotThrowAnyException();
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

    /** In such a column HBase lets a delete of the same millisecond hide a put. */
    @Test
    void ignoresAColumnThatNoIndexReads() {
        Set<Column> indexed = EnumSet.of(Column.C);
        assertThatCode(() -> LastWrite.assertIsShown(PUT, indexed, List.of())).doesNotThrowAnyException();
        assertThatCode(() -> LastWrite.assertIsShown(delete(Extent.ROW), indexed, row(Column.A, 1)))
                .doesNotThrowAnyException();
        assertThatThrownBy(() -> LastWrite.assertIsShown(delete(Extent.ROW), indexed, row(Column.C, 1)))
                .isInstanceOf(AssertionError.class);
    }
}
