package org.diffindex.lab.chaos;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.lab.chaos.Violation.Kind;
import org.diffindex.model.IndexDefinition;
import org.diffindex.verify.Difference;
import org.diffindex.verify.IndexComparison;
import org.diffindex.verify.ScrubReport;

/**
 * Compares indexes with their tables, and tables with the history. Requires that no client writes and all indexes are
 * drained.
 */
final class FinalCheck {
    private final Connection connection;
    private final Comparing comparing;

    FinalCheck(Connection connection) {
        this(connection, (table, reports) -> compare(connection, table, reports));
    }

    /**
     * Creates a check with its own way of comparing indexes.
     *
     * @param connection the connection by which tables are read
     */
    FinalCheck(Connection connection, Comparing comparing) {
        this.connection = connection;
        this.comparing = comparing;
    }

    /** Compares the indexes of a table with the table. */
    @FunctionalInterface
    interface Comparing {
        /** Compares each index of a table with the table, and passes on each report as soon as it is complete. */
        void compare(TableName table, Consumer<ScrubReport> reports) throws IOException;
    }

    private static void compare(Connection connection, TableName table, Consumer<ScrubReport> reports)
            throws IOException {
        try (DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            for (IndexDefinition definition : admin.listIndexes(table)) {
                reports.accept(IndexComparison.compare(connection, definition));
            }
        }
    }

    /** Compares each index of a table with the table; adds a violation for each index with faults. */
    List<ScrubReport> compare(Workload work) throws IOException {
        List<ScrubReport> all = new ArrayList<>();
        comparing.compare(work.table().name(), report -> {
            all.add(report);
            check(work.history(), report, work.violations());
        });
        return all;
    }

    /**
     * Returns how many of the entries that comparisons found are left to read repair; entries ahead of their rows are
     * not.
     */
    static long leftToReaders(List<ScrubReport> reports) {
        return reports.stream()
                .mapToLong(report -> report.found(Difference.STALE) + report.found(Difference.DANGLING))
                .sum();
    }

    /** Compares a table with the history; returns how many rows of the history were compared. */
    long compareWithHistory(Workload work) throws IOException {
        Map<String, RowState> base = new HashMap<>();
        Scan scan = new Scan()
                .addColumn(ChaosTable.FAMILY, ChaosTable.VALUE)
                .addColumn(ChaosTable.FAMILY, ChaosTable.NUMBER)
                .addColumn(ChaosTable.FAMILY, ChaosTable.TAG)
                .setCaching(1_000);
        try (Table table = connection.getTable(work.table().name());
                ResultScanner rows = table.getScanner(scan)) {
            for (Result row = rows.next(); row != null; row = rows.next()) {
                base.put(Bytes.toString(row.getRow()), ChaosTable.stateOf(row));
            }
        }
        return check(work.history(), base, work.violations());
    }

    /** Adds a violation if a comparison found faults. */
    static void check(SchemeHistory history, ScrubReport report, Violations violations) {
        if (!report.isClean()) {
            long now = history.clock().getAsLong();
            violations.add(Kind.COMPARISON, history.scheme(), report.index().name(), now, report.toString());
        }
    }

    /** Compares the rows of a base table with their history; returns how many rows of the history were compared. */
    static long check(SchemeHistory history, Map<String, RowState> base, Violations violations) {
        long now = history.clock().getAsLong();
        for (RowHistory row : history.rows()) {
            RowState is = base.getOrDefault(row.row(), RowState.NONE);
            List<RowState> may = row.possibleInBase();
            if (!may.contains(is)) {
                String detail = "the base row shows " + is + " instead of one of " + may + "; history of " + row;
                violations.add(new Violation(
                        Kind.BASE, history.scheme(), row.row(), is.value().orElse("-"), now, detail));
            }
        }
        base.forEach((row, state) -> {
            if (history.known(row).isEmpty()) {
                violations.add(new Violation(
                        Kind.INVENTED,
                        history.scheme(),
                        row,
                        state.value().orElse("-"),
                        now,
                        "no client wrote this row"));
            }
        });
        return history.rows().size();
    }
}
