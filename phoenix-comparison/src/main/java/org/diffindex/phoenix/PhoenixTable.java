package org.diffindex.phoenix;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.lab.bench.rivals.RivalClient;
import org.diffindex.lab.bench.rivals.RivalTable;

/** The table of items in Phoenix, with one kind of index. Thread-safe. */
final class PhoenixTable implements RivalTable {
    private final PhoenixConnections connections;
    private final PhoenixSql sql;

    PhoenixTable(PhoenixConnections connections, PhoenixSql sql) {
        this.connections = connections;
        this.sql = sql;
    }

    @Override
    public List<TableName> hbaseTables() {
        List<TableName> tables = new ArrayList<>(List.of(TableName.valueOf(sql.table())));
        sql.index().ifPresent(index -> tables.add(TableName.valueOf(index)));
        return tables;
    }

    @Override
    public void create(List<String> splits) throws IOException {
        try (Connection connection = connections.open()) {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql.dropTable());
                statement.execute(sql.createTable(splits));
                Optional<String> index = sql.createIndex(splits);
                if (index.isPresent()) {
                    statement.execute(index.get());
                }
            }
            requireScanOf(sql.scanned(), connection, sql.selectOne(), "0");
            requireScanOf(sql.scanned(), connection, sql.selectRange(), "0", 1);
        } catch (SQLException e) {
            throw new IOException("Phoenix could not create " + sql.table() + ": " + e.getMessage(), e);
        }
    }

    /** Fails unless the plan of a query scans the given table, and so uses the index if that is one. */
    private static void requireScanOf(String table, Connection connection, String query, Object... parameters)
            throws SQLException, IOException {
        List<String> plan = new ArrayList<>();
        try (PreparedStatement explain = connection.prepareStatement("EXPLAIN " + query)) {
            for (int i = 0; i < parameters.length; i++) {
                explain.setObject(i + 1, parameters[i]);
            }
            try (ResultSet lines = explain.executeQuery()) {
                while (lines.next()) {
                    plan.add(lines.getString(1));
                }
            }
        }
        if (!scans(plan, table)) {
            throw new IOException("Phoenix would not scan " + table + " for the query " + query + "; its plan is "
                    + String.join(" | ", plan));
        }
    }

    /** Returns whether a plan scans a table. */
    static boolean scans(List<String> plan, String table) {
        Pattern scan = Pattern.compile(" OVER " + Pattern.quote(table) + "( |$)");
        return plan.stream().anyMatch(line -> scan.matcher(line).find());
    }

    @Override
    public RivalClient open() throws IOException {
        try {
            return new PhoenixClient(connections.open(), sql);
        } catch (SQLException e) {
            throw new IOException("Phoenix could not open a client of " + sql.table() + ": " + e.getMessage(), e);
        }
    }
}
