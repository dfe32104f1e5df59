package org.diffindex.lab.bench.rivals;

import java.util.List;

/**
 * A row of the paper's table of items: about 1 KB.
 *
 * @param key the row key
 * @param title the title
 * @param price the price
 * @param fillers the values of the other columns, in the order of {@link org.diffindex.ycsb.Items#FILLERS}
 */
public record ItemRow(String key, String title, long price, List<byte[]> fillers) {
    /** Copies the list, but not the values. */
    public ItemRow {
        fillers = List.copyOf(fillers);
    }
}
