package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.IntSupplier;
import org.apache.hadoop.hbase.client.AsyncConnection;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.lab.steps.Interruption;
import org.diffindex.ycsb.Items;

/** A client that performs plain work on a table without an index and on one with the layout of an index. */
final class PlainClient implements Load.Client {
    private final PlainWork work;
    private final BenchTable target;
    private final IntSupplier items;
    private final Random random;
    private final Table table;
    private final Table entries;

    /** The table of entries, for calls that overlap others. */
    private final AsyncTable<?> asyncEntries;

    private final LaterEntries entriesLater;

    /** Creates a client that uses the connections and {@code entriesLater}, and does not close them. */
    PlainClient(
            PlainWork work,
            Connection connection,
            AsyncConnection asynchronous,
            LaterEntries entriesLater,
            BenchTable target,
            EntryTable entries,
            IntSupplier items,
            Random random)
            throws IOException {
        this.work = work;
        this.target = target;
        this.items = items;
        this.random = random;
        this.table = connection.getTable(target.name());
        this.entries = connection.getTable(entries.name());
        this.asyncEntries = asynchronous.getTable(entries.name());
        this.entriesLater = entriesLater;
    }

    @Override
    public void operate() throws IOException {
        switch (work) {
            case PUT, PUT_WITH_ENTRY, PUT_THEN_ENTRY, PUT_THEN_GET, PUT_THEN_ENTRIES, PUT_ENTRIES_LATER ->
                put(items.getAsInt());
            case BATCH -> table.put(rows(new ArrayList<>()));
            case BATCH_THEN_ENTRIES -> batchThenEntries();
            case READS_BATCH_ENTRIES -> readsThenBatchThenEntries();
            case GET -> readTitle(items.getAsInt());
            case GET_THEN_GET -> {
                readTitle(items.getAsInt());
                readTitle(items.getAsInt());
            }
        }
    }

    private void put(int item) throws IOException {
        byte[] oldTitle = target.title(item);
        Put row = target.nextVersion(item, random);
        byte[] title = target.title(item);
        if (work == PlainWork.PUT_WITH_ENTRY) {
            CompletableFuture<Void> entry = asyncEntries.put(EntryTable.put(title, row.getRow()));
            table.put(row);
            await(entry);
            return;
        }
        table.put(row);
        if (work == PlainWork.PUT_THEN_ENTRY) {
            entries.put(EntryTable.put(title, row.getRow()));
        } else if (work == PlainWork.PUT_THEN_GET) {
            boolean unused = entries.exists(new Get(EntryTable.key(title, row.getRow())));
        } else if (work == PlainWork.PUT_THEN_ENTRIES) {
            CompletableFuture<Void> entry = asyncEntries.put(EntryTable.put(title, row.getRow()));
            CompletableFuture<Void> old = asyncEntries.delete(EntryTable.delete(oldTitle, row.getRow()));
            await(entry);
            await(old);
        } else if (work == PlainWork.PUT_ENTRIES_LATER) {
            entriesLater.add(EntryTable.put(title, row.getRow()));
            entriesLater.add(EntryTable.delete(oldTitle, row.getRow()));
        }
    }

    /**
     * Returns the next versions of {@link GoalLoads#BATCH_ROWS} items; adds the mutations of their entries to the list,
     * unless the work is without an index.
     */
    private List<Put> rows(List<Row> mutations) {
        List<Put> rows = new ArrayList<>(GoalLoads.BATCH_ROWS);
        BatchExperiment.items(target, random).forEach(item -> {
            byte[] oldTitle = target.title(item);
            Put row = target.nextVersion(item, random);
            rows.add(row);
            if (work != PlainWork.BATCH) {
                mutations.add(EntryTable.put(target.title(item), row.getRow()));
                mutations.add(EntryTable.delete(oldTitle, row.getRow()));
            }
        });
        return rows;
    }

    private void batchThenEntries() throws IOException {
        List<Row> mutations = new ArrayList<>(2 * GoalLoads.BATCH_ROWS);
        putWithEntries(rows(mutations), mutations);
    }

    /**
     * Does the work of sync-full, except that it reads the old titles before the rows are written, at the same cost.
     */
    private void readsThenBatchThenEntries() throws IOException {
        List<Row> mutations = new ArrayList<>(2 * GoalLoads.BATCH_ROWS);
        List<Put> rows = rows(mutations);
        for (Result row :
                table.get(rows.stream().map(put -> titleOf(put.getRow())).toList())) {
            check(row.isEmpty());
        }
        putWithEntries(rows, mutations);
    }

    private void putWithEntries(List<Put> rows, List<Row> mutations) throws IOException {
        table.put(rows);
        try {
            entries.batch(mutations, new Object[mutations.size()]);
        } catch (InterruptedException e) {
            throw Interruption.of(e);
        }
    }

    private void readTitle(int item) throws IOException {
        check(table.get(titleOf(BenchTable.key(item))).isEmpty());
    }

    private static Get titleOf(byte[] row) {
        return new Get(row).addColumn(BenchTable.FAMILY, Bytes.toBytes(Items.TITLE));
    }

    private void check(boolean missing) throws IOException {
        if (missing) {
            throw new IOException("A loaded row is missing from " + target.name());
        }
    }

    private static void await(CompletableFuture<Void> call) throws IOException {
        try {
            call.get();
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } catch (InterruptedException e) {
            throw Interruption.of(e);
        }
    }

    @Override
    public void close() throws IOException {
        try (table) {
            entries.close();
        }
    }
}
