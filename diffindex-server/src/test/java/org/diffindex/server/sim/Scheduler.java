package org.diffindex.server.sim;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.diffindex.server.sequences.Census;
import org.diffindex.server.sim.SimulationFailure.Kind;

/**
 * Runs actors one at a time, each on its own thread, and at every step decides by a seeded random choice which one
 * continues, so that a seed determines the whole run. Time is virtual: it advances a little with every step, and jumps
 * when an actor waits for it.
 *
 * <p>An actor runs until it calls {@link #pause} or {@link #await}. No other actor sees an intermediate state of what
 * it does in between.
 */
final class Scheduler {
    private static final int MOST_STEPS = 10_000;
    private static final long HANG_SECONDS = 60;
    private static final int LONGEST_SLEEP = 100;

    private static final ExecutorService THREADS = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "simulation");
        thread.setDaemon(true);
        return thread;
    });

    private final Random random;

    /** One in this many steps puts an actor to sleep, so that others get far ahead of it; in some runs none does. */
    private final int stallsOnceIn;

    private final List<Actor> actors = new ArrayList<>();

    /** The servers whose actors do not go on. */
    private final Set<Object> suspended = new HashSet<>();

    private final List<String> trace = new ArrayList<>();
    private final Census census = new Census();
    private final Semaphore done = new Semaphore(0);
    private Actor running;
    private long nowNanos = TimeUnit.MILLISECONDS.toNanos(1_000_000);
    private int steps;
    private SimulationFailure failure;

    Scheduler(Random random) {
        this.random = random;
        this.stallsOnceIn = random.nextBoolean() ? Integer.MAX_VALUE : 5 + random.nextInt(40);
    }

    /** A sequence of actions. */
    final class Actor {
        private final String name;
        private final Object home;
        private final Semaphore turn = new Semaphore(0);
        private BooleanSupplier ready = () -> true;
        private String waitsFor = "start";
        private long deadlineNanos = Long.MAX_VALUE;
        private int asleepUntilStep;
        private boolean killed;
        private boolean over;

        /** The resources that the actor holds and that no actor may hold during a remote call. */
        private final List<String> holds = new ArrayList<>();

        private final Set<String> done = new HashSet<>();

        private Actor(String name, Object home) {
            this.name = name;
            this.home = home;
        }

        boolean isOver() {
            return over;
        }

        private boolean canGoOn() {
            return killed || (!isSuspended() && (deadlineNanos <= nowNanos || ready.getAsBoolean()));
        }

        private boolean isSuspended() {
            return suspended.contains(home);
        }

        private boolean waitsForTime() {
            return deadlineNanos != Long.MAX_VALUE && !isSuspended();
        }

        private void live(Runnable task) {
            turn.acquireUninterruptibly();
            try {
                if (!killed) {
                    task.run();
                }
            } catch (Killed e) {
                tell("is gone");
            } catch (Throwable e) {
                if (!killed) {
                    found(
                            e instanceof SimulationFailure known
                                    ? known
                                    : new SimulationFailure(Kind.ERROR, name + " failed: " + e, e));
                }
            } finally {
                over = true;
                actors.remove(this);
                passOn();
            }
        }
    }

    /** Runs until no actor is left. Returns what was found, or null. */
    SimulationFailure run(String name, Runnable first) {
        spawn(name, null, first);
        passOn();
        try {
            if (!done.tryAcquire(HANG_SECONDS, TimeUnit.SECONDS)) {
                return SimulationFailure.hang(running.name);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while the simulation ran", e);
        }
        return failure;
    }

    /** Starts an actor that lives on a server, or nowhere (null), in which case it cannot be killed. */
    Actor spawn(String name, Object home, Runnable task) {
        Actor actor = new Actor(name, home);
        if (running != null && running.killed && running.home == home) {
            throw new Killed();
        }
        actors.add(actor);
        THREADS.execute(() -> actor.live(task));
        return actor;
    }

    /** Lets other actors run. The server of this one may crash meanwhile. */
    void pause(String point) {
        await(point, () -> true);
    }

    /** Lets other actors run until the condition holds. */
    void await(String what, BooleanSupplier condition) {
        await(what, condition, Long.MAX_VALUE);
    }

    /** Lets other actors run until the condition holds or the time is up. Returns whether the condition holds. */
    boolean await(String what, BooleanSupplier condition, long nanos) {
        Actor self = running;
        if (self.killed) {
            throw new Killed();
        }
        self.ready = condition;
        self.waitsFor = what;
        self.asleepUntilStep = onceIn(stallsOnceIn) ? steps + random.nextInt(LONGEST_SLEEP) : 0;
        self.deadlineNanos = nanos == Long.MAX_VALUE ? nanos : nowNanos + nanos;
        passOn();
        self.turn.acquireUninterruptibly();
        if (self.killed) {
            throw new Killed();
        }
        tell(what);
        return condition.getAsBoolean();
    }

    /**
     * Records that the actor holds something that must not be held during a remote call, until the returned task runs.
     */
    Runnable enter(String what) {
        Actor self = running;
        self.holds.add(what);
        return () -> self.holds.remove(what);
    }

    /** Returns what the actor holds that must not be held during a remote call. */
    List<String> held() {
        return running.holds;
    }

    /** Returns whether the actor does this for the first time since {@link #beginsAgain}. */
    boolean isFirst(String what) {
        return running.done.add(what);
    }

    /** Makes everything that the actor does count as the first time again. */
    void beginsAgain() {
        running.done.clear();
    }

    /** Kills all actors of a server, each at its current step. */
    void kill(Object home) {
        for (Actor actor : actors) {
            actor.killed |= actor.home == home;
        }
    }

    boolean isKilled() {
        return running.killed;
    }

    /** Stops all actors of a server, each at its current step, until {@link #resume}. */
    void suspend(Object home) {
        suspended.add(home);
    }

    void resume(Object home) {
        suspended.remove(home);
    }

    long nowNanos() {
        return nowNanos;
    }

    Random random() {
        return random;
    }

    /** Returns true once in this many times, at random. */
    boolean onceIn(int times) {
        return random.nextInt(times) == 0;
    }

    void tell(String what) {
        trace.add(TimeUnit.NANOSECONDS.toMillis(nowNanos) % 1_000_000 + " " + running.name + ": " + what);
    }

    /** Counts an event that the run has chosen. */
    void happens(String what) {
        census.add(what);
    }

    Census census() {
        return census;
    }

    List<String> trace() {
        return trace;
    }

    String runningName() {
        return running.name;
    }

    /** Takes an internal error for a violation that the running actor has logged, unless the actor is killed. */
    void logged(String message, Throwable error) {
        if (!running.killed) {
            found(new SimulationFailure(
                    Kind.ERROR, running.name + " logged \"" + message + "\" after " + error, error));
        }
    }

    private void found(SimulationFailure what) {
        if (failure == null) {
            failure = what;
            trace.add("FOUND " + what.getMessage());
        }
        actors.forEach(actor -> actor.killed = true);
    }

    /** Passes the turn to an actor that can continue, or ends the run if none is left. */
    private void passOn() {
        if (actors.isEmpty()) {
            done.release();
            return;
        }
        if (++steps > MOST_STEPS && failure == null) {
            found(new SimulationFailure(
                    Kind.STUCK, "No end after " + MOST_STEPS + " steps; these are left: " + waiting()));
        }
        nowNanos += random.nextInt(8) == 0 ? TimeUnit.MILLISECONDS.toNanos(1) : 1_000;
        List<Actor> able = able();
        boolean someWaitForTime = actors.stream().anyMatch(Actor::waitsForTime);
        if (someWaitForTime && (able.isEmpty() || random.nextInt(20) == 0)) {
            leap();
            able = able();
        }
        if (able.isEmpty()) {
            found(new SimulationFailure(Kind.STUCK, "Deadlock, no actor can continue: " + waiting()));
            able = able();
        }
        List<Actor> awake = able.stream()
                .filter(actor -> actor.killed || actor.asleepUntilStep <= steps)
                .toList();
        List<Actor> eligible = awake.isEmpty() ? able : awake;
        running = eligible.get(random.nextInt(eligible.size()));
        running.turn.release();
    }

    private List<Actor> able() {
        List<Actor> able = new ArrayList<>();
        for (Actor actor : actors) {
            if (actor.canGoOn()) {
                able.add(actor);
            }
        }
        return able;
    }

    private void leap() {
        long earliest = actors.stream()
                .filter(Actor::waitsForTime)
                .mapToLong(actor -> actor.deadlineNanos)
                .min()
                .orElseThrow();
        nowNanos = Math.max(nowNanos, earliest);
    }

    private List<String> waiting() {
        return actors.stream()
                .map(actor -> actor.name + " waits for " + actor.waitsFor)
                .toList();
    }
}
