package org.diffindex.lab.bench.rivals;

import java.io.IOException;
import java.util.List;

/** Writes and reads a table of items of another system, as one client. For one thread. */
public interface RivalClient extends ItemWriter {
    /**
     * The columns of an item that a read returns.
     *
     * @param key the row key
     * @param title the title
     */
    record Hit(String key, String title) {}

    /**
     * Returns the items with a title, by the index; without an index, returns the item with a row key.
     *
     * @param key the row key of the item that is read
     * @param title the current title of that item
     */
    List<Hit> read(String key, String title) throws IOException;

    /**
     * Reads a range of items, row keys and titles, in the order of their titles by the index; without an index, in the
     * order of their row keys. Returns how many it found.
     *
     * @param from the lower bound of the titles, or of the row keys
     * @param most the largest number of items to read
     * @throws IOException also if an item is out of order or of another range
     */
    int range(String from, int most) throws IOException;
}
