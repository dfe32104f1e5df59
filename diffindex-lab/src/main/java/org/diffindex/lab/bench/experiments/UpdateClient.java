package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.Random;
import java.util.function.IntSupplier;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.lab.bench.rivals.ItemWriter;

/** A client that gives items new titles: whole rows, one put at a time. */
final class UpdateClient implements Load.Client {
    private final BenchTable target;
    private final IntSupplier items;
    private final Random random;
    private final ItemWriter writer;

    UpdateClient(Connection connection, BenchTable target, IntSupplier items, Random random) throws IOException {
        this.target = target;
        this.items = items;
        this.random = random;
        this.writer = target.writer(connection);
    }

    @Override
    public void operate() throws IOException {
        writer.put(target.nextRow(items.getAsInt(), random));
    }

    @Override
    public void close() throws IOException {
        writer.close();
    }
}
