package org.diffindex.cli;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Result;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.client.IndexHit;
import org.diffindex.client.IndexQuery;
import org.diffindex.client.IndexScanner;
import org.diffindex.client.IndexedTable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code diffindex get}: reads a table by an index and prints a line for each hit. */
@Command(
        name = "get",
        description = {
            "Read a table by an index. Print a line for each hit, with the indexed values and the row key, in index order."
                    + " Without a value, read the whole index. --in, --from, --to and --prefix are about the column after the"
                    + " values; with --in the others are about the column after that.",
            "Write a value that begins with '-' after '--', or, as that of an option, after '=': --from=-5."
        },
        footer = {
            "",
            "Examples:",
            "  diffindex get flights by_origin ORD --limit 5",
            "  diffindex get flights by_origin_date ORD --from 2001-01-01 --to 2001-01-02 --rows --format json",
            "  diffindex get flights by_origin_date --in ORD,LAX --prefix 2001-01 --reverse",
            "  diffindex get flights by_origin ORD --page 100",
            "  diffindex get flights by_origin ORD --page 100 --token TOKEN",
            "  diffindex get flights by_origin --in ORD,LAX --explain"
        })
final class GetCommand implements Callable<Integer> {
    private static final int BUFFER = 1 << 16;

    /** How many hits are printed between checks that the output is still open. */
    private static final int CHECK_EVERY = 10_000;

    @Mixin
    private ClusterConnection cluster;

    @Mixin
    private QueryArguments arguments;

    @Option(
            names = "--rows",
            description = "Print the base row's columns too, and leave out rows that no longer match.")
    private boolean rows;

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "tsv, or json for one object per line; default: tsv.")
    private HitFormat format = HitFormat.TSV;

    @Option(
            names = "--explain",
            description =
                    "Read nothing; print which ranges of keys the query selects, how many regions and servers they"
                            + " concern now, and how hits are checked.")
    private boolean explain;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        arguments.check();
        try (Connection connection = cluster.openForReading();
                IndexedTable table =
                        new IndexedTable(connection, arguments.index().table())) {
            IndexQuery query = arguments.query(rows);
            if (explain) {
                spec.commandLine().getOut().println(table.explain(query));
                return 0;
            }
            try (IndexScanner hits = table.getByIndex(query)) {
                print(hits);
            }
        }
        return 0;
    }

    private void print(IndexScanner hits) throws IOException {
        PrintWriter terminal = spec.commandLine().getOut();
        PrintWriter out = new PrintWriter(new BufferedWriter(terminal, BUFFER));
        long printed = 0;
        try {
            for (IndexHit hit = hits.next(); hit != null; hit = hits.next()) {
                Optional<Result> row = rows ? Optional.of(hit.result()) : Optional.empty();
                out.println(format.line(hit.columns(), hit.text(), hit.row(), row));
                printed++;
                if (printed % CHECK_EVERY == 0) {
                    check(out, terminal);
                }
            }
            if (arguments.isPaged()) {
                boolean isFull = printed == arguments.pageSize();
                printToken(isFull ? Optional.of(hits.token()) : Optional.empty(), out);
            }
        } finally {
            out.flush();
        }
        check(out, terminal);
    }

    /** Prints the token of the next page, if there may be one. */
    private void printToken(Optional<String> token, PrintWriter out) {
        if (format == HitFormat.JSON) {
            out.println(HitFormat.tokenLine(token));
        } else {
            out.flush();
            PrintWriter err = spec.commandLine().getErr();
            err.println(token.map(text -> "next page: --token " + text).orElse("this is the last page"));
            err.flush();
        }
    }

    /** Fails if the output is closed or full, so that the read ends. */
    private static void check(PrintWriter out, PrintWriter terminal) throws IOException {
        if (out.checkError() || terminal.checkError()) {
            throw new IOException("Not all hits were printed: the output is closed or full");
        }
    }
}
