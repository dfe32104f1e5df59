package org.diffindex.server;

import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * Records, in an attribute of the mutation, whether the client left its timestamps to the server, and for an increment
 * or append which timestamps the client assigned. HBase fills in timestamps before the first hook that sees the final
 * ones, so the mark is set while they are still {@link HConstants#LATEST_TIMESTAMP}.
 */
final class ServerTime {
    private static final String ATTRIBUTE = "diffindex.servertime";
    private static final String GIVEN = "diffindex.giventimes";
    private static final byte[] MARK = new byte[0];
    private static final byte[] MARK_OF_CHECKED = {1};

    private ServerTime() {}

    /** Marks a mutation if the server chooses the time of all its cells. */
    static void mark(Mutation mutation) {
        mark(mutation, MARK);
        if (RowWrites.isDelta(mutation) && mutation.getAttribute(GIVEN) == null) {
            mutation.setAttribute(GIVEN, givenTimes(mutation));
        }
    }

    private static byte[] givenTimes(Mutation delta) {
        return delta.getFamilyCellMap().values().stream()
                .flatMap(List::stream)
                .filter(cell -> cell.getTimestamp() != HConstants.LATEST_TIMESTAMP)
                .map(cell -> Bytes.toBytes(cell.getTimestamp()))
                .reduce(MARK, Bytes::add);
    }

    /** Returns whether a client assigned the timestamp of a cell that resulted from an increment or append. */
    static boolean isGivenToDelta(Mutation mutation, Cell cell) {
        byte[] given = mutation.getAttribute(GIVEN);
        for (int at = 0; given != null && at < given.length; at += Long.BYTES) {
            if (Bytes.toLong(given, at) == cell.getTimestamp()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Marks the mutations of a checkAndMutate as {@link #mark} does; they take the time of the checked cell if that is
     * later than now.
     */
    static void markChecked(Row action) {
        if (action instanceof RowMutations mutations) {
            mutations.getMutations().forEach(mutation -> mark(mutation, MARK_OF_CHECKED));
        } else if (action instanceof Mutation mutation) {
            mark(mutation, MARK_OF_CHECKED);
        }
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

    /** Returns whether the time that HBase filled in may be that of a cell. */
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

    /** Returns false for a delete of the newest version, which takes the time of that version. */
    private static boolean timeIsItsOwn(Cell cell) {
        return cell.getType() != Cell.Type.Delete && cell.getType() != Cell.Type.DeleteFamilyVersion;
    }
}
