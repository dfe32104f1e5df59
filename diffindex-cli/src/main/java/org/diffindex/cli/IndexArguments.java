package org.diffindex.cli;

import org.apache.hadoop.hbase.TableName;
import picocli.CommandLine.Parameters;

/** The arguments that name an index: its table and its name. */
final class IndexArguments {
    @Parameters(index = "0", paramLabel = "TABLE", description = "The table, or namespace:table.")
    private TableName table;

    @Parameters(index = "1", paramLabel = "INDEX", description = "The name of the index.")
    private String index;

    TableName table() {
        return table;
    }

    String index() {
        return index;
    }
}
