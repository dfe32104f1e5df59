package org.diffindex.server.sequences;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.server.sequences.Step.Column;

/**
 * Checks that the base shows the last write of a row, once its client was told by any answer that the row is durable.
 * Valid only where clients give no timestamps, or only some of the past: there, nothing may hide the write, whether or
 * not an index reads its columns.
 */
public final class LastWrite {
    private final Step.Single write;
    private final List<Cell> visible;

    private LastWrite(Step.Single write, List<Cell> visible) {
        this.write = write;
        this.visible = visible;
    }

    /**
     * Checks a row.
     *
     * @param visible what a Get of the row shows after the write
     */
    public static void assertIsShown(Step.Single write, List<Cell> visible) {
        LastWrite last = new LastWrite(write, visible);
        if (write instanceof Step.Put put) {
            last.assertShows(put);
        } else if (write instanceof Step.PutBeside put) {
            last.assertShows(put.put());
        } else if (write instanceof Step.Delete delete) {
            last.assertHides(delete);
        } else if (write instanceof Step.TwoDeletes deletes) {
            last.assertHides(deletes.one());
            last.assertHides(deletes.other());
        } else if (write instanceof Step.Append append) {
            last.assertShows(append.column(), "+");
        } else if (write instanceof Step.Increment) {
            last.assertShows(Column.N, "");
        }
    }

    private void assertShows(Column column, String end) {
        assertThat(visible)
                .as("%s in the base after %s", column, write)
                .anyMatch(cell -> isOf(cell, column)
                        && Bytes.toStringBinary(CellUtil.cloneValue(cell)).endsWith(end));
    }

    private void assertShows(Step.Put put) {
        for (Step.Value value : put.values()) {
            boolean isOnce = put.values().stream()
                            .filter(other -> other.column() == value.column())
                            .count()
                    == 1;
            if (isOnce) {
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
