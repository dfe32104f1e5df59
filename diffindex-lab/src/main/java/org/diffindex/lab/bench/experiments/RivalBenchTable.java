package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.IntSupplier;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.lab.bench.rivals.ItemRow;
import org.diffindex.lab.bench.rivals.ItemWriter;
import org.diffindex.lab.bench.rivals.RivalTable;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.ycsb.Items;

/** A table of items of another system, which its own clients write and read. Thread-safe. */
final class RivalBenchTable extends BenchTable {
    private final RivalTable table;

    RivalBenchTable(Contender contender, RivalTable table, int rows, int regions) {
        super(table.hbaseTables().get(0), contender, rows, 0, regions);
        this.table = table;
    }

    @Override
    List<TableName> hbaseTables() {
        return table.hbaseTables();
    }

    @Override
    Optional<TableName> maintained() {
        return Optional.empty();
    }

    @Override
    void create(Connection connection) throws IOException {
        table.create(Items.splits(regions()));
    }

    @Override
    ItemWriter writer(Connection connection) throws IOException {
        return table.open();
    }

    @Override
    void write(Connection connection, List<ItemRow> rows) throws IOException {
        try (ItemWriter writer = writer(connection)) {
            writer.put(rows);
        }
    }

    @Override
    Load.Client reader(Connection connection, Projection projection, IntSupplier items) throws IOException {
        if (projection != Projection.TITLE) {
            throw new IllegalArgumentException("A table of another system is not read with projection " + projection);
        }
        return new RivalReadClient(this, table.open(), items);
    }

    @Override
    RangeClient rangeReader(Connection connection, int entries, IntSupplier region) throws IOException {
        return RangeClient.ofRival(table.open(), name(), entries, region);
    }
}
