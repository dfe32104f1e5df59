package org.diffindex.cli.load;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.commons.csv.CSVRecord;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.ColumnType;
import org.diffindex.model.ColumnTypes;

/**
 * Converts rows of a CSV file to rows of a table: the value of the key column is the row key, in UTF-8; each column
 * becomes a cell in one family, with its name as the qualifier. An empty field becomes no cell.
 */
final class CsvRows {
    private static final Map<String, ColumnType> TYPES = Map.of(
            "string", ColumnTypes.STRING,
            "int", ColumnTypes.INT,
            "long", ColumnTypes.LONG,
            "double", ColumnTypes.DOUBLE);

    private final CsvFile file;
    private final byte[] family;
    private final int key;
    private final List<Column> columns = new ArrayList<>();

    /** One column of the file, and the type in which its fields are stored. */
    private record Column(String name, ColumnType type) {}

    /**
     * Creates the rows of a file.
     *
     * @param types types by column, each {@code COLUMN:TYPE}; other columns are strings
     * @throws IOException if the file lacks the key column or a column with a type, or a type does not exist
     */
    CsvRows(CsvFile file, String keyColumn, String family, List<String> types) throws IOException {
        this.file = file;
        this.family = Bytes.toBytes(family);
        this.key = indexOf(keyColumn);
        for (String name : file.columns()) {
            columns.add(new Column(name, ColumnTypes.STRING));
        }
        for (String typed : types) {
            int colon = typed.lastIndexOf(':');
            String type = typed.substring(colon + 1);
            if (colon < 0 || !TYPES.containsKey(type)) {
                throw new IOException("'" + typed + "' is not COLUMN:TYPE with one of the types string, int, long,"
                        + " double; nothing was written");
            }
            int column = indexOf(typed.substring(0, colon));
            columns.set(column, new Column(columns.get(column).name(), TYPES.get(type)));
        }
    }

    private int indexOf(String column) throws IOException {
        int index = file.columns().indexOf(column);
        if (index < 0) {
            throw new IOException("The file has no column '" + column + "'; its columns are "
                    + String.join(", ", file.columns()) + "; nothing was written");
        }
        return index;
    }

    /**
     * Returns the next row, as a put; null at the end.
     *
     * @throws IOException if it cannot be a row of the table; the message names the line
     */
    Put next() throws IOException {
        CSVRecord record = file.next();
        if (record == null) {
            return null;
        }
        byte[] row = Bytes.toBytes(record.get(key));
        if (row.length == 0) {
            throw file.wrong("its key, column " + columns.get(key).name() + ", is empty");
        }
        if (row.length > HConstants.MAX_ROW_LENGTH) {
            throw file.wrong("its key is " + row.length + " bytes long, but HBase allows " + HConstants.MAX_ROW_LENGTH);
        }
        Put put = new Put(row);
        for (int i = 0; i < columns.size(); i++) {
            String field = record.get(i);
            if (!field.isEmpty()) {
                Column column = columns.get(i);
                put.addColumn(family, Bytes.toBytes(column.name()), valueOf(column, field));
            }
        }
        return put;
    }

    private byte[] valueOf(Column column, String field) throws IOException {
        try {
            return column.type().parse(field);
        } catch (IllegalArgumentException e) {
            throw file.wrong("'" + field + "' in column " + column.name() + " is not of type " + column.type());
        }
    }
}
