package org.diffindex.server.sequences;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.server.sequences.Step.Column;
import org.diffindex.server.sequences.Step.Extent;

/**
 * Checks that the base shows the last write of a row, once its client was told by any answer that the row is durable.
 * Valid only where servers give all timestamps, and for columns that an index reads: there, nothing may hide the write.
 * In a column that no index reads, a delete of the same millisecond hides a put, as in plain HBase.
 */
public final class LastWrite {
    private final Step.Single write;
    private final Set<Column> indexed;
    private final List<Cell> visible;

    private LastWrite(Step.Single write, Set<Column> indexed, List<Cell> visible) {
        this.write = write;
        this.indexed = indexed;
        this.visible = visible.stream()
                .filter(cell -> indexed.stream().anyMatch(column -> isOf(cell, column)))
                .toList();
    }

    /**
     * Checks a row.
     *
     * @param indexed the columns that an index reads
     * @param visible what a Get of the row shows after the write
     */
    public static void assertIsShown(Step.Single write, Set<Column> indexed, List<Cell> visible) {
        LastWrite last = new LastWrite(write, indexed, visible);
        if (write instanceof Step.Put put) {
            last.assertShows(put);
        } else if (write instanceof Step.Delete delete && delete.extent() != Extent.VERSION) {
            last.assertHides(delete);
        }
    }

    private void assertShows(Step.Put put) {
        for (Step.Value value : put.values()) {
            boolean isOnce = put.values().stream()
                            .filter(other -> other.column() == value.column())
                            .count()
                    == 1;
            if (isOnce && indexed.contains(value.column())) {
                assertThat(visible)
                        .as("%s in the base after %s", value, write)
                        .anyMatch(cell -> isOf(cell, value.column())
                                && Bytes.equals(CellUtil.cloneValue(cell), StepMutations.value(value)));
            }
        }
    }

    private void assertHides(Step.Delete delete) {
        Column column = delete.column();
        assertThat(visible).as("what the base shows after %s", write).noneMatch(cell -> switch (delete.extent()) {
            case ROW -> true;
            case FAMILY -> CellUtil.matchingFamily(cell, column.family());
            case COLUMN -> isOf(cell, column);
            case VERSION, FAMILY_VERSION -> false;
        });
    }

    private static boolean isOf(Cell cell, Column column) {
        return CellUtil.matchingColumn(cell, column.family(), column.qualifier());
    }
}
