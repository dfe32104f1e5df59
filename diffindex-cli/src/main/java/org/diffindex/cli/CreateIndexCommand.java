package org.diffindex.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.cli.console.Progress;
import org.diffindex.client.BackfillListener;
import org.diffindex.client.BackfillProgress;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexedColumn;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code diffindex create-index}: creates an index and backfills it with the existing rows. */
@Command(
        name = "create-index",
        description = "Create an index on a table and backfill it with the existing rows; writers may continue.",
        footer = {
            "",
            "Schemes: sync-full (reads are exact; writes pay for it), sync-insert (reads are exact, and pay for it),"
                    + " async-simple (the index is updated after the acknowledgement), async-session (likewise, and a"
                    + " session sees its own writes).",
            "Types: bytes, string, int, long, double, class(NAME), struct(TYPE,...)#FIELD.",
            "",
            "An interrupted creation leaves the index BUILDING; the same command resumes it.",
            "",
            "Example:",
            "  diffindex create-index flights by_origin_date --columns f:origin,f:date --scheme sync-insert"
        })
final class CreateIndexCommand implements Callable<Integer> {
    @Mixin
    private ClusterConnection cluster;

    @Mixin
    private IndexArguments name;

    @Mixin
    private Progress progress;

    @Option(
            names = "--columns",
            paramLabel = "FAMILY:QUALIFIER[:TYPE],...",
            required = true,
            description = "The columns, in the order of the key; default type: string.")
    private Arguments.Columns columns;

    @Option(
            names = "--scheme",
            paramLabel = "SCHEME",
            required = true,
            description = "One of ${COMPLETION-CANDIDATES}.")
    private IndexScheme scheme;

    @Option(
            names = "--split-points",
            paramLabel = "VALUE",
            split = ",",
            description = "Values of the first column at which the index table is split; default: one region.")
    private List<String> splitPoints = List.of();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        IndexDefinition definition = definition();
        PrintWriter out = spec.commandLine().getOut();
        AtomicReference<BackfillProgress> backfilled = new AtomicReference<>(new BackfillProgress(0, 0, 0, 0, 0, 0));
        try (Connection connection = cluster.open();
                DiffIndexAdmin admin = new DiffIndexAdmin(connection);
                Progress.Bar bar = progress.open(
                        "backfill", " regions", 1, spec.commandLine().getErr())) {
            admin.createIndex(definition, new BackfillListener() {
                @Override
                public void backfilled(BackfillProgress now) {
                    backfilled.set(now);
                    bar.at(now.regionsDone(), now.regions(), inWords(now));
                }

                @Override
                public void continued(IndexDefinition index) {
                    spec.commandLine()
                            .getErr()
                            .println("Index " + index
                                    + " already exists: resuming its backfill from the first row; existing entries do not"
                                    + " change");
                }
            });
        }
        out.println("Index " + name.index() + " on " + name.table() + " is ACTIVE: " + inWords(backfilled.get()));
        return 0;
    }

    /** Returns what a backfill has done. A row that lacks a column of the index has no entry, and is not left out. */
    static String inWords(BackfillProgress backfilled) {
        return "%,d entries written, %,d rows left out, %,d rows read"
                .formatted(backfilled.entries(), backfilled.leftOut(), backfilled.rowsRead());
    }

    private IndexDefinition definition() {
        try {
            IndexDefinition.Builder builder =
                    IndexDefinition.builder(name.table(), name.index()).scheme(scheme);
            columns.list().forEach(builder::column);
            return builder.splitAt(splitValues()).build();
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private Object[] splitValues() {
        IndexedColumn first = columns.list().get(0);
        return splitPoints.stream().map(text -> ColumnValues.parse(first, text)).toArray();
    }
}
