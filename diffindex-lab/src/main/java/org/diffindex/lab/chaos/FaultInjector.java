package org.diffindex.lab.chaos;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.client.Admin;
import org.diffindex.cluster.LocalCluster;

/** Applies the faults of a plan and undoes them. For one thread. */
final class FaultInjector {
    private final LocalCluster cluster;
    private final Admin admin;
    private final Regions regions;
    private final ProcessFaults processes;
    private final RegionFaults tables;
    private final ClockFaults clocks;
    private final FaultLog log;
    private final LongSupplier clock;
    private final Deaths deaths;

    FaultInjector(LocalCluster cluster, Admin admin, Regions regions, FaultLog log, LongSupplier clock) {
        this.cluster = cluster;
        this.admin = admin;
        this.regions = regions;
        this.deaths = new Deaths(cluster);
        this.processes = new ProcessFaults(cluster, regions, deaths);
        this.tables = new RegionFaults(admin, regions);
        this.clocks =
                new ClockFaults(ChaosCluster.clocks(cluster), cluster.regionServers(), processes::regionServersUp);
        this.log = log;
        this.clock = clock;
    }

    /**
     * Waits for the gap of a fault, applies the fault and the concurrent one, if any, holds them, and undoes both.
     *
     * @throws IOException if the state of the processes cannot be determined
     */
    void run(PlannedFault plan) throws IOException {
        sleepUntil(in(plan.gapMillis()));
        lookForDeaths();
        Running first = new Running(plan);
        if (first.apply()) {
            long end = in(plan.holdMillis());
            if (plan.meanwhile().isPresent()) {
                runMeanwhile(plan.meanwhile().get(), first, end);
            }
            sleepUntil(end);
        }
        first.undo();
    }

    /**
     * Applies a fault while another one is active. One that does not last is over at once. One that lasts is held for
     * its own time, but no longer than the other one: a short stall is undone before that one, any other fault after it.
     * While a server is stalled briefly, nothing else is undone, which may take minutes: the server would lose its
     * session.
     *
     * @param end when the other one is to be undone
     */
    private void runMeanwhile(PlannedFault second, Running first, long end) {
        sleepUntil(in(second.gapMillis()));
        Running meanwhile = new Running(second);
        if (!meanwhile.apply()) {
            meanwhile.undo();
            return;
        }
        long ownEnd = in(second.holdMillis());
        boolean isShorter = ownEnd - end < 0;
        if (meanwhile.isShortStall() || (isShorter && !first.isShortStall())) {
            sleepUntil(isShorter ? ownEnd : end);
            meanwhile.undo();
        }
        sleepUntil(end);
        first.undo();
        meanwhile.undo();
    }

    /** Returns the processes that ended although no fault had ended them. */
    List<Death> deaths() {
        return deaths.all();
    }

    /** Records processes that ended although no fault had ended them; records the same end once. */
    void lookForDeaths() throws IOException {
        deaths.look();
    }

    /**
     * Starts every process that is down, corrects every shifted clock, enables every disabled table, and logs these
     * repairs.
     *
     * @throws IOException if a repair failed, or a running region server is not registered with the master
     */
    void mend() throws IOException {
        lookForDeaths();
        long begin = clock.getAsLong();
        long beginMillis = System.currentTimeMillis();
        List<String> mended = new ArrayList<>(processes.mend());
        mended.addAll(clocks.mend());
        mended.addAll(tables.mend());
        if (!mended.isEmpty()) {
            log.add(new FaultEvent(
                    FaultEvent.FOUND_DOWN,
                    String.join(" ", mended),
                    begin,
                    clock.getAsLong(),
                    beginMillis,
                    System.currentTimeMillis(),
                    FaultEvent.Result.DONE,
                    "repaired"));
        }
        List<String> away = regions.upButNotServing(admin);
        if (!away.isEmpty()) {
            throw new IOException("Running, but not registered with the master: " + away);
        }
    }

    /** One fault, from its application to its end. */
    private final class Running {
        private final PlannedFault plan;
        private final long begin = clock.getAsLong();
        private final long beginMillis = System.currentTimeMillis();
        private Fault fault;
        private boolean over;

        Running(PlannedFault plan) {
            this.plan = plan;
        }

        boolean isShortStall() {
            return plan.kind() == FaultKind.STALL_SHORT;
        }

        /** Applies the fault; returns whether it is active and lasts until it is undone. */
        boolean apply() {
            try {
                fault = FaultInjector.this.apply(plan);
            } catch (Fault.NothingToHit e) {
                end("-", FaultEvent.Result.SKIPPED, e.getMessage());
            } catch (IOException | RuntimeException e) {
                end("-", FaultEvent.Result.FAILED, firstLine(e));
            }
            return fault != null && plan.kind().isLasting();
        }

        /** Undoes the fault, if it is active, and logs it. Idempotent. */
        void undo() {
            if (over) {
                return;
            }
            try {
                lookForDeaths(); // also of processes that the undo does not restart
                String note = fault.undo().run();
                end(fault.target(), FaultEvent.Result.DONE, note);
            } catch (IOException | RuntimeException e) {
                end(fault.target(), FaultEvent.Result.FAILED, "not undone: " + firstLine(e));
            }
        }

        private void end(String target, FaultEvent.Result result, String note) {
            over = true;
            log.add(new FaultEvent(
                    plan.kind().toString(),
                    target,
                    begin,
                    clock.getAsLong(),
                    beginMillis,
                    System.currentTimeMillis(),
                    result,
                    note));
        }
    }

    private Fault apply(PlannedFault plan) throws IOException {
        return switch (plan.kind()) {
            case KILL_BASE_SERVER -> processes.killServerOf(regions.baseTables(), plan);
            case KILL_INDEX_SERVER -> processes.killServerOf(regions.indexTables(), plan);
            case KILL_TWO_SERVERS -> processes.killTwo(plan);
            case STALL_SHORT, STALL_LONG -> processes.stall(plan, plan.kind() == FaultKind.STALL_LONG);
            case SLOW_SERVER -> processes.slow(plan);
            case KILL_MASTER -> processes.killOneOf(List.of(ProcessFaults.MASTER), plan);
            case KILL_DATA_NODE -> processes.killOneOf(cluster.dataNodes(), plan);
            case CLOCK_AHEAD -> clocks.jump(plan, true);
            case CLOCK_BACK -> clocks.jump(plan, false);
            case CLOCK_WANDERS -> clocks.wander(plan);
            case MOVE_BASE -> tables.move(regions.baseTables(), plan);
            case MOVE_INDEX -> tables.move(regions.indexTables(), plan);
            case SPLIT_BASE -> tables.split(regions.baseTables(), plan);
            case SPLIT_INDEX -> tables.split(regions.indexTables(), plan);
            case MERGE_BASE -> tables.merge(regions.baseTables(), plan);
            case MERGE_INDEX -> tables.merge(regions.indexTables(), plan);
            case FLUSH -> tables.flush(plan);
            case COMPACT -> tables.compact(plan);
            case DISABLE_INDEX -> tables.disable(plan);
            case KILL_ALL_SERVERS -> processes.killAll();
            case RESTART_CLUSTER -> processes.restartCluster();
        };
    }

    private static String firstLine(Exception failure) {
        return String.valueOf(failure).lines().findFirst().orElse("");
    }

    /** Returns the time of the clock after some milliseconds. */
    private long in(long millis) {
        return clock.getAsLong() + TimeUnit.MILLISECONDS.toNanos(millis);
    }

    /** Waits for a time that the plan gives; there is no condition to wait for. */
    private void sleepUntil(long time) {
        Pace.sleepUntil(time, clock);
    }
}
