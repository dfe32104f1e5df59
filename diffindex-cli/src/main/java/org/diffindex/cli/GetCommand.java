package org.diffindex.cli;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import org.diffindex.model.IndexDefinition;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code diffindex get}: reads a table by an index and prints a line for each hit. */
@Command(
        name = "get",
        description = {
            "Read a table by an index. Print a line for each hit, with the indexed values and the row key, in index order."
                    + " Without a value, read the whole index.",
            "Write a value that begins with '-' after '--', or, as a bound, after '=': --from=-5."
        },
        footer = {
            "",
            "Examples:",
            "  diffindex get flights by_origin ORD --limit 5",
            "  diffindex get flights by_origin_date ORD --from 2001-01-01 --to 2001-01-02 --rows --format json"
        })
final class GetCommand implements Callable<Integer> {
    private static final int BUFFER = 1 << 16;

    /** Entries per call: few calls for many hits, and the limit still keeps small reads small. */
    private static final int CACHING = 1000;

    /** How many hits are printed between checks that the output is still open. */
    private static final int CHECK_EVERY = 10_000;

    @Mixin
    private ClusterConnection cluster;

    @Mixin
    private IndexArguments name;

    @Parameters(
            index = "2..*",
            arity = "0..*",
            paramLabel = "VALUE",
            description = "Values of the index's first column, the second, and so on; fewer select a prefix.")
    private List<String> values = List.of();

    @Option(
            names = "--from",
            paramLabel = "VALUE",
            description = "Inclusive lower bound of the next column; repeat it for the column after that.")
    private List<String> from = List.of();

    @Option(
            names = "--to",
            paramLabel = "VALUE",
            description =
                    "Upper bound of the next column, exclusive without --inclusive; repeat it for the column after that.")
    private List<String> to = List.of();

    @Option(names = "--inclusive", description = "Include keys that begin with the bound of --to.")
    private boolean inclusive;

    @Option(names = "--limit", paramLabel = "N", description = "The most hits to print; default: all.")
    private long limit = Long.MAX_VALUE;

    @Option(
            names = "--rows",
            description = "Print the base row's columns too, and leave out rows that no longer match.")
    private boolean rows;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "tsv, or json for one object per line; default: tsv.")
    private HitFormat format = HitFormat.TSV;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        if (limit < 0) {
            throw new ParameterException(spec.commandLine(), "--limit cannot be negative: " + limit);
        }
        if (inclusive && to.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--inclusive requires --to");
        }
        try (Connection connection = cluster.openForReading();
                IndexedTable table = new IndexedTable(connection, name.table())) {
            IndexDefinition definition = table.getIndex(name.index());
            try (IndexScanner hits = table.getByIndex(query(definition))) {
                print(hits, definition);
            }
        }
        return 0;
    }

    private IndexQuery query(IndexDefinition definition) {
        IndexQuery.Builder query = IndexQuery.index(name.index())
                .equalTo(ColumnValues.parse(definition, 0, values).toArray())
                .from(ColumnValues.parse(definition, values.size(), from).toArray())
                .limit(limit)
                .caching(CACHING);
        Object[] end = ColumnValues.parse(definition, values.size(), to).toArray();
        if (inclusive) {
            query.toInclusive(end);
        } else {
            query.to(end);
        }
        return rows ? query.withRows().build() : query.build();
    }

    private void print(IndexScanner hits, IndexDefinition definition) throws IOException {
        PrintWriter terminal = spec.commandLine().getOut();
        PrintWriter out = new PrintWriter(new BufferedWriter(terminal, BUFFER));
        long printed = 0;
        try {
            for (IndexHit hit = hits.next(); hit != null; hit = hits.next()) {
                Optional<Result> row = rows ? Optional.of(hit.result()) : Optional.empty();
                out.println(format.line(definition.keyColumns(), hit.text(), hit.row(), row));
                printed++;
                if (printed % CHECK_EVERY == 0) {
                    check(out, terminal);
                }
            }
        } finally {
            out.flush();
        }
        check(out, terminal);
    }

    /** Fails if the output is closed or full, so that the read ends. */
    private static void check(PrintWriter out, PrintWriter terminal) throws IOException {
        if (out.checkError() || terminal.checkError()) {
            throw new IOException("Not all hits were printed: the output is closed or full");
        }
    }
}
