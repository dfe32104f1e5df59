package org.diffindex.server.sim;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.KeyValue;
import org.apache.hadoop.hbase.NotServingRegionException;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.PackagePrivateFieldAccessor;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.coprocessor.RegionCoprocessorEnvironment;
import org.apache.hadoop.hbase.regionserver.MultiVersionConcurrencyControl;
import org.apache.hadoop.hbase.regionserver.Region;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.regionserver.Store;
import org.apache.hadoop.hbase.regionserver.StoreFile;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntry;
import org.diffindex.protocol.DiffIndexProtos.StaleEntry;
import org.diffindex.server.SimulatedMachine;
import org.diffindex.server.local.Flights;
import org.diffindex.server.sim.SimulationFailure.Kind;

/**
 * A base region while it is open on a server. It opens with a replay, flushes, compacts and closes as HBase's HRegion
 * does, calls the hooks in the same order, and yields to other actors between any two steps. Writes are in {@link
 * RegionWrite}.
 */
final class OpenRegion {
    private static final int FLUSH_TRIES = 10;
    private static final int FLUSH_REPLAY_ONCE_IN = 4;

    /**
     * Age at which major compactions drop tombstones, like hbase.hstore.time.to.purge.deletes; longer than the clocks
     * differ.
     */
    private static final long TOMBSTONES_MS = 100;

    /** Least time to open a region. It lets the clock pass the stamps of writes within one millisecond. */
    private static final long OPEN_NANOS = 5_000_000;

    final Scheduler scheduler;
    final Server server;
    final StoreFiles durable;
    private final Wiring wiring;
    private final Histories histories;
    final Hooks hooks;
    final RegionCoprocessorEnvironment env;
    MultiVersionConcurrencyControl mvcc;
    final UpdatesLock updatesLock;
    final RowHolds rowHolds;
    List<KeyValue> memstore = new ArrayList<>();
    private List<KeyValue> snapshot = new ArrayList<>();

    boolean closing;

    /** Whether a close is in progress or requested. */
    boolean moving;

    int operations;

    /** The threads whose reads fail. */
    final Set<Thread> withoutReads = new HashSet<>();

    /** Entries that are appended to the WAL but not synced: they exist only in this server's memory. */
    private final List<StoreFiles.Logged> unsynced = new ArrayList<>();

    /** Read points of the open scanners. */
    private final List<Long> readPoints = new ArrayList<>();

    private boolean flushing;
    private boolean compacting;

    /** The files that the server has open, if the session has ended since; else null. */
    private List<StoreFiles.File> lastFiles;

    OpenRegion(
            Scheduler scheduler,
            Server server,
            StoreFiles durable,
            Wiring wiring,
            TableDescriptor table,
            Configuration conf,
            Connection connection,
            Histories histories) {
        this.histories = histories;
        this.scheduler = scheduler;
        this.server = server;
        this.durable = durable;
        this.wiring = wiring;
        this.hooks = wiring.hooks(scheduler);
        this.updatesLock = new UpdatesLock(scheduler);
        this.rowHolds = new RowHolds(scheduler);
        server.numbers(durable.info, () -> mvcc);
        server.regions.add(this);
        Region region = Stub.of(
                Region.class,
                Map.of(
                        "getRegionInfo", none -> durable.info,
                        "getTableDescriptor", none -> table,
                        "getStores", none -> List.of(store()),
                        "getScanner", arguments -> scanner((Scan) arguments[0])));
        this.env = Stub.of(
                RegionCoprocessorEnvironment.class,
                Map.of(
                        "getRegion", none -> region,
                        "getRegionInfo", none -> durable.info,
                        "getConfiguration", none -> conf,
                        "getSharedData", none -> server.sharedData,
                        "getServerName", none -> server.name,
                        "getOnlineRegions", none -> null, // the simulation has sessions of its own
                        "createConnection", none -> connected(connection)));
    }

    private Connection connected(Connection connection) {
        if (mvcc == null && server.serves()) { // a server that lost its session does not finish opening
            throw new SimulationFailure(Kind.CALL, "A connection is opened, and waited for, while a region opens");
        }
        return connection;
    }

    /** HRegion's updatesLock: shared by writers, exclusive to the taking of a snapshot. */
    static final class UpdatesLock {
        private final Scheduler scheduler;
        private int shared;
        private boolean exclusive;

        UpdatesLock(Scheduler scheduler) {
            this.scheduler = scheduler;
        }

        Runnable share() {
            scheduler.await("the region's updates lock", () -> !exclusive);
            shared++;
            Runnable leave = scheduler.enter("the region's updates lock");
            return () -> {
                shared--;
                leave.run();
            };
        }

