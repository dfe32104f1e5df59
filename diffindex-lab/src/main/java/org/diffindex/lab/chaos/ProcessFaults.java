package org.diffindex.lab.chaos;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.cluster.ClusterException;
import org.diffindex.cluster.Conditions;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.cluster.ProcessStatus;
import org.diffindex.lab.steps.Interruption;

/** Process faults: kills, stalls and restarts. For one thread. */
final class ProcessFaults {
    private static final Duration RESTART = Duration.ofMinutes(5);
    static final String MASTER = "master";

    private static final Duration WAKE_UP = Duration.ofMinutes(3);
    private static final long BETWEEN_TWO_MILLIS = 8_000;
    private static final long ASLEEP_MILLIS = 150;
    private static final long AWAKE_MILLIS = 50;

    private final LocalCluster cluster;
    private final Regions regions;
    private final Deaths deaths;

    /** The servers that a fault suspends, once or again and again. */
    private final Set<String> suspended = new HashSet<>();

    /**
     * Creates the faults of a cluster.
     *
     * @param deaths what records processes that ended by themselves, before they are started again
     */
    ProcessFaults(LocalCluster cluster, Regions regions, Deaths deaths) {
        this.cluster = cluster;
        this.regions = regions;
        this.deaths = deaths;
    }

    Fault killServerOf(List<TableName> tables, PlannedFault plan) throws IOException {
        String process = plan.choose(some(regions.processesOf(tables)));
        return kill(process);
    }

    /** Kills a server of a base table, then another one; only if one more is up, since without any nothing is served. */
    Fault killTwo(PlannedFault plan) throws IOException {
        String first = plan.choose(some(regions.processesOf(regions.baseTables())));
        List<String> others = new ArrayList<>(regionServersUp());
        others.remove(first);
        others.removeAll(suspended);
        if (others.size() < 2) {
            throw new Fault.NothingToHit("fewer than three region servers are up and not suspended");
        }
        cluster.kill(first);
        pause(plan.choice() % BETWEEN_TWO_MILLIS);
        String second = plan.choose(others);
        cluster.kill(second);
        return new Fault(first + " then " + second, () -> restart(first) + restart(second));
    }

    Fault killAll() throws IOException {
        List<String> all = some(regionServersUp());
        for (String process : all) {
            cluster.kill(process);
        }
        return new Fault(String.join(" ", all), () -> {
            for (String process : all) {
                restart(process);
            }
            return "";
        });
    }

    Fault killOneOf(List<String> processes, PlannedFault plan) throws IOException {
        return kill(plan.choose(some(up(processes))));
    }

    private Fault kill(String process) throws IOException {
        cluster.kill(process);
        return new Fault(process, () -> restart(process));
    }

    /** Suspends a region server until the fault is undone, for longer than its session timeout or for less. */
    Fault stall(PlannedFault plan, boolean longer) throws IOException {
        String process = chooseToSuspend(plan);
        OptionalLong pid = pidOf(process);
        cluster.suspend(process);
        suspended.add(process);
        return new Fault(process, () -> {
            suspended.remove(process);
            return pidOf(process).equals(pid) ? wakeUp(process, longer) : restart(process);
        });
    }

    /** Returns a region server that no other fault suspends, which would not find it suspended when it is undone. */
    private String chooseToSuspend(PlannedFault plan) throws IOException {
        List<String> servers = new ArrayList<>(regionServersUp());
        servers.removeAll(suspended);
        return plan.choose(some(servers));
    }

    /** Lets a region server run for only a quarter of the time until the fault is undone. */
    Fault slow(PlannedFault plan) throws IOException {
        String process = chooseToSuspend(plan);
        suspended.add(process);
        AtomicBoolean over = new AtomicBoolean();
        ExecutorService thread = Executors.newSingleThreadExecutor();
        Future<Void> pausing = thread.submit(() -> {
            while (!over.get() && isUp(process)) {
                cluster.suspend(process);
                pause(ASLEEP_MILLIS);
                cluster.resume(process);
                pause(AWAKE_MILLIS);
            }
            return null;
        });
        thread.shutdown();
        return new Fault(process, () -> {
            over.set(true);
            suspended.remove(process);
            return await(pausing) + wakeUp(process, false);
        });
    }

