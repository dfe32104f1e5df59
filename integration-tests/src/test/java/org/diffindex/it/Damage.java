package org.diffindex.it;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexAddress;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.UndecodableValueException;
import org.diffindex.verify.Difference;

/** Plants damage in an index table, bypassing its guard, and remembers where. Used by one thread. */
final class Damage {
    private static final byte[] STRAY = Bytes.toBytes("stray");
    private static final byte[] NO_KEY = {0, 5, 'x'};

    private final IndexedFixture fixture;
    private final IndexDefinition index;
    private final IndexEntryFunction function;
    private final Map<Difference, List<String>> planted = new TreeMap<>();

    /** The rows that have an entry and are not damaged yet. */
    private final List<Result> sound = new ArrayList<>();

    Damage(IndexedFixture fixture, IndexDefinition index) {
        this.fixture = fixture;
        this.index = index;
        this.function = new IndexEntryFunction(index);
    }

    /** The damaged rows, by the difference to be found there; {@code no row} where none is named. */
    Map<Difference, List<String>> planted() {
        planted.values().forEach(rows -> rows.sort(null));
        return planted;
    }

    /** Plants one or more differences of each kind, each in a row of its own. */
    void plantEveryKind() throws IOException, UndecodableValueException {
        long now = System.currentTimeMillis();
        long future = now + TimeUnit.DAYS.toMillis(1);
        readSoundRows();
        for (int i = 0; i < 3; i++) {
            Result row = next(Difference.MISSING);
            removeEntry(entryOf(row));
        }
        for (long stamp : new long[] {now, future}) {
            planted(orFuture(Difference.DANGLING, stamp == future), "ghost" + stamp);
            put(index.entryFormat().put(new IndexEntry(keyOf("nowhere", "ghost" + stamp), stamp - 3), stamp));

            Result stale = next(orFuture(Difference.STALE, stamp == future));
            put(index.entryFormat()
                    .put(new IndexEntry(keyOf("elsewhere", Bytes.toString(stale.getRow())), stamp), stamp));

            IndexEntry late = entryOf(next(Difference.WRONG_TIMESTAMP));
            put(index.entryFormat().put(new IndexEntry(late.key(), late.timestamp() - 5), stamp));

            IndexEntry odd = entryOf(next(Difference.UNDECODABLE));
            put(new Put(odd.key()).addColumn(EntryFormat.FAMILY, EntryFormat.QUALIFIER, stamp, new byte[3]));
        }
        IndexEntry ahead = entryOf(next(Difference.FUTURE_STAMP));
        put(index.entryFormat().put(ahead, future + TimeUnit.DAYS.toMillis(1)));
        put(new Put(entryOf(next(Difference.DUPLICATE)).key())
                .addColumn(EntryFormat.FAMILY, STRAY, now, Bytes.toBytes("again")));
        planted(Difference.UNDECODABLE, "no row");
        put(index.entryFormat().put(new IndexEntry(NO_KEY, now), now));
        planted(Difference.UNDECODABLE, "no row");
        put(index.entryFormat().put(new IndexEntry(keyOf("nowhere", ""), now), now));
        planted(Difference.UNDECODABLE, "strayed");
        put(new Put(keyOf("nowhere", "strayed")).addColumn(EntryFormat.FAMILY, STRAY, now, Bytes.toBytes("?")));
    }

    /** Returns the difference of an entry that the scheme may leave behind, but not with a future stamp. */
    private Difference orFuture(Difference difference, boolean isOfTheFuture) {
        return isOfTheFuture && difference.isAllowedBy(index.scheme()) ? Difference.FUTURE_STAMP : difference;
    }

    /** Damages entries of rows that are being written, if they have an entry. */
    void plantOnHotRows(int round) throws IOException, UndecodableValueException {
        readSoundRows();
        long now = System.currentTimeMillis();
        for (int i = 0; i < sound.size(); i++) {
            IndexEntry entry = entryOf(sound.get(i));
            String row = Bytes.toString(sound.get(i).getRow());
            switch ((i + round) % 4) {
                case 0 -> removeEntry(entry);
                case 1 -> put(index.entryFormat().put(new IndexEntry(keyOf("elsewhere", row), now), now));
                case 2 -> put(index.entryFormat().put(new IndexEntry(entry.key(), entry.timestamp() - 5), now - 1));
                default -> put(new Put(entry.key()).addColumn(EntryFormat.FAMILY, STRAY, now, STRAY));
            }
        }
    }

    /** Removes the entry of a row. */
    void remove(String row) throws IOException {
        removeEntry(entryOf(fixture.table.get(new Get(Bytes.toBytes(row)))));
    }

    private void removeEntry(IndexEntry entry) throws IOException {
        try (Table table = table()) {
            Result cell = table.get(new Get(entry.key()));
            if (!cell.isEmpty()) {
                table.delete(index.entryFormat().delete(entry.key(), cell.rawCells()[0].getTimestamp()));
            }
        }
    }

    private void readSoundRows() throws IOException {
        sound.clear();
        try (ResultScanner rows = fixture.table.getScanner(new Scan())) {
            for (Result row : rows) {
                if (function.entryOf(row.getRow(), row.listCells()).isPresent()) {
                    sound.add(row);
                }
            }
        }
    }

    /** Returns a row that is to be damaged now. */
    private Result next(Difference difference) {
        Result row = sound.remove(sound.size() * 2 / 3);
        planted(difference, Bytes.toStringBinary(row.getRow()));
        return row;
    }

    private void planted(Difference difference, String row) {
        planted.computeIfAbsent(difference, kind -> new ArrayList<>()).add(row);
    }

    private IndexEntry entryOf(Result row) {
        return function.entryOf(row.getRow(), row.listCells()).orElseThrow();
    }

    private byte[] keyOf(String city, String row) throws UndecodableValueException {
        Map<String, byte[]> values = new HashMap<>();
        values.put("city", Bytes.toBytes(city));
        values.put("age", Bytes.toBytes(1));
        List<byte[]> ofColumns = index.keyColumns().stream()
                .map(column -> values.get(Bytes.toString(column.qualifier())))
                .toList();
        return function.codec().encode(ofColumns, Bytes.toBytes(row));
    }

    private void put(Put put) throws IOException {
        IndexAddress.of(put, index.id());
        try (Table table = table()) {
            table.put(put);
        }
    }

    private Table table() throws IOException {
        return fixture.connection.getTable(index.indexTable());
    }
}