        void alone(Runnable task) {
            scheduler.await("the region's updates lock", () -> !exclusive);
            exclusive = true;
            try {
                scheduler.await("the writers to leave", () -> shared == 0);
                task.run();
            } finally {
                exclusive = false;
            }
        }
    }

    /** HBase's own row locks: shared by puts and deletes, exclusive to increments. */
    static final class RowHolds {
        private final Scheduler scheduler;
        private final Map<String, Integer> holders = new TreeMap<>();

        RowHolds(Scheduler scheduler) {
            this.scheduler = scheduler;
        }

        Runnable hold(String row, boolean alone) {
            int most = alone ? 0 : Integer.MAX_VALUE - 1;
            scheduler.await("HBase's lock of row " + row, () -> {
                int now = holders.getOrDefault(row, 0);
                return now >= 0 && now <= most;
            });
            holders.merge(row, alone ? -1 : 1, Integer::sum);
            return () -> holders.merge(row, alone ? 1 : -1, Integer::sum);
        }
    }

    /** Makes the region go on with the files that it has now, because its server's session has ended. */
    void lose() {
        lastFiles = List.copyOf(durable.files);
    }

    private List<StoreFiles.File> files() {
        return lastFiles == null ? durable.files : lastFiles;
    }

    private void requireWal() throws IOException {
        if (!server.serves()) {
            throw new IOException("The WAL is closed: the server's session has ended");
        }
    }

    private Store store() {
        List<StoreFile> files = new ArrayList<>();
        for (StoreFiles.File file : files()) {
            files.add(Stub.of(
                    StoreFile.class,
                    Map.of(
                            "getMaximumTimestamp",
                            none -> OptionalLong.of(file.newestTimestamp()),
                            "getPath",
                            none -> file.path())));
        }
        return Stub.of(
                Store.class,
                Map.of(
                        "getStorefiles", none -> files,
                        "getColumnFamilyDescriptor", none -> ColumnFamilyDescriptorBuilder.of(Flights.F),
                        "getMaxSequenceId", none -> OptionalLong.of(durable.flushedTo)));
    }

    /** Returns all cells, in memory and on disk. */
    List<KeyValue> cells() {
        List<KeyValue> cells = StoreFiles.cells(files());
        cells.addAll(snapshot);
        cells.addAll(memstore);
        return cells;
    }

    /** Returns the visible cells of all rows. */
    List<KeyValue> visible() {
        return Versions.visible(cells(), mvcc.getReadPoint());
    }

    /** Records what the region shows after something has become visible. */
    void shows() {
        if (server.serves()) {
            histories.look(this);
        }
    }

    /** Answers a client's Get. */
    Result get(Get get) throws IOException {
        hooks.beforeGet(env, get);
        scheduler.pause("reads the row");
        startOperation();
        try {
            Result row = Result.create(cellsFor(new Scan(get), get.getRow(), mvcc.getReadPoint()));
            hooks.afterGet(env, get);
            return row;
        } finally {
            endOperation();
        }
    }

    /** Returns whether the row of an entry is known to yield it; false if the region does not serve. */
    boolean isYielded(IndexDefinition index, IndexEntry entry) {
        scheduler.pause("checks an entry");
        return !closing && SimulatedMachine.isYielded(hooks.observer, index, entry);
    }

    /** Repairs entries that a scrub found wrong; does not wait for what the index does not accept. */
    void repair(IndexDefinition index, List<StaleEntry> entries) {
        stampsAreTaken(entries);
        SimulatedMachine.repair(hooks.observer, index, entries);
    }

    /** Backfills an index with the region's rows, as if it were new; does not wait for what the index does not accept. */
    void backfill(IndexDefinition index) {
        cells().forEach(cell -> durable.times.isLookedAt(Bytes.toString(CellUtil.cloneRow(cell))));
        SimulatedMachine.backfill(hooks.observer, index);
    }

    /** Receives a client's report of stale entries. */
    void takeReport(IndexDefinition index, List<StaleEntry> entries) {
        stampsAreTaken(entries);
        SimulatedMachine.reportStale(hooks.observer, index, entries);
    }

    private void stampsAreTaken(List<StaleEntry> entries) {
        entries.forEach(entry -> durable.times.isLookedAt(entry.getRow().toStringUtf8()));
    }

    List<KeyValue> cellsOf(byte[] row) {
        List<KeyValue> cells = cells();
        cells.removeIf(cell -> !CellUtil.matchingRows(cell, row));
        return cells;
    }

