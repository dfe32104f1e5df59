package org.diffindex.lab.bench.rivals;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.TableName;

/** A table of items of another system, with the index by title that its contender has, if any. Thread-safe. */
public interface RivalTable {
    /** Returns the HBase tables of the rows and of the index, that of the rows first. */
    List<TableName> hbaseTables();

    /**
     * Creates the table and its index, without rows, in place of those of an earlier run.
     *
     * @param splits the keys that split the table by row key, and its index by title, into regions
     * @throws IOException if this fails, or if the system would not use the index for the reads of a client
     */
    void create(List<String> splits) throws IOException;

    /** Opens a client of the table, which must exist. */
    RivalClient open() throws IOException;
}
