package org.diffindex.cli;

import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hbase.thirdparty.com.google.gson.JsonArray;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.diffindex.model.IndexedColumn;

/** The formats in which {@code diffindex get} prints a hit as one line. */
enum HitFormat {
    /**
     * The indexed values and the row key, separated by tabs; with rows, followed by {@code family:qualifier=value} for
     * each column. In a value a tab, line feed, carriage return or backslash is written {@code \t}, {@code \n}, {@code
     * \r} or {@code \\}; row keys, columns of the row, and values of type bytes or of a class, also as a field of a packed
     * column, use {@code \xNN} for bytes that are not printable.
     */
    TSV {
        @Override
        String line(List<IndexedColumn> columns, List<String> values, byte[] row, Optional<Result> result) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < values.size(); i++) {
                String value = values.get(i);
                line.append(columns.get(i).type().escapesBytes() ? value : escaped(value))
                        .append('\t');
            }
            line.append(Bytes.toStringBinary(row));
            for (Cell cell : result.map(Result::listCells).orElse(List.of())) {
                line.append('\t').append(nameOf(cell)).append('=').append(contentOf(cell));
            }
            return line.toString();
        }
    },

    /** A JSON object with the list {@code values}, the {@code row}, and, with rows, the object {@code columns}. */
    JSON {
        @Override
        String line(List<IndexedColumn> columns, List<String> values, byte[] row, Optional<Result> result) {
            JsonArray array = new JsonArray();
            values.forEach(array::add);
            JsonObject object = new JsonObject();
            object.add("values", array);
            object.addProperty("row", Bytes.toStringBinary(row));
            result.ifPresent(cells -> {
                JsonObject base = new JsonObject();
                cells.listCells().forEach(cell -> base.addProperty(nameOf(cell), contentOf(cell)));
                object.add("columns", base);
            });
            return object.toString();
        }
    };

    /**
     * Returns a hit as one line, without a line end.
     *
     * @param columns the index's columns
     * @param values their values as text
     * @param row the base row's key
     * @param result the base row, if it was requested
     */
    abstract String line(List<IndexedColumn> columns, List<String> values, byte[] row, Optional<Result> result);

    /** Returns the last line of a page in JSON: an object with the {@code token} of the next page, null if there is none. */
    static String tokenLine(Optional<String> token) {
        JsonObject object = new JsonObject();
        object.addProperty("token", token.orElse(null));
        return object.toString();
    }

    private static String nameOf(Cell cell) {
        return ColumnValues.nameOf(CellUtil.cloneFamily(cell), CellUtil.cloneQualifier(cell));
    }

    private static String contentOf(Cell cell) {
        return Bytes.toStringBinary(cell.getValueArray(), cell.getValueOffset(), cell.getValueLength());
    }

    private static String escaped(String value) {
        return value.replace("\\", "\\\\")
                .replace("\t", "\\t")
                .replace("\n", "\\n")
                .replace("\r", "\\r");
    }
}
