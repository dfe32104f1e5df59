package org.diffindex.lab.bench.rivals;

import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/** Writes rows of a table of items, as one client. For one thread. */
public interface ItemWriter extends Closeable {
    /** Writes one row; returns when it is acknowledged. */
    void put(ItemRow row) throws IOException;

    /** Writes several rows together; returns when all are acknowledged. */
    void put(List<ItemRow> rows) throws IOException;
}
