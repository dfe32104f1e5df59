package org.diffindex.cli;

import java.io.IOException;
import org.diffindex.cli.console.Progress;
import org.diffindex.client.BuildStatus;
import org.diffindex.client.DiffIndexAdmin;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code diffindex build}: follows and controls the build of an index, which the master runs. */
@Command(
        name = "build",
        description = {
            "Follow or control the build of an index that is BUILDING. The master runs it, whether or not a command waits.",
            "Prints how far the build is."
        },
        subcommands = {
            BuildCommand.Show.class,
            BuildCommand.Await.class,
            BuildCommand.Pause.class,
            BuildCommand.Resume.class,
            BuildCommand.Limit.class,
            BuildCommand.Cancel.class,
            BuildJobCommand.class
        },
        footer = {"", "Example:", "  diffindex build limit flights by_origin --rate 5000"})
final class BuildCommand {
    /** A command that prints the status of the build of one index. */
    abstract static class OfIndex extends IndexCommand {
        @Option(names = "--json", description = "Print a JSON object.")
        private boolean json;

        abstract BuildStatus status(DiffIndexAdmin admin) throws IOException;

        @Override
        String run(DiffIndexAdmin admin) throws IOException {
            BuildStatus status = status(admin);
            String state = StatusText.state(admin.stateOf(name().table(), name().index()));
            return json ? BuildText.json(name(), state, status) : BuildText.lines(name(), state, status);
        }
    }

    /** {@code diffindex build status}. */
    @Command(name = "status", description = "Print how far the build of an index is.")
    static final class Show extends OfIndex {
        @Override
        BuildStatus status(DiffIndexAdmin admin) throws IOException {
            return admin.builds().status(name().table(), name().index());
        }
    }

    /** {@code diffindex build wait}. */
    @Command(name = "wait", description = "Wait until an index is ACTIVE.")
    static final class Await extends OfIndex {
        @Mixin
        private Progress progress;

        @Override
        BuildStatus status(DiffIndexAdmin admin) throws IOException {
            return BuildText.await(admin, name(), progress, spec());
        }
    }

    /** {@code diffindex build pause}. */
    @Command(
            name = "pause",
            description = "Let the build of an index stand still until it is resumed; every write maintains the index.")
    static final class Pause extends OfIndex {
        @Override
        BuildStatus status(DiffIndexAdmin admin) throws IOException {
            return admin.builds().pause(name().table(), name().index());
        }
    }

    /** {@code diffindex build resume}. */
    @Command(name = "resume", description = "Resume the build of an index, or try it again if it has failed.")
    static final class Resume extends OfIndex {
        @Option(
                names = "--master",
                description =
                        "Take the build from the MapReduce job that has it, dead or alive; the master does the rest.")
        private boolean onMaster;

        @Override
        BuildStatus status(DiffIndexAdmin admin) throws IOException {
            return onMaster
                    ? admin.builds().resumeOnMaster(name().table(), name().index())
                    : admin.builds().resume(name().table(), name().index());
        }
    }

    /** {@code diffindex build limit}. */
    @Command(name = "limit", description = "Limit the rate of the build of an index, while it runs or before.")
    static final class Limit extends OfIndex {
        @Option(
                names = "--rate",
                paramLabel = "ROWS",
                required = true,
                description = "The base rows that the build reads a second; 0 for no limit.")
        private double rate;

        @Override
        BuildStatus status(DiffIndexAdmin admin) throws IOException {
            return admin.builds().limit(name().table(), name().index(), rate);
        }
    }

    /** {@code diffindex build cancel}. */
    @Command(name = "cancel", description = "Drop an index whose build is not complete.")
    static final class Cancel extends IndexCommand {
        @Override
        String run(DiffIndexAdmin admin) throws IOException {
            admin.builds().cancel(name().table(), name().index());
            return "Cancelled: index " + name().index() + " on " + name().table() + " is dropped";
        }
    }
}
