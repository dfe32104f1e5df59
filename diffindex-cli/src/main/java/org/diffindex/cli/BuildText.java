package org.diffindex.cli;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.diffindex.cli.console.Progress;
import org.diffindex.client.BuildStatus;
import org.diffindex.client.DiffIndexAdmin;
import picocli.CommandLine.Model.CommandSpec;

/** Texts of {@code create-index}, {@code enable-index}, {@code rebuild-index} and {@code build}, and their wait for a build. */
final class BuildText {
    private static final BuildStatus NOTHING = new BuildStatus(
            0, 0, 0, 0, 0, false, OptionalDouble.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    private BuildText() {}

    /** Returns what a command says that does not wait. */
    static String begun(IndexArguments name) {
        return "Index " + name.index() + " on " + name.table()
                + " is BUILDING: every write maintains it, and the master"
                + " fills it with the existing rows. Look at its progress with: build status " + name.table() + " "
                + name.index();
    }

    /** Waits until an index is ACTIVE, with a progress bar; returns how far its build was at the last look. */
    static BuildStatus await(DiffIndexAdmin admin, IndexArguments name, Progress progress, CommandSpec spec)
            throws IOException {
        AtomicReference<BuildStatus> last = new AtomicReference<>(NOTHING);
        BuildPace pace = new BuildPace(System::nanoTime);
        try (Progress.Bar bar =
                progress.open("build", " regions", 1, spec.commandLine().getErr())) {
            admin.awaitIndex(name.table(), name.index(), status -> {
                last.set(status);
                bar.at(status.rangesDone(), status.ranges(), inWords(status, pace.of(status)));
            });
        }
        return last.get();
    }

    /** Returns what a command says that has waited. */
    static String active(IndexArguments name, BuildStatus status) {
        return "Index %s on %s is ACTIVE: %,d entries written, %,d rows left out, %,d rows read"
                .formatted(name.index(), name.table(), status.entries(), status.leftOut(), status.rows());
    }

    /** Returns lines for people, without the last line end. */
    static String lines(IndexArguments name, String state, BuildStatus status) {
        return "index " + name.index() + " on " + name.table() + "  " + state
                + "%n  build  %s".formatted(status)
                + (status.problem().isPresent() ? "%n  remove the cause, then: build resume".formatted() : "");
    }

    /** Returns a JSON object. */
    static String json(IndexArguments name, String state, BuildStatus status) {
        JsonObject object = new JsonObject();
        object.addProperty("table", name.table().getNameAsString());
        object.addProperty("index", name.index());
        object.addProperty("state", state);
        object.addProperty("paused", status.isPaused());
        object.addProperty("rows", status.rows());
        object.addProperty("entries", status.entries());
        object.addProperty("left_out", status.leftOut());
        object.addProperty("ranges", status.ranges());
        object.addProperty("ranges_done", status.rangesDone());
        object.addProperty("rows_per_second_limit", status.rowsPerSecond().orElse(0));
        status.job().ifPresent(job -> object.addProperty("job", job));
        status.failing().ifPresent(message -> object.addProperty("failing", message));
        status.problem().ifPresent(message -> object.addProperty("problem", message));
        return object.toString();
    }

    /** Returns the status in words, with an estimate of the time that is left. */
    static String inWords(BuildStatus status, BuildPace.Estimate estimate) {
        String words = "%,d rows, %,.0f/s".formatted(status.rows(), estimate.rowsPerSecond());
        return status.isPaused()
                ? words + ", paused"
                : words + estimate.left().map(BuildText::left).orElse("");
    }

    private static String left(Duration left) {
        return ", %d:%02d left".formatted(left.toMinutes(), left.toSecondsPart());
    }
}
