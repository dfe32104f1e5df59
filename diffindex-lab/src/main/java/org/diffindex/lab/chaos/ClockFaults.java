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

/** Clock faults: the clock of a region server jumps once, or back and forth. For one thread. */
final class ClockFaults {
    /**
     * The largest shift. HBase takes a jump of more than 10 s for a pause of the process, and a master rejects a
     * starting server whose clock is more than 30 s off.
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

    /** Lists the running region servers. */
    @FunctionalInterface
    interface Running {
        List<String> processes() throws IOException;
    }

    /**
     * Creates faults of these servers.
     *
     * @param folder the folder of the {@link ClockShift}s
     * @param servers all region servers
     */
    ClockFaults(Path folder, List<String> servers, Running running) {
        this(folder, servers, running, PATIENCE);
    }

    /** Creates faults of these servers, with a bound on the time that a server may take to shift its clock. */
    ClockFaults(Path folder, List<String> servers, Running running, Duration patience) {
        this.folder = folder;
        this.servers = List.copyOf(servers);
        this.running = running;
        this.patience = patience;
    }

    /** Shifts the clock of a server once, ahead or back, until the fault is undone. */
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

    /** Shifts the clock of a server ahead and back, about every 0.4 s, until the fault is undone. */
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

    /** Stops the jumps; returns the reason if they had stopped earlier, otherwise an empty string. */
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

    /** Corrects all clocks, and returns those that were wrong. */
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

    /**
     * Shifts the clock of a running server and waits until the server confirms; if it does not confirm in time,
     * withdraws the request.
     *
     * @throws Fault.NothingToHit if the server does not confirm
     */
    private void shift(String process, long millis) throws IOException {
        clock(process).request(millis);
        if (!Conditions.await(patience, () -> isInEffect(process))) {
            clock(process).request(0);
            throw new Fault.NothingToHit(process + " does not confirm the shift");
        }
    }

    private void setRight(String process) throws IOException {
        clock(process).request(0);
        if (!Conditions.await(patience, () -> isInEffect(process))) {
            throw new IOException("The clock of " + process + " is still wrong after " + patience);
        }
    }

    /**
     * Returns whether a server shows the requested shift or is down; a server that is down adopts it when it starts.
     */
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

    /** Returns a shift of 200 to 8,000 ms, distributed evenly on a logarithmic scale. */
    private static long distance(Random random) {
        double ratio = (double) FARTHEST_MILLIS / NEAREST_MILLIS;
        return Math.round(NEAREST_MILLIS * Math.pow(ratio, random.nextDouble()));
    }
}
