package org.diffindex.server;

import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;

/**
 * Remembers, on the mutation itself, whether the client left its timestamps to the server. HBase fills them in before the
 * first hook that sees them final, so the mark is set while they still read {@link HConstants#LATEST_TIMESTAMP}.
 */
final class ServerTime {
    private static final String ATTRIBUTE = "diffindex.servertime";
    private static final byte[] MARK = new byte[0];
    private static final byte[] MARK_OF_CHECKED = {1};

    private ServerTime() {}

    /** Marks a mutation if the server is to choose the time of all its cells. */
    static void mark(Mutation mutation) {
        mark(mutation, MARK);
    }

    /** As {@link #mark}, of a checkAndMutate: it takes the time of the cell that it checks if that is later than now. */
    static void markChecked(Mutation mutation) {
        mark(mutation, MARK_OF_CHECKED);
    }

    private static void mark(Mutation mutation, byte[] mark) {
        boolean candidate = mutation instanceof Put || mutation instanceof Delete;
        if (candidate && mutation.getAttribute(ATTRIBUTE) == null && allLatest(mutation)) {
            mutation.setAttribute(ATTRIBUTE, mark);
        }
    }

    static boolean isChosenByServer(Mutation mutation) {
        return mutation.getAttribute(ATTRIBUTE) != null;
    }

    /** Whether the time that HBase filled in may be that of a cell. */
    static boolean mayBeOfACell(Mutation mutation) {
        byte[] mark = mutation.getAttribute(ATTRIBUTE);
        return mark != null && mark.length == MARK_OF_CHECKED.length;
    }

    private static boolean allLatest(Mutation mutation) {
        for (List<Cell> cells : mutation.getFamilyCellMap().values()) {
            for (Cell cell : cells) {
                if (cell.getTimestamp() != HConstants.LATEST_TIMESTAMP || !timeIsItsOwn(cell)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** A delete of the newest version takes the time of that version. */
    private static boolean timeIsItsOwn(Cell cell) {
        return cell.getType() != Cell.Type.Delete && cell.getType() != Cell.Type.DeleteFamilyVersion;
    }
}
