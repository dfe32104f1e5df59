package org.diffindex.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.Callable;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.cli.console.Progress;
import org.diffindex.client.BuildOptions;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.model.ColumnCondition;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexFormat;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexedColumn;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code diffindex create-index}: creates an index, which the master fills with the existing rows. */
@Command(
        name = "create-index",
        description = {
            "Create an index on a table. The master then fills it with the existing rows, while writers continue; the"
                    + " index can be read when it is ACTIVE.",
            "Returns when every write maintains the index, or, with --wait, when it is ACTIVE."
        },
        footer = {
            "",
            "Schemes: sync-full (reads are exact; writes pay for it), sync-insert (reads are exact, and pay for it),"
                    + " async-simple (the index is updated after the acknowledgement), async-session (likewise, and a"
                    + " session sees its own writes).",
            "Types: bytes, string, int, long, double, class(NAME), struct(TYPE,...)#FIELD; each with :desc for descending"
                    + " order, such as f:time:long:desc.",
            "",
            "The master goes on if this command ends. While the index is BUILDING, the same command again waits for it, and"
                    + " lets a build that has failed go on from where it was. See also: diffindex build --help.",
            "",
            "Example:",
            "  diffindex create-index flights by_origin_date --columns f:origin,f:date --scheme sync-insert --wait",
            "  diffindex create-index flights by_origin_delay --columns f:origin --include f:dep_delay:int"
                    + " --scheme sync-full",
            "  diffindex create-index flights late_by_origin --columns f:origin --where 'f:dep_delay:int >= 60'"
                    + " --scheme sync-full"
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
            names = "--include",
            paramLabel = "FAMILY:QUALIFIER[:TYPE],...",
            description =
                    "Further columns that the entries include, so that reads show them without the base row: values of"
                            + " up to 64 KB each; the type only formats them.")
    private Arguments.Columns included = Arguments.Columns.NONE;

    @Option(
            names = "--where",
            paramLabel = "CONDITION",
            description =
                    "Index only rows that satisfy the condition, and others that are given, such as 'f:status = open',"
                            + " 'f:delay:int >= 60', 'f:carrier in (AA,UA)', 'f:gate present' or 'f:cancelled absent', with blanks"
                            + " around the operator.")
    private List<ColumnCondition> conditions = List.of();

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
            description =
                    "Values of the first column at which the index table is split; default: by a sample of the rows.")
    private List<String> splitPoints = List.of();

    @Option(
            names = "--regions",
            paramLabel = "N",
            description =
                    "Split the index table into at most this many regions, by a sample of the rows; default: as many as"
                            + " the table has, at most 3 for each region server.")
    private Integer regions;

    @Option(
            names = "--protected-cells",
            description =
                    "Index cells with an ACL or a visibility label of their own, too: whoever may read their columns"
                            + " finds their values in the index. By default a row with such a cell has no entry.")
    private boolean protectedCells;

    @Option(
            names = "--index-format",
            paramLabel = "N",
            description =
                    "The format of the definition and the entries; default: the first that has what the index uses, "
                            + IndexFormat.FIRST
                            + " for most, which every build of Diff-Index knows. A later one is refused until"
                            + " the masters and all region servers know it, and clients of earlier builds cannot read the index.")
    private Integer format;

    @Mixin
    private BuildArguments build;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        IndexDefinition definition = definition();
        BuildOptions options = options();
        PrintWriter out = spec.commandLine().getOut();
        try (Connection connection = cluster.open();
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            admin.beginIndex(definition, options);
            out.println(build.outcome(admin, name, progress, spec));
        }
        return 0;
    }

    private BuildOptions options() {
        if (regions != null && !splitPoints.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "give --split-points or --regions, not both");
        }
        return build.options(spec, regions == null ? OptionalInt.empty() : OptionalInt.of(regions));
    }

    private IndexDefinition definition() {
        try {
            IndexDefinition.Builder builder =
                    IndexDefinition.builder(name.table(), name.index()).scheme(scheme);
            if (format != null) {
                builder.format(format);
            }
            columns.list().forEach(builder::column);
            included.list().forEach(builder::include);
            conditions.forEach(builder::where);
            if (protectedCells) {
                builder.indexProtectedCells();
            }
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
