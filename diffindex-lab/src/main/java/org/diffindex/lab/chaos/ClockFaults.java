package org.diffindex.lab.chaos;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.diffindex.cluster.Conditions;
import org.diffindex.lab.steps.Interruption;

/** The faults of clocks: that of a region server jumps, or wanders to and fro. For one thread. */
final class ClockFaults {
    /**
     * The farthest that a clock is shifted. HBase takes a jump of more than 10 s for a pause of the process, and a master turns
     * away a server that starts with a clock more than 30 s from its own.
     */
    static final long FARTHEST_MILLIS = 8_000;

    private static final long NEAREST_MILLIS = 200;
    private static final long STEP_MILLIS = 400;
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration END_OF_STEPS = Duration.ofSeconds(5);

    private final Path folder;
    private final List<String> servers;
    private final Running running;
    private final Duration patience;

    /** Tells which region servers run. */
    @FunctionalInterface
    interface Running {
        List<String> processes() throws IOException;
    }

    /**
     * Faults of those servers.
     *
     * @param folder where the {@link ClockShift}s are
     * @param servers all region servers
     */
    ClockFaults(Path folder, List<String> servers, Running running) {
        this(folder, servers, running, PATIENCE);
    }

    /** As the other one, with servers that shift their clocks within so much time. */
    ClockFaults(Path folder, List<String> servers, Running running, Duration patience) {
        this.folder = folder;
        this.servers = List.copyOf(servers);
        this.running = running;
        this.patience = patience;
    }

    /** A jump ahead, and back again at the end; or the other way round. */
    Fault jump(PlannedFault plan, boolean ahead) throws IOException {
        String process = any(plan);
        long distance = distance(new Random(plan.choice()));
        long millis = ahead ? distance : -distance;
        shift(process, millis);
        return new Fault("%s by %+d ms".formatted(process, millis), () -> {
            setRight(process);
            return "";
        });
    }

    /** Jumps ahead and back, one soon after the other. */
    Fault wander(PlannedFault plan) throws IOException {
        String process = any(plan);
        Random random = new Random(plan.choice());
        shift(process, distance(random));
        ClockShift clock = clock(process);
        ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
        Future<?> steps = thread.scheduleWithFixedDelay(
                () -> step(clock, random), STEP_MILLIS, STEP_MILLIS, TimeUnit.MILLISECONDS);
        return new Fault(process, () -> {
            String note = end(thread, steps);
            setRight(process);
            return note;
        });
    }

    private static void step(ClockShift clock, Random random) {
        try {
            clock.request(random.nextBoolean() ? distance(random) : -distance(random));
        } catch (IOException e) {
            throw new IllegalStateException("The clock could not be shifted", e);
        }
    }

    /** Returns why the steps ended before they were asked to, if they did. */
    private static String end(ScheduledExecutorService thread, Future<?> steps) throws IOException {
        try {
            boolean cancelled = steps.cancel(false);
            thread.shutdown();
            if (!thread.awaitTermination(END_OF_STEPS.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new IOException("A clock is still being shifted");
            }
            if (!cancelled) {
                steps.get();
            }
            return "";
        } catch (ExecutionException e) {
            return "until " + e.getCause();
        } catch (InterruptedException e) {
            throw Interruption.of("Interrupted while a clock was shifted", e);
        }
    }

    /** Sets all clocks right, and says which were not. */
    List<String> mend() throws IOException {
        List<String> mended = new ArrayList<>();
        for (String process : servers) {
            ClockShift clock = clock(process);
            if (clock.requested() != 0 || !isInEffect(process)) {
                setRight(process);
                mended.add("clock of " + process);
            }
        }
        return mended;
    }

    /** Shifts the clock of a server that runs, and waits until it shows that; if it does not, takes the request back. */
    private void shift(String process, long millis) throws IOException {
        clock(process).request(millis);
        if (!Conditions.await(patience, () -> isInEffect(process))) {
            clock(process).request(0);
            throw new Fault.NothingToHit(process + " does not run on");
        }
    }

    private void setRight(String process) throws IOException {
        clock(process).request(0);
        if (!Conditions.await(patience, () -> isInEffect(process))) {
            throw new IOException("The clock of " + process + " is not right again after " + patience);
        }
    }

    /** A server that is down will go by what is requested when it starts. */
    private boolean isInEffect(String process) throws IOException {
        return clock(process).isInEffect() || !running.processes().contains(process);
    }

    private ClockShift clock(String process) {
        return new ClockShift(folder, process);
    }

    private String any(PlannedFault plan) throws IOException {
        List<String> up = running.processes();
        if (up.isEmpty()) {
            throw new Fault.NothingToHit("no region server is up");
        }
        return plan.choose(up);
    }

    /** From a fraction of a second to some seconds, short ones as often as long ones. */
    private static long distance(Random random) {
        double ratio = (double) FARTHEST_MILLIS / NEAREST_MILLIS;
        return Math.round(NEAREST_MILLIS * Math.pow(ratio, random.nextDouble()));
    }
}