    /**
     * Returns the smallest read point of any scanner or, if smaller, of the region; during a replay, the last flushed
     * sequence number.
     */
    private long smallestReadPoint() {
        long ofRegion = mvcc == null ? durable.flushedTo : mvcc.getReadPoint();
        return readPoints.stream().mapToLong(Long::longValue).reduce(ofRegion, Math::min);
    }

    private RegionScanner scanner(Scan scan) throws IOException {
        if (withoutReads.contains(Thread.currentThread())) {
            throw new IOException("The region cannot be read");
        }
        if (closing) {
            throw new NotServingRegionException(durable.info.getEncodedName());
        }
        long asked = PackagePrivateFieldAccessor.getMvccReadPoint(scan);
        Long readPoint = asked > 0 ? asked : mvcc.getReadPoint();
        readPoints.add(readPoint);
        byte[][] position = {scan.getStartRow()};
        return Stub.of(
                RegionScanner.class,
                Map.of(
                        "getMvccReadPoint",
                        none -> readPoint,
                        "reseek",
                        arguments -> {
                            position[0] = (byte[]) arguments[0];
                            return true;
                        },
                        "next",
                        arguments -> {
                            @SuppressWarnings("unchecked") // as RegionScanner declares it
                            List<Cell> to = (List<Cell>) arguments[0];
                            List<Cell> row = firstRow(scan, position[0], readPoint);
                            to.addAll(row);
                            if (!row.isEmpty()) {
                                position[0] = Bytes.add(CellUtil.cloneRow(row.get(0)), new byte[1]);
                            }
                            return !row.isEmpty();
                        },
                        "close",
                        none -> {
                            readPoints.remove(readPoint);
                            return null;
                        }));
    }

    /** Returns what a scan shows of the first row, at or after a position, of which it shows anything. */
    private List<Cell> firstRow(Scan scan, byte[] position, long readPoint) throws IOException {
        NavigableSet<byte[]> rows = new TreeSet<>(Bytes.BYTES_COMPARATOR);
        cells().forEach(cell -> rows.add(CellUtil.cloneRow(cell)));
        for (byte[] row : rows.tailSet(position, true)) {
            boolean isBehind = scan.getStopRow().length > 0 && Bytes.compareTo(row, scan.getStopRow()) > 0;
            List<Cell> found = isBehind ? List.of() : cellsFor(scan, row, readPoint);
            if (isBehind || !found.isEmpty()) {
                return found;
            }
        }
        return List.of();
    }

    private List<Cell> cellsFor(Scan scan, byte[] row, long readPoint) throws IOException {
        List<KeyValue> cells = cellsOf(row);
        if (scan.isRaw() && scan.hasFilter()) {
            return Versions.filtered(cells, scan.getFilter());
        }
        if (scan.isRaw()) {
            cells.removeIf(cell -> !scan.getTimeRange().withinTimeRange(cell.getTimestamp()));
            return new ArrayList<>(cells);
        }
        List<Cell> visible = new ArrayList<>(Versions.visible(cells, readPoint));
        NavigableSet<byte[]> columns = scan.getFamilyMap().get(Versions.FAMILY);
        visible.removeIf(cell -> columns != null && !columns.contains(CellUtil.cloneQualifier(cell)));
        return visible;
    }

    /** Adds a cell to the memstore. */
    void remember(KeyValue cell) {
        StoreFiles.remember(cell, memstore);
    }

    /** Opens the region, and replays what its previous server logged and did not flush. */
    void open() throws IOException {
        SimulatedMachine.install(env, server);
        hooks.start(env);
        hooks.opening();
        scheduler.await("opens the files", () -> false, OPEN_NANOS);
        long newest = durable.flushedTo;
        List<StoreFiles.Logged> recovered = List.copyOf(durable.wal);
        for (StoreFiles.Logged entry : recovered) {
            scheduler.pause("replays " + entry.sequence());
            scheduler.happens("an edit is replayed");
            hooks.replayed(durable.info, entry.key(), entry.edit());
            if (entry.sequence() > durable.flushedTo) {
                entry.edit().getCells().forEach(cell -> remember((KeyValue) cell));
            }
            newest = Math.max(newest, entry.sequence());
            if (scheduler.onceIn(FLUSH_REPLAY_ONCE_IN)) {
                flush(Hooks.Flush.AT_REPLAY, newest);
            }
        }
        if (!recovered.isEmpty()) {
            flush(Hooks.Flush.AT_REPLAY, newest);
            scheduler.pause("deletes the recovered edits");
            requireWal();
            durable.wal.clear();
        }
        mvcc = new MultiVersionConcurrencyControl(newest + 1);
        scheduler.pause("is open");
        hooks.opened();
    }

