package org.diffindex.lab.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.apache.hadoop.fs.FileUtil;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.ConnectionFactory;
import org.apache.hadoop.hbase.security.User;
import org.apache.hadoop.security.UserGroupInformation;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.cluster.Conditions;
import org.diffindex.cluster.LocalCluster;
import org.diffindex.lab.chaos.Violation.Kind;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.verify.SchemeChange;
import org.diffindex.verify.SchemeChangeListener;
import org.diffindex.verify.SchemeChangeOptions;
import org.diffindex.verify.ScrubReport;

/** One run, from the start of its cluster to the final comparison. For one use, by one thread. */
final class ChaosRun {
    private static final Duration BETWEEN_CHECKPOINTS = Duration.ofSeconds(75);
    private static final Duration MEND = Duration.ofMinutes(5);
    private static final Duration CHECKPOINT = Duration.ofMinutes(3);
    private static final Duration LAST_CHECKPOINT = Duration.ofMinutes(8);
    /** Bound on the time that reads take to remove all stale entries: many times diffindex.stale.delay.ms. */
    private static final Duration CLEAN_UP = Duration.ofMinutes(2);

    private static final Duration END_OF_CLIENTS = Duration.ofMinutes(6);
    private static final Duration PROGRESS = Duration.ofSeconds(15);
    private static final int SHARED_ROWS = 6;
    private static final double DRAINS_PER_SECOND = 0.5;
    private static final double BUILD_STEPS_PER_SECOND = 0.4;

    /** An index that a fault has disabled lacks updates for longer; the change is completed later then. */
    private static final SchemeChangeOptions SCHEME_CHANGE = new SchemeChangeOptions(Duration.ofSeconds(20), 0);

    private final ChaosOptions options;
    private final Consumer<String> progress;
    private final LongSupplier clock;
    private final Violations violations;
    private final FaultLog faults;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final List<Workload> workloads = new ArrayList<>();
    private final Map<IndexScheme, BuildingClient> builders = new EnumMap<>(IndexScheme.class);
    private final List<Death> deaths = new ArrayList<>();
    private volatile long runEnd;
    private int checkpoints;
    private int failedCheckpoints;

    /** Creates a run that reports its progress line by line. */
    ChaosRun(ChaosOptions options, Consumer<String> progress) {
        this.options = options;
        this.progress = progress;
        long start = System.nanoTime();
        this.clock = () -> System.nanoTime() - start;
        this.faults = new FaultLog(event -> progress.accept("fault " + event));
        this.violations = new Violations(this::tell);
    }

    private void tell(Violation violation) {
        StringBuilder text = new StringBuilder("VIOLATION ").append(violation);
        faults.around(violation.time(), TimeUnit.SECONDS.toNanos(60))
                .forEach(event -> text.append("\n    fault ").append(event));
        progress.accept(text.toString());
    }

    /** Runs, and destroys the cluster before it returns or throws. */
    ChaosResult run() throws IOException, InterruptedException {
        LocalCluster cluster = ChaosCluster.create(options);
        try (HistoryLog history = new HistoryLog(options.history())) {
            progress.accept("starting a cluster of " + options.regionServers() + " region servers and 3 DataNodes in "
                    + options.clusterDir());
            cluster.start();
            List<ScrubReport> comparisons = new ArrayList<>();
            long rows = runOn(cluster, history, comparisons);
            List<Abort> aborts = new ArrayList<>();
            List<Death> unexplained = readLogs(cluster, aborts);
            explainViolations(history);
            return new ChaosResult(
                    options,
                    tallies(),
                    faults.all(),
                    violations,
                    aborts,
                    unexplained,
                    comparisons,
                    rows,
                    checkpoints,
                    failedCheckpoints);
        } finally {
            cluster.destroy();
        }
    }

    /**
     * Returns a user who is not HBase's superuser, as the one is who started the servers. A master makes the calls of a
     * superuser in the few handlers in which region servers report to it, and a change of a table waits in one for that
     * table's lock, which a procedure may hold that waits for such a report.
     */
    private static User operator() {
        return User.create(UserGroupInformation.createRemoteUser("operator"));
    }

