package org.diffindex.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.BuildFamily;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.ProtectedCells;
import org.diffindex.model.UndecodableValueException;
import org.diffindex.tasks.DescriptorChange;
import org.diffindex.tasks.Messages;

/**
 * The rows that the build of a shadow has left out, because the shadow cannot index them: a value does not decode, or the key of
 * the entry would be too long. Readers that go over to the shadow do not find them. Used by one thread.
 */
final class LeftOutRows {
    /** How many rows the message names. */
    private static final int EXAMPLES = 3;

    /** The most rows that are read to find them. */
    private static final int MOST_READ = 100_000;

    private static final int ROWS_OF_A_CALL = 1_000;

    private final Connection connection;
    private final Admin admin;
    private final IndexDefinition shadow;

    LeftOutRows(Connection connection, Admin admin, IndexDefinition shadow) {
        this.connection = connection;
        this.admin = admin;
        this.shadow = shadow;
    }

    /**
     * Requires that the build has left no row out. Takes the count of the build: rows that were corrected since count all the
     * same.
     *
     * @throws DoNotRetryIOException if it has; the message gives their number, a few of them, and says what to do
     */
    void requireNone() throws IOException {
        long leftOut = DescriptorChange.find(admin, shadow.indexTable())
                .flatMap(BuildFamily::totals)
                .map(BuildFamily.Totals::leftOut)
                .orElse(0L);
        if (leftOut > 0) {
            String index = shadow.table() + " " + shadow.logicalName();
            throw new DoNotRetryIOException("Readers of index " + shadow.logicalName() + " of " + shadow.table()
                    + " have not gone over to its new columns: they would not find %,d rows there".formatted(leftOut)
                    + ", which the build has left out because a value does not decode or the key would be too long"
                    + examples()
                    + ". Readers use the index as it was. To go over without these rows, repeat the change and"
                    + " allow it: bin/diffindex alter-index " + index
                    + " ... --wait --allow-left-out. Otherwise cancel the"
                    + " change: bin/diffindex alter-index " + index
                    + " --cancel; correct or delete the rows, or choose other columns, and begin it again");
        }
    }

    /** Returns, for the message, a few rows that would be left out now. */
    private String examples() throws IOException {
        try {
            List<String> rows = find();
            return rows.isEmpty()
                    ? " (none of them is among the first %,d rows with these columns that this user may read)"
                            .formatted(MOST_READ)
                    : rows.stream().collect(Collectors.joining(", ", ", such as ", ""));
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            return " (this user cannot read which: " + Messages.of(e) + ")";
        }
    }

    private List<String> find() throws IOException {
        IndexEntryFunction function = new IndexEntryFunction(shadow);
        Scan scan = ProtectedCells.leftOut(shadow, shadow.addReadColumns(new Scan()))
                .setCacheBlocks(false)
                .setCaching(ROWS_OF_A_CALL)
                .setLimit(MOST_READ);
        List<String> found = new ArrayList<>();
        try (Table base = connection.getTable(shadow.table());
                ResultScanner rows = base.getScanner(scan)) {
            Result row = rows.next();
            while (row != null && found.size() < EXAMPLES) {
                try {
                    var unused = function.strictEntryOf(row.getRow(), List.of(row.rawCells()));
                } catch (UndecodableValueException e) {
                    found.add("'" + Bytes.toStringBinary(row.getRow()) + "' (" + e.getMessage() + ")");
                }
                row = rows.next();
            }
        }
        return found;
    }
}