    /** Flushes, as HBase does by itself or at a user's request. */
    void flush() throws IOException {
        if (closing || flushing) {
            return;
        }
        flushing = true;
        try {
            hooks.beforeFlush();
            flush(Hooks.Flush.ORDINARY, 0);
            hooks.flushed();
        } finally {
            flushing = false;
        }
    }

    /** Flushes. During a replay there is no MVCC yet, and the sequence number is that of the last replayed entry. */
    private void flush(Hooks.Flush kind, long replayedTo) throws IOException {
        requireWal();
        long[] flushedTo = {replayedTo};
        updatesLock.alone(() -> {
            snapshot = memstore;
            memstore = new ArrayList<>();
            syncWal();
            flushedTo[0] = kind == Hooks.Flush.AT_REPLAY ? replayedTo : mvcc.getWritePoint();
        });
        scheduler.pause("has the snapshot");
        StoreFiles.File file = snapshot.isEmpty() ? null : writeSnapshot(kind);
        scheduler.pause("commits the flushed file");
        requireWal();
        if (file != null) {
            durable.files.add(file);
        }
        snapshot = new ArrayList<>();
        durable.flushedTo = flushedTo[0];
        boolean archivesAtOnce = kind != Hooks.Flush.AT_REPLAY && !scheduler.onceIn(3);
        if (archivesAtOnce) {
            durable.wal.removeIf(entry -> entry.sequence() <= flushedTo[0]);
        }
    }

    /** Writes the snapshot. HBase retries several times, then gives up and aborts the server. */
    private StoreFiles.File writeSnapshot(Hooks.Flush kind) throws IOException {
        IOException last = null;
        for (int i = 0; i < FLUSH_TRIES; i++) {
            requireWal();
            try {
                hooks.beforeSnapshotIsWritten();
                long readPoint = smallestReadPoint();
                hooks.snapshotTaken(kind);
                scheduler.pause("writes the snapshot");
                return StoreFiles.File.of(Versions.kept(snapshot, readPoint, Long.MIN_VALUE));
            } catch (IOException e) {
                last = e;
                scheduler.await("a while", () -> false, 1_000_000_000L);
            }
        }
        throw new SimulationFailure(
                Kind.STUCK, "The server has to abort: a flush failed " + FLUSH_TRIES + " times", last);
    }

    /** Merges all files into one. A major compaction drops old tombstones. */
    void compact(boolean major) throws IOException {
        if (closing || compacting || durable.files.isEmpty()) {
            return;
        }
        compacting = true;
        try {
            List<StoreFiles.File> inputs = List.copyOf(durable.files);
            long readPoint = wiring.compactsWhatScannersRead() ? mvcc.getReadPoint() : smallestReadPoint();
            List<KeyValue> cells = new ArrayList<>();
            inputs.forEach(file -> cells.addAll(file.cells()));
            List<KeyValue> kept =
                    Versions.kept(cells, readPoint, major ? server.nowMs() - TOMBSTONES_MS : Long.MIN_VALUE);
            scheduler.pause("writes the compacted file");
            scheduler.pause("commits the compacted file");
            requireWal();
            durable.files.removeAll(inputs);
            durable.files.add(0, StoreFiles.File.of(kept));
            hooks.compacted();
        } finally {
            compacting = false;
        }
    }

    /** Appends to the WAL. An unsynced entry becomes durable with a later synced one, or is lost with the server. */
    void log(StoreFiles.Logged entry, boolean synced) {
        unsynced.add(entry);
        if (synced) {
            syncWal();
        }
    }

    private void syncWal() {
        if (server.serves()) {
            durable.wal.addAll(unsynced);
        }
        unsynced.clear();
    }

    /** Closes the region gracefully. */
    void close() throws IOException {
        hooks.beforeClose();
        scheduler.pause("refuses new operations");
        closing = true;
        scheduler.await("the operations of the region to end", () -> operations == 0 && !flushing && !compacting);
        flush(Hooks.Flush.AT_CLOSE, 0);
        scheduler.pause("is closed");
        hooks.stop(env);
        requireWal();
        durable.wal.clear();
        durable.open = null;
    }

    /** Begins an operation that a close waits for. */
    void startOperation() throws NotServingRegionException {
        if (closing) {
            throw new NotServingRegionException(durable.info.getEncodedName());
        }
        operations++;
    }

    void endOperation() {
        operations--;
    }
}
