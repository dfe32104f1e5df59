package org.diffindex.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * One process of a cluster, whoever started it. Signals go only to a process whose pid and start are those in its pid
 * file.
 */
final class ClusterProcess {
    private static final Duration KILL_TIMEOUT = Duration.ofSeconds(20);

    private final ServerSpec spec;
    private final PidFile pidFile;
    private final Path log;
    private final Path lock;

    ClusterProcess(ClusterLayout layout, ServerSpec spec) {
        this.spec = spec;
        this.pidFile = new PidFile(layout.pid(spec.name()));
        this.log = layout.log(spec.name());
        this.lock = layout.lock(spec.name());
    }

    ServerSpec spec() {
        return spec;
    }

    String name() {
        return spec.name();
    }

    /** The living process, if there is one. */
    Optional<ProcessHandle> handle() throws IOException {
        return pidFile.process();
    }

    boolean isAlive() throws IOException {
        return handle().isPresent();
    }

    /** When it was started last; empty if it was stopped since. */
    Optional<Instant> startInstant() throws IOException {
        return pidFile.start();
    }

    /**
     * Starts it and records it.
     *
     * @throws ClusterException if it is alive, or another process listens on one of its ports; nothing has changed then
     */
    void start(ServerCommand commands) throws IOException {
        StartLock.hold(lock, name(), () -> {
            requireDown();
            requirePortsFree();
            launch(commands);
        });
    }

    private void launch(ServerCommand commands) throws IOException {
        Process process = commands.server(spec).start();
        try {
            pidFile.write(process.toHandle());
        } catch (IOException e) {
            process.destroyForcibly();
            throw new ClusterException(
                    name() + " did not start: " + e.getMessage() + "; find the cause in " + log + ", which ends:"
                            + LogTail.of(log),
                    e);
        }
    }

    private void requireDown() throws IOException {
        Optional<ProcessHandle> alive = handle();
        if (alive.isPresent()) {
            throw new ClusterException(name() + " is running already (pid "
                    + alive.get().pid() + "); nothing was started; stop or kill it first");
        }
    }

    /**
     * Checks that it can listen on its ports.
     *
     * @throws ClusterException if another process does
     */
    void requirePortsFree() throws IOException {
        for (int port : spec.ports().values()) {
            if (!Ports.isFree(port)) {
                throw new ClusterException("Port " + port + " of " + name() + " is taken by another process; " + name()
                        + " was not started; end that process");
            }
        }
    }

    /**
     * Checks that it has not ended.
     *
     * @throws ClusterException with the end of its log if it has
     */
    void requireAlive() throws IOException {
        if (!isAlive()) {
            throw new ClusterException(
                    name() + " has ended when it should serve, and what was started with it was killed;"
                            + " find the cause in " + log + ", which ends:" + LogTail.of(log));
        }
    }

    /** The end of its log if it was started, and has ended without being stopped or killed. */
    Optional<String> endedByItself() throws IOException {
        if (startInstant().isEmpty() || isAlive()) {
            return Optional.empty();
        }
        return Optional.of(name() + " has ended by itself; its log " + log + " ends:" + LogTail.of(log));
    }

    /** Asks it to end (SIGTERM), and does not wait. */
    void terminate() throws IOException {
        handle().ifPresent(ProcessHandle::destroy);
    }

    /**
     * Ends it at once (SIGKILL), waits until it is gone, and forgets it. Does nothing if it is not alive.
     *
     * @throws ClusterException if the system does not end it within 20 s
     */
    void kill() throws IOException {
        handle().ifPresent(ProcessHandle::destroyForcibly);
        if (!awaitEnd(KILL_TIMEOUT)) {
            throw new ClusterException(
                    name() + " (pid " + handle().map(ProcessHandle::pid).orElse(-1L)
                            + ") lives on after SIGKILL; look what it waits for, and try again");
        }
        pidFile.delete();
    }

    /** Forgets a process that has ended by itself, or with the machine. */
    void forgetEnded() throws IOException {
        if (!isAlive()) {
            pidFile.delete();
        }
    }

    boolean awaitEnd(Duration atMost) throws IOException {
        return Conditions.await(atMost, () -> !isAlive());
    }

    /** Stops its execution (SIGSTOP) until {@link #resume()}. */
    void suspend() throws IOException {
        signal("STOP");
    }

    /** Lets it go on (SIGCONT). */
    void resume() throws IOException {
        signal("CONT");
    }

    private void signal(String signal) throws IOException {
        long pid = handle().orElseThrow(
                        () -> new ClusterException(name() + " is not running; no signal was sent; start it first"))
                .pid();
        Process sender = new ProcessBuilder("kill", "-" + signal, Long.toString(pid))
                .inheritIO()
                .start();
        try {
            if (!sender.waitFor(10, TimeUnit.SECONDS) || sender.exitValue() != 0) {
                throw new ClusterException("Signal " + signal + " did not reach " + name() + " (pid " + pid + ")");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("Interrupted while signal " + signal + " was sent to " + name(), e);
        }
    }
}
