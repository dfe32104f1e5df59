package org.diffindex.server;

import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Delete;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.RowMutations;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.CallAttributes;

/**
 * Records, in attributes of a mutation, of which cells the client left the timestamp to the server, and for an increment
 * or append which timestamps the client assigned. HBase fills in timestamps before the first hook that sees the final
 * ones, so the marks are set while they are still {@link HConstants#LATEST_TIMESTAMP}.
 */
final class ServerTime {
    /**
     * Marks a put or delete of which at least one timestamp is left to the server. The marks are no {@link
     * CallAttributes}: no client sets them.
     */
    private static final String ATTRIBUTE = "diffindex-servertime";

    /** With the name of a family: the kinds of the family's cells, in their order. Only in a mixed mutation. */
    private static final String KINDS = "diffindex-servertime.";

    private static final String GIVEN = "diffindex-giventimes";

    /** Of a mutation whose cells are not all {@link #OF_SERVER}. */
    private static final byte MIXED = 1;

    /** Of a put that may take the time of the cell that a checkAndMutate checks. */
    private static final byte CHECKED = 2;

    /** The kind of a cell whose time the server chooses. The kinds are bits. */
    private static final byte OF_SERVER = 1;

    /** The kind of a cell whose time the client has chosen. */
    private static final byte OF_CLIENT = 2;

    /** The kind of a cell that deletes the newest version, and has the time of that version. */
    private static final byte OF_VERSION = 4;

    private ServerTime() {}

    /** Marks a mutation that leaves the time of some of its cells to the server. */
    static void mark(Mutation mutation) {
        mark(mutation, (byte) 0);
        if (RowWrites.isDelta(mutation) && mutation.getAttribute(GIVEN) == null) {
            mutation.setAttribute(GIVEN, givenTimes(mutation));
        }
    }

