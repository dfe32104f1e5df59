package org.diffindex.server;

import java.io.IOException;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.diffindex.server.deliver.IndexSink;
import org.diffindex.server.deliver.IndexUpdate;
import org.diffindex.server.spill.SpillFiles;

/**
 * An {@link IndexSink} of a server that does not write what it held while it slept for hours. An update that is late is
 * harmless as long as the index table keeps the tombstones of the writes that followed, a day by default. So if the
 * server's lease ended long ago, the holding of its regions is confirmed before each write. Thread-safe.
 *
 * @param isLongOver whether the lease ended long ago
 */
record FencedSink(IndexSink sink, BooleanSupplier isLongOver, SpillFiles.Holding holding) implements IndexSink {
    @Override
    public void write(List<IndexUpdate> updates) throws IOException {
        if (isLongOver.getAsBoolean()) {
            holding.confirm();
        }
        sink.write(updates);
    }
}
