package org.diffindex.phoenix;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.diffindex.lab.bench.rivals.ItemRow;
import org.diffindex.lab.bench.rivals.RivalClient;

/**
 * A client of a table of items, with a connection and prepared statements of its own. Each write is committed at once. For
 * one thread.
 */
final class PhoenixClient implements RivalClient {
    /** The number of rows that a range fetches with each call, as the other clients do. */
    private static final int FETCH = 1_000;

    private final Connection connection;
    private final String table;
    private final boolean hasIndex;
    private final PreparedStatement upsert;
    private final PreparedStatement selectOne;
    private final PreparedStatement selectRange;

    /** Creates a client that closes the connection when it is closed. */
    PhoenixClient(Connection connection, PhoenixSql sql) throws SQLException {
        this.connection = connection;
        this.table = sql.table();
        this.hasIndex = sql.index().isPresent();
        this.upsert = connection.prepareStatement(sql.upsert());
        this.selectOne = connection.prepareStatement(sql.selectOne());
        this.selectRange = connection.prepareStatement(sql.selectRange());
        selectRange.setFetchSize(FETCH);
    }

    @Override
    public void put(ItemRow row) throws IOException {
        put(List.of(row));
    }

    @Override
    public void put(List<ItemRow> rows) throws IOException {
        try {
            for (ItemRow row : rows) {
                upsert(row);
            }
            connection.commit();
        } catch (SQLException e) {
            throw failed("write " + rows.size() + " rows", e);
        }
    }

    private void upsert(ItemRow row) throws SQLException {
        upsert.setString(1, row.key());
        upsert.setString(2, row.title());
        upsert.setLong(3, row.price());
        int column = 4;
        for (byte[] filler : row.fillers()) {
            upsert.setBytes(column, filler);
            column++;
        }
        int unused = upsert.executeUpdate();
    }

    @Override
    public List<Hit> read(String key, String title) throws IOException {
        try {
            selectOne.setString(1, hasIndex ? title : key);
            List<Hit> hits = new ArrayList<>();
            try (ResultSet rows = selectOne.executeQuery()) {
                while (rows.next()) {
                    hits.add(new Hit(rows.getString(1), rows.getString(2)));
                }
            }
            return hits;
        } catch (SQLException e) {
            throw failed("read the row of title " + title, e);
        }
    }

    @Override
    public int range(String from, int most) throws IOException {
        try {
            selectRange.setString(1, from);
            selectRange.setInt(2, most);
            int found = 0;
            String before = from;
            try (ResultSet rows = selectRange.executeQuery()) {
                while (rows.next()) {
                    Hit hit = new Hit(rows.getString(1), rows.getString(2));
                    String ordered = hasIndex ? hit.title() : hit.key();
                    int order = ordered.compareTo(before);
                    if (order < 0 || (order == 0 && found > 0)) { // titles and keys are unique
                        throw new IOException(
                                "A range of " + table + " from " + from + " returned " + ordered + " after " + before);
                    }
                    before = ordered;
                    found++;
                }
            }
            return found;
        } catch (SQLException e) {
            throw failed("read a range from " + from, e);
        }
    }

    private IOException failed(String operation, SQLException cause) {
        return new IOException("Phoenix could not " + operation + " of " + table + ": " + cause.getMessage(), cause);
    }

    @Override
    public void close() throws IOException {
        try {
            connection.close();
        } catch (SQLException e) {
            throw failed("close a client", e);
        }
    }
}