    /** Waits for the end of the pauses; returns the reason if they ended with a failure, otherwise an empty string. */
    private static String await(Future<Void> pausing) throws IOException {
        try {
            pausing.get();
            return "";
        } catch (ExecutionException e) {
            return "until " + e.getCause();
        } catch (InterruptedException e) {
            throw Interruption.of("Interrupted while a server was slowed down", e);
        }
    }

    /**
     * Resumes a process; restarts it if it was killed meanwhile. If its session has expired, waits until it aborts, and
     * restarts it.
     *
     * @return a note if the process did not abort within 3 minutes, otherwise an empty string
     */
    private String wakeUp(String process, boolean thoughtDead) throws IOException {
        if (isUp(process)) {
            cluster.resume(process);
            if (!thoughtDead) {
                return "";
            }
            if (!Conditions.await(WAKE_UP, () -> !isUp(process))) {
                return process + " survived";
            }
        }
        return restart(process);
    }

    Fault restartCluster() throws IOException {
        deaths.look();
        Map<String, String> disorderly = cluster.stop();
        disorderly.forEach((process, text) -> {
            if (isOfHBase(process)) { // the storage may take longer, and contains nothing of Diff-Index
                deaths.record(process, text);
            }
        });
        start("all", () -> cluster.start(RESTART));
        return new Fault(
                "all",
                () -> disorderly.isEmpty()
                        ? ""
                        : "killed or crashed in the orderly stop: " + String.join(" ", disorderly.keySet()));
    }

    private boolean isOfHBase(String process) {
        return process.equals(MASTER) || cluster.regionServers().contains(process);
    }

    /** Starts the processes that are down, and returns their names. */
    List<String> mend() throws IOException {
        List<String> mended = new ArrayList<>();
        for (ProcessStatus status : cluster.status()) {
            if (!status.isUp()) {
                restart(status.name());
                mended.add(status.name());
            }
        }
        return mended;
    }

    /**
     * Starts a process if it is down, after a look for deaths: a resumed server that was to abort may have crashed. A
     * region server does not serve until a master has registered it. A master does not until a region server serves
     * hbase:meta; if none is up, it is started with the first of them.
     */
    private String restart(String process) throws IOException {
        deaths.look();
        boolean needsMaster = cluster.regionServers().contains(process) && !isUp(MASTER);
        boolean needsServer = process.equals(MASTER) && regionServersUp().isEmpty();
        if (isUp(process) || needsServer) {
            return "";
        }
        if (needsMaster) {
            start(MASTER + " " + process, () -> cluster.restart(List.of(MASTER, process), RESTART));
        } else {
            start(process, () -> cluster.restart(process, RESTART));
        }
        return "";
    }

    /** A start of one or more processes. */
    @FunctionalInterface
    private interface Start {
        void run() throws IOException;
    }

    /** Starts processes; if they do not serve, records the death of the one that failed, or of all if that is unknown. */
    private void start(String processes, Start start) throws IOException {
        try {
            start.run();
        } catch (IOException | RuntimeException e) {
            Optional<String> failed = e instanceof ClusterException known ? known.failedProcess() : Optional.empty();
            deaths.record(failed.orElse(processes), String.valueOf(e.getMessage()));
            throw e;
        }
    }

    private boolean isUp(String process) throws IOException {
        return !up(List.of(process)).isEmpty();
    }

    private OptionalLong pidOf(String process) throws IOException {
        return cluster.status().stream()
                .filter(status -> status.name().equals(process))
                .findFirst()
                .map(ProcessStatus::pid)
                .orElse(OptionalLong.empty());
    }

    /** Returns the running region servers. */
    List<String> regionServersUp() throws IOException {
        return up(cluster.regionServers());
    }

    private List<String> up(List<String> processes) throws IOException {
        return cluster.status().stream()
                .filter(status -> status.isUp() && processes.contains(status.name()))
                .map(ProcessStatus::name)
                .toList();
    }

    private static List<String> some(List<String> processes) throws IOException {
        if (processes.isEmpty()) {
            throw new Fault.NothingToHit("no such process is up");
        }
        return processes;
    }

    private static void pause(long millis) throws IOException {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            throw Interruption.of("Interrupted between two faults", e);
        }
    }
}