    private static byte[] givenTimes(Mutation delta) {
        return delta.getFamilyCellMap().values().stream()
                .flatMap(List::stream)
                .filter(cell -> cell.getTimestamp() != HConstants.LATEST_TIMESTAMP)
                .map(cell -> Bytes.toBytes(cell.getTimestamp()))
                .reduce(HConstants.EMPTY_BYTE_ARRAY, Bytes::add);
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
     * Marks the puts of a checkAndMutate as {@link #mark} does, before HBase fills in their timestamps: now, or the time
     * of the checked cell if that is later. The timestamps of its deletes are filled in after their own hooks, as if
     * nothing were checked.
     */
    static void markChecked(Row action) {
        if (action instanceof RowMutations mutations) {
            mutations.getMutations().forEach(ServerTime::markChecked);
        } else if (action instanceof Mutation mutation) {
            unmark(mutation);
            if (mutation instanceof Put) {
                mark(mutation, CHECKED);
            }
        }
    }

    /**
     * Removes the marks with which a mutation has come: a coprocessor may have made it as a copy of another write, with
     * its attributes and with the timestamps that it was given, on this server or on one of an earlier build.
     */
    static void unmark(Mutation mutation) {
        List.copyOf(mutation.getAttributesMap().keySet()).stream()
                .filter(name ->
                        name.startsWith(ATTRIBUTE) || name.equals(GIVEN) || CallAttributes.isOfEarlierServer(name))
                .forEach(name -> mutation.setAttribute(name, null));
    }

    private static void mark(Mutation mutation, byte checked) {
        boolean candidate = mutation instanceof Put || mutation instanceof Delete;
        if (!candidate || mutation.getAttribute(ATTRIBUTE) != null) {
            return;
        }
        int kinds = kindsIn(mutation);
        if ((kinds & (OF_SERVER | OF_VERSION)) != 0) {
            boolean isMixed = kinds != OF_SERVER;
            if (isMixed) {
                mutation.getFamilyCellMap()
                        .forEach((family, cells) -> mutation.setAttribute(nameOfKinds(family), kindsOf(cells)));
            }
            mutation.setAttribute(ATTRIBUTE, new byte[] {(byte) (isMixed ? checked | MIXED : checked)});
        }
    }

    private static int kindsIn(Mutation mutation) {
        int kinds = 0;
        for (List<Cell> cells : mutation.getFamilyCellMap().values()) {
            for (Cell cell : cells) {
                kinds |= kindOf(cell);
            }
        }
        return kinds;
    }

    private static byte[] kindsOf(List<Cell> cells) {
        byte[] kinds = new byte[cells.size()];
        for (int i = 0; i < kinds.length; i++) {
            kinds[i] = kindOf(cells.get(i));
        }
        return kinds;
    }

    private static byte kindOf(Cell cell) {
        if (cell.getTimestamp() != HConstants.LATEST_TIMESTAMP) {
            return OF_CLIENT;
        }
        boolean isOfNewest = cell.getType() == Cell.Type.Delete || cell.getType() == Cell.Type.DeleteFamilyVersion;
        return isOfNewest ? OF_VERSION : OF_SERVER;
    }

    private static String nameOfKinds(byte[] family) {
        return KINDS + Bytes.toStringBinary(family);
    }

    private static boolean isMarked(Mutation mutation, byte flag) {
        byte[] mark = mutation.getAttribute(ATTRIBUTE);
        return mark != null && (mark[0] & flag) != 0;
    }

    /** Returns whether the server chooses the time of all cells of a put or delete. */
    static boolean isChosenByServer(Mutation mutation) {
        return mutation.getAttribute(ATTRIBUTE) != null && !isMarked(mutation, MIXED);
    }

    /** Returns whether the time that HBase filled in may be that of a cell. */
    static boolean mayBeOfACell(Mutation mutation) {
        return isMarked(mutation, CHECKED);
    }

    /** Returns the cells of a put or delete whose time the server chooses. */
    static List<Cell> cells(Mutation mutation) {
        return isChosenByServer(mutation) ? RowWrites.cellsOf(mutation) : cellsOfKind(mutation, OF_SERVER);
    }

    /**
     * Leaves the timestamps to the server again that the server has filled in, since the mutation is refused. A client
     * within the server shares the cells, and may send them again.
     */
    static void leaveToServer(Mutation refused) {
        List<Cell> ofServer =
                isChosenByServer(refused) ? RowWrites.cellsOf(refused) : cellsOfKind(refused, OF_SERVER | OF_VERSION);
        ofServer.forEach(cell -> RowWrites.setTimestamp(cell, HConstants.LATEST_TIMESTAMP));
    }

    /** Returns the first of the {@link #cells}; null if there is none. */
    static Cell firstCell(Mutation mutation) {
        if (isChosenByServer(mutation)) {
            for (List<Cell> cells : mutation.getFamilyCellMap().values()) {
                if (!cells.isEmpty()) {
                    return cells.get(0);
                }
            }
            return null;
        }
        List<Cell> cells = cellsOfKind(mutation, OF_SERVER);
        return cells.isEmpty() ? null : cells.get(0);
    }

    /** Returns the tombstones of a put or delete to which the client gave no time. */
    static List<Cell> tombstones(Mutation mutation) {
        if (!hasTombstone(mutation)) {
            return List.of();
        }
        List<Cell> cells = isChosenByServer(mutation)
                ? RowWrites.cellsOf(mutation)
                : cellsOfKind(mutation, OF_SERVER | OF_VERSION);
        return cells.stream().filter(cell -> !CellUtil.isPut(cell)).toList();
    }

    /** Returns whether a mutation is a delete, or a put that contains a tombstone, as HBase allows. */
    private static boolean hasTombstone(Mutation mutation) {
        for (List<Cell> cells : mutation.getFamilyCellMap().values()) {
            for (Cell cell : cells) {
                if (!CellUtil.isPut(cell)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns whether a mutation has tombstones to which the client gave no time. */
    static boolean deletes(Mutation mutation) {
        return !tombstones(mutation).isEmpty();
    }

    /** Returns the cells of certain kinds. A cell that another coprocessor added after the mark is the server's. */
    private static List<Cell> cellsOfKind(Mutation mutation, int kinds) {
        if (!isMarked(mutation, MIXED)) {
            return List.of();
        }
        List<Cell> selected = new ArrayList<>();
        mutation.getFamilyCellMap().forEach((family, cells) -> {
            byte[] known = mutation.getAttribute(nameOfKinds(family));
            for (int i = 0; i < cells.size(); i++) {
                int kind = known == null || i >= known.length ? OF_SERVER : known[i];
                if ((kind & kinds) != 0) {
                    selected.add(cells.get(i));
                }
            }
        });
        return selected;
    }
}
