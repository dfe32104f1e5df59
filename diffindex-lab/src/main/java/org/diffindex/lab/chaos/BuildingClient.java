package org.diffindex.lab.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import org.diffindex.client.BuildOptions;
import org.diffindex.client.BuildStatus;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.NoSuchIndexException;
import org.diffindex.cluster.Conditions;
import org.diffindex.lab.chaos.Violation.Kind;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.model.SchemeState;

/**
 * A client that creates, disables, enables, rebuilds and drops one more index of a table again and again while others write, changes
 * its scheme, and pauses, limits and cancels its builds. Each step depends on the state in which the one before, which a fault may
 * have failed, has left the index. For one thread.
 */
final class BuildingClient implements Callable<Void> {
    private static final List<IndexScheme> SCHEMES = List.of(IndexScheme.values());

    /** The time that a build takes, unless its limit is removed. */
    private static final double SECONDS_OF_A_BUILD = 20;

    /** Changes the scheme of an index; returns whether it did. */
    @FunctionalInterface
    interface SchemeChanges {
        boolean change(IndexDefinition index, IndexScheme to) throws IOException;
    }

    private final Workload work;
    private final DiffIndexAdmin admin;
    private final SchemeChanges schemes;
    private final IndexDefinition index;
    private final Random random;
    private final Pace pace;

    /** Whether the index was ACTIVE after the last step. */
    private boolean wasActive;

    /** Creates a client that makes steps at the given rate, see {@link Pace}. */
    BuildingClient(Workload work, DiffIndexAdmin admin, SchemeChanges schemes, Random random, double perSecond) {
        this.work = work;
        this.admin = admin;
        this.schemes = schemes;
        this.index = work.table().another();
        this.random = random;
        this.pace = new Pace(perSecond, random);
    }

    @Override
    public Void call() {
        while (!work.stopped().get()) {
            try {
                step();
            } catch (IOException e) {
                work.tally().failedBuildSteps.increment(); // a fault prevents it; the next step finds out what is left
                if (Blame.isOurs(e)) {
                    violation(String.valueOf(e));
                }
            }
            pace.pause();
        }
        return null;
    }

    private void step() throws IOException {
        Optional<IndexState> state = admin.stateOf(index.table(), index.name());
        boolean isActive = state.equals(Optional.of(IndexState.ACTIVE));
        if (isActive && !wasActive) {
            work.tally().builds.increment();
        }
        wasActive = isActive;
        if (state.isEmpty()) {
            work.history().isAsItsScheme(); // the base table does not define the index without its table
            begin();
        } else {
            switch (state.get()) {
                case BUILDING, BROKEN -> follow();
                case ACTIVE -> leave();
                case DISABLED -> enter();
                case DROPPING -> drop();
            }
        }
    }

    private void begin() throws IOException {
        admin.beginIndex(index, limited());
    }

    private BuildOptions limited() {
        return BuildOptions.DEFAULT.limitedTo(work.rows() / SECONDS_OF_A_BUILD);
    }

    private void drop() throws IOException {
        admin.dropIndex(index.table(), index.name());
    }

    /** Takes an index that is ACTIVE away in one of several ways, changes its scheme, or lets it be. */
    private void leave() throws IOException {
        switch (random.nextInt(8)) {
            case 0 -> drop();
            case 1 -> admin.disableIndex(index.table(), index.name());
            case 2 -> admin.rebuildIndex(index.table(), index.name(), limited());
            case 3, 4 -> change(SCHEMES.get(random.nextInt(SCHEMES.size())));
            default -> {}
        }
    }

    /** Changes the scheme, and counts that unless the index has it. Writes may be delayed while it may be synchronous. */
    private void change(IndexScheme to) throws IOException {
        Optional<SchemeState> before = admin.schemesOf(index.table(), index.name());
        boolean isAnother = before.flatMap(SchemeState::next).isPresent()
                || to != before.map(SchemeState::promise).orElse(index.scheme());
        if (!to.isAsynchronous()) {
            work.history().mayBeSynchronous();
        }
        boolean isChanged = schemes.change(index, to);
        if (to.isAsynchronous() && isChanged) {
            work.history().isAsItsScheme();
        }
        if (isChanged && isAnother) {
            work.tally().schemeChanges.increment();
        }
    }

    private void enter() throws IOException {
        if (random.nextInt(4) == 0) {
            drop();
        } else {
            admin.enableIndex(index.table(), index.name(), limited());
        }
    }

    /** Follows a build, and orders something for it now and then. */
    private void follow() throws IOException {
        withBuild(() -> {
            int choice = random.nextInt(16);
            BuildStatus status =
                    switch (choice) {
                        case 0 -> admin.builds().pause(index.table(), index.name());
                        case 1, 2, 3 -> admin.builds().resume(index.table(), index.name());
                        case 4 -> admin.builds().limit(index.table(), index.name(), 0);
                        default -> admin.builds().status(index.table(), index.name());
                    };
            requireUnbroken(status);
            if (choice == 5) {
                drop();
            } else if (choice == 6) {
                admin.disableIndex(index.table(), index.name());
            }
        });
    }

    /** A step with a build, which requires that the base table defines the index. */
    @FunctionalInterface
    private interface Step {
        void make() throws IOException;
    }

    /**
     * Makes a step with a build. If the base table does not define the index, since its definition was not entered or
     * was removed, goes on with the creation, or the enabling, that has ended before that instead.
     */
    private void withBuild(Step step) throws IOException {
        boolean isDefined = true;
        try {
            step.make();
        } catch (NoSuchIndexException e) {
            isDefined = false;
        }
        if (!isDefined && admin.listDisabledIndexes(index.table()).containsKey(index.name())) {
            admin.enableIndex(index.table(), index.name(), limited());
        } else if (!isDefined) {
            begin();
        }
    }

    private void requireUnbroken(BuildStatus status) {
        status.problem().ifPresent(problem -> violation("a build has failed: " + problem));
    }

    private void violation(String what) {
        work.violations()
                .add(
                        Kind.FAILED,
                        work.table().scheme(),
                        index.name(),
                        work.history().clock().getAsLong(),
                        what);
    }

    /**
     * Ends what the last step has left, so that the index is ACTIVE or there is none. Requires that no fault is active.
     *
     * @return whether that was reached in time
     */
    boolean settle(Duration atMost) throws IOException {
        return Conditions.await(atMost, () -> {
            try {
                return isSettled();
            } catch (IOException e) {
                work.tally().failedBuildSteps.increment();
                return false;
            }
        });
    }

    /** Returns whether the index is ACTIVE, with one scheme, or there is none; makes a step towards that otherwise. */
    private boolean isSettled() throws IOException {
        Optional<IndexState> state = admin.stateOf(index.table(), index.name());
        if (state.isEmpty()) {
            return true;
        }
        switch (state.get()) {
            case ACTIVE -> {
                Optional<IndexScheme> next =
                        admin.schemesOf(index.table(), index.name()).flatMap(SchemeState::next);
                if (next.isEmpty()) {
                    return true;
                }
                change(next.get());
            }
            case DISABLED -> admin.enableIndex(index.table(), index.name(), BuildOptions.DEFAULT);
            case DROPPING -> drop();
            default ->
                withBuild(() -> {
                    requireUnbroken(admin.builds().resume(index.table(), index.name()));
                    BuildStatus unused = admin.builds().limit(index.table(), index.name(), 0);
                });
        }
        return false;
    }
}
