package org.diffindex.cluster;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * One process of a cluster, whichever JVM has started it. Signals are sent only to a process whose pid and start match
 * its pid file.
 */
final class ClusterProcess {
    private static final Duration KILL_TIMEOUT = Duration.ofSeconds(20);

    private final ServerSpec spec;
    private final PidFile pidFile;
    private final Path log;
    private final Path lock;
    private final StartGate gate;

    /**
     * Creates an object for a process that need not exist.
     *
     * @param gate lets the process be started
     */
    ClusterProcess(ClusterLayout layout, ServerSpec spec, StartGate gate) {
        this.spec = spec;
        this.gate = gate;
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

    /** Returns the live process; empty if there is none. */
    Optional<ProcessHandle> handle() throws IOException {
        return pidFile.process();
    }

    boolean isAlive() throws IOException {
        return handle().isPresent();
    }

    /** Returns when it was last started; empty if it was stopped since. */
    Optional<Instant> startInstant() throws IOException {
        return pidFile.start();
    }

    /**
     * Starts the process and records it.
     *
     * @throws ClusterException if it is alive, another process listens on one of its ports, or no process may be started
     *     any more; nothing has changed then
     */
    void start(ServerCommand commands) throws IOException {
        StartLock.hold(lock, name(), () -> {
            requireDown();
            requirePortsFree();
            gate.start(name(), () -> launch(commands));
        });
    }

    private void launch(ServerCommand commands) throws IOException {
        Process process = commands.server(spec).start();
        try {
            pidFile.write(process.toHandle());
        } catch (IOException e) {
            process.destroyForcibly();
            throw ClusterException.ofStart(
                    name(),
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
     * Checks that the process can listen on its ports.
     *
     * @throws ClusterException if another process listens on one of them
     */
    void requirePortsFree() throws IOException {
        for (int port : spec.ports().values()) {
            if (!Ports.isFree(port)) {
                throw new ClusterException("Port " + port + " of " + name() + " is in use by another process; " + name()
                        + " was not started; end that process");
            }
        }
    }

    /**
     * Checks that the process has not ended.
     *
     * @throws ClusterException if it has ended; the message includes the end of its log
     */
    void requireAlive() throws IOException {
        if (!isAlive()) {
            throw ClusterException.ofStart(
                    name(),
                    name() + " ended while it was starting; the processes started with it were killed;"
                            + " find the cause in " + log + ", which ends:" + LogTail.of(log),
                    null);
        }
    }

    /**
     * Returns a text with the end of its log, if the process was started and has ended without being stopped or killed.
     */
    Optional<String> endedByItself() throws IOException {
        if (startInstant().isEmpty() || isAlive()) {
            return Optional.empty();
        }
        return Optional.of(withLog("has ended by itself"));
    }

    /** Returns a text with the end of its log, for a process that does not end although it is stopped. */
    String didNotEnd() {
        return withLog("did not end in time when it was stopped, and was killed");
    }

    /** Returns the number of bytes that it has logged so far. */
    long logged() {
        return log.toFile().length();
    }

    /**
     * Returns a text with the end of its log, if its JVM has reported a crash there. Nothing reports that another
     * process killed it.
     *
     * @param logged what {@link #logged} returned before
     */
    Optional<String> crashedSince(long logged) throws IOException {
        return LogTail.reportsCrash(log, logged)
                ? Optional.of(withLog("crashed while it was stopped"))
                : Optional.empty();
    }

    private String withLog(String what) {
        return name() + " " + what + "; its log " + log + " ends:" + LogTail.of(log);
    }

    /** Sends SIGTERM; does not wait. */
    void terminate() throws IOException {
        handle().ifPresent(ProcessHandle::destroy);
    }

    /**
     * Sends SIGKILL, waits until the process is gone, and deletes its pid file. Only deletes the file if the process is
     * not alive.
     *
     * @throws ClusterException if the process is still alive after 20 s
     */
    void kill() throws IOException {
        handle().ifPresent(ProcessHandle::destroyForcibly);
        if (!awaitEnd(KILL_TIMEOUT)) {
            throw new ClusterException(
                    name() + " (pid " + handle().map(ProcessHandle::pid).orElse(-1L)
                            + ") is still alive 20 s after SIGKILL; find out what it waits for, and try again");
        }
        pidFile.delete();
    }

    /** Deletes the pid file of a process that has ended by itself, or with the machine. */
    void forgetEnded() throws IOException {
        if (!isAlive()) {
            pidFile.delete();
        }
    }

    boolean awaitEnd(Duration atMost) throws IOException {
        return Conditions.await(atMost, () -> !isAlive());
    }

    /** Suspends the process (SIGSTOP) until {@link #resume()}. */
    void suspend() throws IOException {
        signal("STOP");
    }

    /** Resumes the process (SIGCONT). */
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
                throw new ClusterException("Signal " + signal + " could not be sent to " + name() + " (pid " + pid
                        + "); see the cluster's status");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ClusterException("Interrupted while signal " + signal + " was sent to " + name(), e);
        }
    }
}