    private long runOn(LocalCluster cluster, HistoryLog history, List<ScrubReport> comparisons)
            throws IOException, InterruptedException {
        try (Connection clients = ConnectionFactory.createConnection(ChaosCluster.clientConfiguration(cluster));
                Connection readers = ConnectionFactory.createConnection(ChaosCluster.clientConfiguration(cluster));
                Connection keeper = ConnectionFactory.createConnection(ChaosCluster.adminConfiguration(cluster));
                Connection operator =
                        ConnectionFactory.createConnection(ChaosCluster.adminConfiguration(cluster), operator());
                Admin hbase = keeper.getAdmin();
                DiffIndexAdmin builder = new DiffIndexAdmin(operator);
                DiffIndexAdmin admin = new DiffIndexAdmin(keeper)) {
            for (IndexScheme scheme : options.schemes()) {
                ChaosTable table = new ChaosTable(scheme);
                table.create(admin);
                SchemeHistory of = new SchemeHistory(scheme, clock);
                Workload work = Workload.of(table, clients, readers, of, history, violations, options.rows(), stopped);
                workloads.add(work);
                Random random = new Random(options.seed());
                BuildingClient.SchemeChanges changes = (index, to) -> {
                    if (options.schemeChanges()) {
                        SchemeChange.run(
                                operator, index.table(), index.name(), to, SCHEME_CHANGE, SchemeChangeListener.NONE);
                        return true;
                    }
                    return false;
                };
                builders.put(scheme, new BuildingClient(work, builder, changes, random, BUILD_STEPS_PER_SECOND));
            }
            List<ChaosTable> tables = workloads.stream().map(Workload::table).toList();
            Regions regions = new Regions(cluster, keeper, tables);
            FaultInjector injector = new FaultInjector(cluster, hbase, regions, faults, clock);
            Checkpoint checkpoint = new Checkpoint(admin);
            underFaults(injector, checkpoint, admin);
            progress.accept("comparing");
            long rows = lastCheck(new FinalCheck(keeper), checkpoint, comparisons);
            injector.lookForDeaths();
            deaths.addAll(injector.deaths());
            return rows;
        }
    }

