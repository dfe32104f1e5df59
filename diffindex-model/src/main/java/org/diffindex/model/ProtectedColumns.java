package org.diffindex.model;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * A base row as a reader by index gets it, and the cells of it of which an index may be made. HBase sends no tags to clients, and a
 * reader who may see a {@linkplain ProtectedCells protected} cell gets it with the row, which has no entry by it. So the response to
 * a get that asks for that has a further cell, before the row's own, for each protected one: without a family, qualifier = the
 * length of the protected cell's family (1 byte), that family and qualifier; timestamp 0, no value.
 *
 * @param row the row, without further cells
 * @param unprotected the cells of the row that are not protected
 */
public record ProtectedColumns(Result row, List<Cell> unprotected) {
    static final String ATTRIBUTE = "diffindex.protected.columns.told";
    private static final byte[] MARK = {1};

    /** Makes a get of a base row ask which of its cells an index may not be made of; returns the same get. */
    public static Get askFor(IndexDefinition definition, Get get) {
        return definition.indexesProtectedCells() ? get : get.setAttribute(ATTRIBUTE, MARK);
    }

    /** Tells, on a server, which cells of a response are protected, if the get asks for that. */
    public static void tellIfAsked(Get get, List<Cell> response) {
        if (get.getAttribute(ATTRIBUTE) != null) {
            List<Cell> told = response.stream()
                    .filter(ProtectedCells::isProtected)
                    .map(cell ->
                            (Cell) new KeyValue(CellUtil.cloneRow(cell), new byte[0], columnOf(cell), 0, new byte[0]))
                    .toList();
            if (!told.isEmpty()) {
                response.addAll(0, told);
            }
        }
    }

    private static byte[] columnOf(Cell cell) {
        byte[] length = {cell.getFamilyLength()};
        return Bytes.add(length, CellUtil.cloneFamily(cell), CellUtil.cloneQualifier(cell));
    }

    /** Returns the row in the response to a get. */
    public static ProtectedColumns of(Result response) {
        List<byte[]> told = new ArrayList<>(0);
        List<Cell> own = new ArrayList<>(response.size());
        for (Cell cell : response.isEmpty() ? new Cell[0] : response.rawCells()) {
            if (cell.getFamilyLength() == 0) {
                told.add(CellUtil.cloneQualifier(cell));
            } else {
                own.add(cell);
            }
        }
        if (told.isEmpty()) {
            return new ProtectedColumns(response, own);
        }
        List<Cell> unprotected = own.stream()
                .filter(cell -> told.stream().noneMatch(column -> Arrays.equals(column, columnOf(cell))))
                .toList();
        return new ProtectedColumns(Result.create(own), unprotected);
    }
}
