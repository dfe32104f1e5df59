package org.diffindex.client;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.AdvancedScanResultConsumer;
import org.apache.hadoop.hbase.client.AsyncTable;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableDescriptor;

/**
 * The lookups and scans of one read, made by HBase's asynchronous client. They do not block: a call whose answer is not there
 * yet throws an {@link AwaitedAnswer}. All other methods of a table are unsupported. Used by one thread at a time.
 */
final class AwaitedTable implements Table {
    private final AsyncTable<AdvancedScanResultConsumer> table;
    private final AwaitedLookUps lookUps;

    /** Creates a table that makes its calls through another one. Makes no call. */
    AwaitedTable(AsyncTable<AdvancedScanResultConsumer> table, AwaitedLookUps lookUps) {
        this.table = table;
        this.lookUps = lookUps;
    }

    @Override
    public Result get(Get get) throws IOException {
        return lookUps.answer(getName(), List.of(get), () -> table.get(get).thenApply(List::of))
                .get(0);
    }

    /** Returns the rows in the order of the gets. HBase's client asks the region servers at the same time, each in one call. */
    @Override
    public Result[] get(List<Get> gets) throws IOException {
        return lookUps.answer(getName(), gets, () -> table.getAll(gets)).toArray(Result[]::new);
    }

    @Override
    public ResultScanner getScanner(Scan scan) {
        AwaitedScanner scanner = new AwaitedScanner(scan, lookUps);
        table.scan(scan, scanner);
        return scanner;
    }

    @Override
    public TableName getName() {
        return table.getName();
    }

    @Override
    public Configuration getConfiguration() {
        return table.getConfiguration();
    }

    @Override
    public TableDescriptor getDescriptor() {
        throw new UnsupportedOperationException("A read by index asks for no descriptor");
    }

    @Override
    public RegionLocator getRegionLocator() {
        throw new UnsupportedOperationException("A read by index leaves it to HBase's client to find regions");
    }

    /** Does nothing: the asynchronous table has no resources of its own. */
    @Override
    public void close() {}
}
