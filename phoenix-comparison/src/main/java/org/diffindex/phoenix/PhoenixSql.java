package org.diffindex.phoenix;

import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.diffindex.ycsb.Items;

/** The statements for the table of items with one kind of index. Immutable. */
final class PhoenixSql {
    private static final String KEY = "ITEM_KEY";
    private static final String TITLE = upperCase(Items.TITLE);
    private static final String PRICE = upperCase(Items.PRICE);

    /**
     * The time after which a client asks the server again for the description of a table. Phoenix's default is to ask
     * for each statement, with a call of its own.
     */
    private static final long UPDATE_CACHE_FREQUENCY = TimeUnit.DAYS.toMillis(1);

    private final PhoenixIndex index;

    PhoenixSql(PhoenixIndex index) {
        this.index = index;
    }

    /** Returns the name of the table. */
    String table() {
        return "DIFFINDEX_BENCH_" + index.name();
    }

    /** Returns the name of the index; empty without one. */
    Optional<String> index() {
        return index.creation().map(words -> table() + "_BY_TITLE");
    }

    /** Returns the name of the table that a read must scan: the index, or else the table. */
    String scanned() {
        return index().orElseGet(this::table);
    }

    String dropTable() {
        return "DROP TABLE IF EXISTS " + table();
    }

    /** Returns the statement that creates the table. */
    String createTable(List<String> splits) {
        String fillers = Items.FILLERS.stream()
                .map(filler -> ", " + upperCase(filler) + " VARBINARY")
                .collect(Collectors.joining());
        return "CREATE TABLE " + table() + " (" + KEY + " VARCHAR NOT NULL PRIMARY KEY, " + TITLE + " VARCHAR, " + PRICE
                + " BIGINT" + fillers + ") UPDATE_CACHE_FREQUENCY=" + UPDATE_CACHE_FREQUENCY + splitOn(splits);
    }

    /** Returns the statement that creates the index; empty without one. */
    Optional<String> createIndex(List<String> splits) {
        return index.creation()
                .map(words -> words + " " + scanned() + " ON " + table() + " (" + TITLE + ")" + splitOn(splits));
    }

    private static String splitOn(List<String> splits) {
        return splits.isEmpty() ? "" : " SPLIT ON ('" + String.join("', '", splits) + "')";
    }

    /** Returns the statement that writes one row: key, title, price, and the other columns. */
    String upsert() {
        int columns = 3 + Items.FILLERS.size();
        return "UPSERT INTO " + table() + " VALUES (" + String.join(", ", Collections.nCopies(columns, "?")) + ")";
    }

    /** Returns the query of keys and titles by a title, or by a key without an index. */
    String selectOne() {
        return select() + " = ?";
    }

    /** Returns the query of a number of keys and titles, from a title on, or from a key on without an index. */
    String selectRange() {
        return select() + " >= ? ORDER BY " + condition() + " LIMIT ?";
    }

    private String select() {
        String hint = index().map(name -> "/*+ INDEX(" + table() + " " + name + ") */ ")
                .orElse("");
        return "SELECT " + hint + KEY + ", " + TITLE + " FROM " + table() + " WHERE " + condition();
    }

    private String condition() {
        return index().isPresent() ? TITLE : KEY;
    }

    private static String upperCase(String column) {
        return column.toUpperCase(Locale.ROOT);
    }
}
