package org.diffindex.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.cli.console.ClusterConnection;
import org.diffindex.cli.console.Progress;
import org.diffindex.client.BuildOptions;
import org.diffindex.client.ColumnsChange;
import org.diffindex.client.ColumnsChangeOptions;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.verify.SchemeChange;
import org.diffindex.verify.SchemeChangeOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code diffindex alter-index}: changes the scheme of an index, or its columns. */
@Command(
        name = "alter-index",
        description = {
            "Change the scheme of an ACTIVE index, or its columns, while readers and writers continue.",
            "--scheme returns when the promise of the new scheme holds; until then that of the weaker of both schemes does."
                    + " If the command ends before, the same command again completes the change; a command with another"
                    + " scheme, the former one among them, takes its place.",
            "--columns, --split-points, --protected-cells and --index-format build another index table beside the present"
                    + " one. Returns when every write maintains both; with --wait, when readers have gone over to the new one,"
                    + " and the former one is dropped. The same command again continues the change; --cancel ends it as long"
                    + " as readers have not gone over."
        },
        footer = {
            "",
            "From sync-insert to another scheme, the index is compared with its table, and entries of old values are removed:"
                    + " run the command as a user from whom no cell is hidden.",
            "For a scheme, the regions of the index table are opened again twice or three times, those of the table once; for"
                    + " columns, those of the table three times. An index cannot be renamed: create a second one, let readers use"
                    + " it, and drop the first.",
            "See how far a change of columns is with: diffindex build status TABLE INDEX. Pause it, or change its rate, with:"
                    + " build pause, build limit.",
            "",
            "Examples:",
            "  diffindex alter-index flights by_origin --scheme sync-full",
            "  diffindex alter-index flights by_origin --columns f:origin,f:date --wait"
        })
final class AlterIndexCommand implements Callable<Integer> {
    @Mixin
    private ClusterConnection cluster;

    @Mixin
    private IndexArguments name;

    @Mixin
    private Progress progress;

    @Option(names = "--scheme", paramLabel = "SCHEME", description = "The new scheme, one of ${COMPLETION-CANDIDATES}.")
    private IndexScheme scheme;

    @Mixin
    private ColumnsArguments columns;

    @Option(names = "--wait", description = "With --columns and the like: return when readers use the new columns.")
    private boolean isWaiting;

    @Option(
            names = "--allow-left-out",
            description =
                    "With --wait: let readers go over although the build has left out rows that the new columns cannot"
                            + " index; readers do not find them afterwards.")
    private boolean allowsLeftOut;

    @Option(names = "--cancel", description = "Cancel the change of the columns that is under way.")
    private boolean isCancelling;

    @Option(
            names = "--remove-former",
            description = "Drop what the index was before its columns were changed, if that change could not.")
    private boolean isRemovingFormer;

    @Option(
            names = "--force",
            description =
                    "With --remove-former: although a region of the former table cannot be opened. Before, start the"
                            + " clients again that may have read by the former columns.")
    private boolean isForced;

