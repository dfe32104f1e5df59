package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.List;
import java.util.function.IntSupplier;
import org.diffindex.lab.bench.rivals.RivalClient;
import org.diffindex.lab.bench.rivals.RivalClient.Hit;
import org.diffindex.ycsb.Items;

/**
 * A client that reads single items of another system's table. A read fails unless it returns exactly the row key and
 * the title of the item.
 */
final class RivalReadClient implements Load.Client {
    private final BenchTable target;
    private final RivalClient client;
    private final IntSupplier items;

    RivalReadClient(BenchTable target, RivalClient client, IntSupplier items) {
        this.target = target;
        this.client = client;
        this.items = items;
    }

    @Override
    public void operate() throws IOException {
        int item = items.getAsInt();
        Hit expected = new Hit(Items.key(item), target.titleText(item));
        List<Hit> hits = client.read(expected.key(), expected.title());
        if (!hits.equals(List.of(expected))) {
            throw new IOException("A read of " + target.name() + " did not return exactly the row of title "
                    + expected.title() + ": " + hits);
        }
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