    private void underFaults(FaultInjector injector, Checkpoint checkpoint, DiffIndexAdmin admin)
            throws IOException, InterruptedException {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            List<Future<Void>> clients = new ArrayList<>();
            for (Workload work : workloads) {
                clientsOf(work).forEach(client -> clients.add(threads.submit(client)));
                clients.add(threads.submit(builders.get(work.table().scheme())));
                if (!work.table().scheme().readsAcknowledgedWrites()) {
                    Pace pace = new Pace(DRAINS_PER_SECOND, new Random(options.seed()));
                    clients.add(threads.submit(new DrainingClient(work, admin, pace)));
                }
            }
            Future<Void> reporter = threads.submit(this::reportProgress);
            injectFaults(injector, checkpoint);
            stopped.set(true);
            progress.accept("waiting for the clients to finish");
            for (Future<Void> client : clients) {
                join(client);
            }
            join(reporter);
        } finally {
            stopped.set(true);
            threads.shutdownNow();
        }
    }

    private List<Callable<Void>> clientsOf(Workload work) {
        List<Callable<Void>> clients = new ArrayList<>();
        RowSlots shared = new RowSlots(work.history(), "all", SHARED_ROWS);
        double perWriter = (double) options.writesPerSecond() / options.writers();
        for (int i = 0; i < options.writers(); i++) {
            RowSlots own = new RowSlots(work.history(), "w" + i, Math.max(1, options.rows() / options.writers()));
            Random random =
                    new Random(options.seed() * 31 + i + work.table().name().hashCode());
            boolean inSessions = work.table().scheme().hasSessions() && i % 2 == 0;
            clients.add(
                    inSessions
                            ? new SessionClient(work, own, shared, random, perWriter, ChaosCluster.RPC_TIMEOUT)
                            : new WriterClient(work, own, shared, random, perWriter, ChaosCluster.RPC_TIMEOUT));
        }
        double perReader = (double) options.readsPerSecond() / options.readers();
        for (int i = 0; i < options.readers(); i++) {
            clients.add(new ReaderClient(work, new Random(options.seed() + i), perReader));
        }
        return clients;
    }

    private void join(Future<Void> client) throws InterruptedException {
        try {
            client.get(END_OF_CLIENTS.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            fail(Kind.FAILED, "a client failed: " + e.getCause());
        } catch (TimeoutException e) {
            fail(Kind.STUCK, "a client did not finish within " + END_OF_CLIENTS);
        }
    }

    private void fail(Kind kind, String what) {
        violations.add(kind, options.schemes().get(0), what, clock.getAsLong(), what);
    }

    private void injectFaults(FaultInjector injector, Checkpoint checkpoint) throws IOException, InterruptedException {
        FaultPlan plan = new FaultPlan(options.seed(), options.kinds(), ChaosCluster.SESSION.toMillis());
        long end = clock.getAsLong() + options.duration().toNanos();
        runEnd = end;
        long nextCheckpoint = clock.getAsLong() + BETWEEN_CHECKPOINTS.toNanos();
        while (clock.getAsLong() < end) {
            injector.run(plan.next());
            mendAll(injector);
            if (clock.getAsLong() > nextCheckpoint) {
                checkpoint(checkpoint);
                nextCheckpoint = clock.getAsLong() + BETWEEN_CHECKPOINTS.toNanos();
            }
        }
    }

    private void mendAll(FaultInjector injector) throws IOException {
        boolean mended = Conditions.await(MEND, () -> {
            try {
                injector.mend();
                return true;
            } catch (IOException e) {
                progress.accept("not repaired yet: " + e.getMessage());
                return false;
            }
        });
        if (!mended) {
            fail(Kind.STUCK, "the cluster could not be repaired after a fault");
        }
    }

    private void checkpoint(Checkpoint checkpoint) throws InterruptedException {
        boolean all = true;
        for (Workload work : workloads) {
            String problem = checkpoint.run(work, CHECKPOINT);
            if (!problem.isEmpty()) {
                all = false;
                progress.accept("no checkpoint of " + work.table().name() + ": " + problem);
            }
        }
        checkpoints += all ? 1 : 0;
        failedCheckpoints += all ? 0 : 1;
        progress.accept(all ? "checkpoint: every read was exact or is reported as a violation" : "checkpoint failed");
    }

    private long lastCheck(FinalCheck check, Checkpoint checkpoint, List<ScrubReport> comparisons)
            throws InterruptedException {
        long rows = 0;
        for (Workload work : workloads) {
            String problem = checkpoint.run(work, LAST_CHECKPOINT);
            if (!problem.isEmpty()) {
                stuck(work, problem);
            }
            try {
                if (!builders.get(work.table().scheme()).settle(MEND)) {
                    stuck(work, "an index is neither built nor dropped");
                }
                List<ScrubReport> reports = check.compare(work);
                comparisons.addAll(reports);
                rows += check.compareWithHistory(work);
                checkCleanUp(
                        check, work, reports.stream().map(ScrubReport::index).toList());
            } catch (IOException e) {
                stuck(work, "not compared: " + e);
            }
        }
        return rows;
    }

    /** Reads by all indexes, the one that was created and changed meanwhile among them, whatever scheme that has now. */
    private void checkCleanUp(FinalCheck check, Workload work, List<IndexDefinition> indexes)
            throws IOException, InterruptedException {
        if (indexes.stream().noneMatch(index -> index.scheme().leavesStaleEntries())) {
            return;
        }
        List<String> names = indexes.stream().map(IndexDefinition::name).toList();
        long left = Checkpoint.readUntilClean(work, names, check, CLEAN_UP);
        if (left > 0) {
            String what = left + " stale entries";
            violations.add(
                    Kind.LEFT,
                    work.table().scheme(),
                    what,
                    clock.getAsLong(),
                    what + " remain after " + CLEAN_UP + " of reads");
        }
    }

    private void stuck(Workload work, String problem) {
        violations.add(Kind.STUCK, work.table().scheme(), "at the end", clock.getAsLong(), problem);
    }

    /**
     * Adds the aborts in the logs, reports logged internal errors as violations, and returns the deaths that no log
     * explains.
     */
    private List<Death> readLogs(LocalCluster cluster, List<Abort> aborts) throws IOException {
        AbortCauses causes = new AbortCauses(faults.all());
        Map<String, List<Death>> byProcess = deaths.stream().collect(Collectors.groupingBy(Death::process));
        List<Death> unexplained = new ArrayList<>();
        List<String> servers = new ArrayList<>(cluster.regionServers());
        servers.add(ProcessFaults.MASTER);
        for (String process : servers) {
            ServerLog log = ServerLog.read(cluster.layout().log(process));
            aborts.addAll(causes.of(process, log));
            List<Death> ofProcess = byProcess.remove(process);
            if (ofProcess != null) {
                unexplained.addAll(Death.notToldBy(log, ofProcess));
            }
            for (ServerLog.Entry error : log.errors()) {
                fail(Kind.FAILED, process + " at " + error.time() + ": " + error.text());
            }
        }
        byProcess.values().forEach(unexplained::addAll); // of processes whose logs report no aborts
        return unexplained;
    }

    /** Reports the logged writes of the rows of the first 10 violations. */
    private void explainViolations(HistoryLog history) throws IOException {
        for (Violation violation : violations.all().stream()
                .filter(each -> !each.row().equals("-"))
                .limit(10)
                .toList()) {
            progress.accept("writes of " + violation.scheme() + " row " + violation.row()
                    + ", in the order in which they ended:");
            history.of(violation.scheme(), violation.row(), 25).forEach(line -> progress.accept("    " + line));
        }
    }

    private Map<IndexScheme, Tally> tallies() {
        Map<IndexScheme, Tally> tallies = new EnumMap<>(IndexScheme.class);
        workloads.forEach(work -> tallies.put(work.table().scheme(), work.tally()));
        return tallies;
    }

    private Void reportProgress() {
        long next = clock.getAsLong() + PROGRESS.toNanos();
        while (!stopped.get() && !Thread.currentThread().isInterrupted()) {
            Pace.sleepUntil(next, clock);
            next += PROGRESS.toNanos();
            progress.accept("%d s left: %,d writes, %,d reads, %d faults, %d violations"
                    .formatted(
                            Math.max(0, TimeUnit.NANOSECONDS.toSeconds(runEnd - clock.getAsLong())),
                            workloads.stream()
                                    .mapToLong(work -> work.tally().writes())
                                    .sum(),
                            workloads.stream()
                                    .mapToLong(work -> work.tally().reads.sum())
                                    .sum(),
                            faults.all().size(),
                            violations.count()));
        }
        return null;
    }

    /** Deletes the cluster's folder and the history. */
    void clean() throws IOException {
        Files.deleteIfExists(options.history());
        FileUtil.fullyDelete(options.clusterDir().toFile());
    }
}