    @Option(names = "--rename", paramLabel = "NAME", description = "Refused: an index cannot be renamed.")
    private String newName;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "600",
            description = "With --scheme: how long to wait for index updates in flight, each time; default:"
                    + " ${DEFAULT-VALUE}.")
    private long timeout;

    @Option(
            names = "--rate",
            paramLabel = "ROWS",
            description =
                    "The most rows to read per second: with --scheme, of both tables when the index is compared; with"
                            + " --columns and the like, of the table when the index is built; default: no limit.")
    private Double rate;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        requireOneChange();
        if (isCancelling) {
            try (Connection connection = cluster.open()) {
                ColumnsChange.cancel(connection, name.table(), name.index());
            }
            say("The change of the columns of index " + name.index() + " on " + name.table()
                    + " is cancelled: the index is as it was");
        } else if (isRemovingFormer) {
            try (Connection connection = cluster.open()) {
                ColumnsChange.removeFormer(connection, name.table(), name.index(), isForced);
            }
            say("What index " + name.index() + " on " + name.table()
                    + " was before its columns were changed is removed");
        } else if (scheme == null) {
            changeColumns();
        } else {
            changeScheme();
        }
        return 0;
    }

    private void requireOneChange() {
        if (newName != null) {
            throw new ParameterException(
                    spec.commandLine(),
                    "An index cannot be renamed: its name is part of the name of its table, and HBase renames no table."
                            + " Create an index " + newName + ", let readers use it, and drop " + name.index());
        }
        long changes = Stream.of(scheme != null, columns.areGiven(), isCancelling, isRemovingFormer)
                .filter(isGiven -> isGiven)
                .count();
        if (changes != 1) {
            throw new ParameterException(
                    spec.commandLine(),
                    "give --scheme, or --columns, --split-points, --protected-cells or --index-format, or --cancel, or"
                            + " --remove-former; change the scheme and the columns one after the other");
        }
        if (isForced && !isRemovingFormer) {
            throw new ParameterException(spec.commandLine(), "--force requires --remove-former");
        }
        if (allowsLeftOut && !isWaiting) {
            throw new ParameterException(spec.commandLine(), "--allow-left-out requires --wait");
        }
        if (isWaiting && !columns.areGiven()) {
            throw new ParameterException(
                    spec.commandLine(), "--wait is for a change of the columns; the others are complete on return");
        }
    }

    private void changeColumns() throws IOException {
        BuildOptions options = buildOptions();
        PrintWriter err = spec.commandLine().getErr();
        try (Connection connection = cluster.open();
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            IndexDefinition wanted = wanted(admin.describeIndex(name.table(), name.index()));
            boolean isComplete = true;
            if (isWaiting) {
                try (ColumnsChangeLines lines = new ColumnsChangeLines(progress, err)) {
                    ColumnsChange.run(connection, wanted, new ColumnsChangeOptions(options, allowsLeftOut), lines);
                }
            } else {
                isComplete = ColumnsChange.begin(connection, wanted, options).isEmpty();
            }
            say(
                    isComplete
                            ? "Index " + name.index() + " on " + name.table() + " has the columns "
                                    + ColumnsText.columns(wanted)
                            : "The columns of index " + name.index() + " on " + name.table()
                                    + " are being changed: every write maintains both the former and the new ones, and the"
                                    + " master fills the new table with the existing rows. Readers go over to it with the"
                                    + " same command and --wait. Look at its progress with: build status "
                                    + name.table() + " " + name.index());
        }
    }

    private IndexDefinition wanted(IndexDefinition present) {
        try {
            return columns.wanted(present);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private BuildOptions buildOptions() {
        try {
            return rate == null ? BuildOptions.DEFAULT : BuildOptions.DEFAULT.limitedTo(rate);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private void say(String outcome) {
        spec.commandLine().getOut().println(outcome);
    }

    private void changeScheme() throws IOException {
        SchemeChangeOptions options = options();
        PrintWriter err = spec.commandLine().getErr();
        try (Connection connection = cluster.open();
                DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            IndexDefinition index = admin.describeIndex(name.table(), name.index());
            try (SchemeChangeLines lines = new SchemeChangeLines(new ScrubBars(progress, index, err), err)) {
                SchemeChange.run(connection, name.table(), name.index(), scheme, options, lines);
            }
        }
        say("Index " + name.index() + " on " + name.table() + " is " + scheme + ": it promises what that scheme does");
    }

    private SchemeChangeOptions options() {
        if (rate != null && rate == 0) {
            throw new ParameterException(
                    spec.commandLine(), "A rate of 0 would read nothing; omit --rate for no limit");
        }
        try {
            return new SchemeChangeOptions(Duration.ofSeconds(timeout), rate == null ? 0 : rate);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }
}
