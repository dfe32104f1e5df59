package org.diffindex.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.cli.console.Progress;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.FillListener;
import org.diffindex.client.FillProgress;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexedColumn;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code diffindex create-index}: makes an index and fills it with the rows that are there. */
@Command(
        name = "create-index",
        description = "Make an index on a table and fill it with the rows that are there; writers may write on.",
        footer = {
            "",
            "Schemes: sync-full (reads are exact, writes pay), sync-insert (reads are exact and pay), async-simple"
                    + " (the index follows), async-session (it follows, and a session sees its own writes).",
            "Types: bytes, string, int, long, double, class(NAME), struct(TYPE,...)#FIELD.",
            "",
            "A creation that was interrupted leaves the index BUILDING: the same command goes on with it.",
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
            description = "The columns, in the order of the key; of type string unless given.")
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
            description = "Values of the first column at which the index's table is split; one region unless given.")
    private List<String> splitPoints = List.of();

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        IndexDefinition definition = definition();
        PrintWriter out = spec.commandLine().getOut();
        AtomicReference<FillProgress> filled = new AtomicReference<>(new FillProgress(0, 0, 0, 0, 0, 0));
        try (Connection connection = cluster.open();
                DiffIndexAdmin admin = new DiffIndexAdmin(connection);
                Progress.Bar bar =
                        progress.open("fill", " regions", 1, spec.commandLine().getErr())) {
            admin.createIndex(definition, new FillListener() {
                @Override
                public void filled(FillProgress now) {
                    filled.set(now);
                    bar.at(now.regionsDone(), now.regions(), inWords(now));
                }

                @Override
                public void continued(IndexDefinition index) {
                    spec.commandLine()
                            .getErr()
                            .println("Index " + index
                                    + " is there already: going on with filling it, from the first row; what was filled before"
                                    + " stays as it is");
                }
            });
        }
        out.println("Index " + name.index() + " on " + name.table() + " is ACTIVE: " + inWords(filled.get()));
        return 0;
    }

    private static String inWords(FillProgress filled) {
        return "%,d rows filled, %,d left out, %,d read"
                .formatted(filled.rows() - filled.leftOut(), filled.leftOut(), filled.rowsRead());
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
