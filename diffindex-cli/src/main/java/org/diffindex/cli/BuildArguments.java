package org.diffindex.cli;

import java.io.IOException;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.diffindex.cli.console.Progress;
import org.diffindex.client.BuildOptions;
import org.diffindex.client.DiffIndexAdmin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The options of a command after which the master builds an index. */
final class BuildArguments {
    @Option(names = "--wait", description = "Return when the index is ACTIVE.")
    private boolean isWaiting;

    @Option(
            names = "--rate",
            paramLabel = "ROWS",
            description = "Limit the build to this many base rows a second; see also: diffindex build limit.")
    private Double rate;

    @Option(names = "--paused", description = "Begin the build only after: diffindex build resume.")
    private boolean isPaused;

    /**
     * Returns how the build is to begin.
     *
     * @param regions the number of regions of a new index table, if it was given
     * @throws ParameterException if the options contradict each other, or a value is not possible
     */
    BuildOptions options(CommandSpec spec, OptionalInt regions) {
        if (isWaiting && isPaused) {
            throw new ParameterException(spec.commandLine(), "--wait would wait for a build that is --paused");
        }
        try {
            return new BuildOptions(rate == null ? OptionalDouble.empty() : OptionalDouble.of(rate), isPaused, regions);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    /** Waits for the build if that was asked for; returns what the command says. */
    String outcome(DiffIndexAdmin admin, IndexArguments name, Progress progress, CommandSpec spec) throws IOException {
        return isWaiting ? BuildText.active(name, BuildText.await(admin, name, progress, spec)) : BuildText.begun(name);
    }
}
