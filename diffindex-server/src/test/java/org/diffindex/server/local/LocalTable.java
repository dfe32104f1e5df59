package org.diffindex.server.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.KeyValueUtil;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.IsolationLevel;
import org.apache.hadoop.hbase.client.RegionInfo;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.ipc.ServerRpcController;
import org.apache.hadoop.hbase.regionserver.FlushLifeCycleTracker;
import org.apache.hadoop.hbase.regionserver.HRegion;
import org.apache.hadoop.hbase.regionserver.HRegionFileSystem;
import org.apache.hadoop.hbase.regionserver.HStore;
import org.apache.hadoop.hbase.regionserver.HStoreFile;
import org.apache.hadoop.hbase.regionserver.RegionScanner;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.hadoop.hbase.util.CommonFSUtils;
import org.apache.hadoop.hbase.util.EnvironmentEdgeManager;
import org.apache.hadoop.hbase.wal.RepeatedSplitter;
import org.apache.hadoop.hbase.wal.WALSplitUtil;
import org.diffindex.model.Expiry;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.protocol.DiffIndexProtos.DiffIndexService;
import org.diffindex.protocol.DiffIndexProtos.DrainRequest;
import org.diffindex.protocol.DiffIndexProtos.FillRequest;
import org.diffindex.protocol.DiffIndexProtos.FillResponse;
import org.diffindex.protocol.DiffIndexProtos.Repair;
import org.diffindex.protocol.DiffIndexProtos.RepairRequest;
import org.diffindex.protocol.DiffIndexProtos.RepairResponse;
import org.diffindex.protocol.DiffIndexProtos.ReportStaleRequest;
import org.diffindex.protocol.DiffIndexProtos.StaleEntry;
import org.diffindex.server.IndexObserver;
import org.diffindex.server.deliver.IndexTableModel;

/**
 * The regions of an indexed table on one {@link LocalServer} after the other. They move, split, merge, and survive the
 * death of a server.
 */
public final class LocalTable implements Closeable {
    private static final int DRAIN_MS = 30_000;

    private final Configuration conf;
    private TableDescriptor descriptor;
    private final FakeConnection network;
    private final RepeatedSplitter splitter;
    private LocalServer server;
    /** The regions that were last to be opened, whether or not that succeeded. */
    private List<RegionInfo> opening = List.of();

    private long regionId = 1;

    /** Creates a table of one region, on the file system that the configuration names. */
    public LocalTable(Configuration conf, TableDescriptor descriptor, FakeConnection network) throws IOException {
        this.conf = conf;
        this.descriptor = descriptor;
        this.network = network;
        this.splitter = new RepeatedSplitter(conf);
        this.server = new LocalServer(conf, network);
        RegionInfo info = RegionInfoBuilder.newBuilder(descriptor.getTableName())
                .setRegionId(regionId)
                .build();
        HRegion.createRegionDir(conf, info, root());
        server.open(info, descriptor);
    }

    /** Changes a setting of the servers that open its regions from now on. */
    public void set(String name, long value) {
        conf.setLong(name, value);
    }

    private Path root() {
        return new Path(conf.get(HConstants.HBASE_DIR));
    }

    public Collection<IndexDefinition> indexes() {
        return IndexDefinitions.of(descriptor).values();
    }

    public List<HRegion> regions() {
        return List.copyOf(server.regions());
    }

    public HRegion regionOf(byte[] row) {
        for (HRegion region : server.regions()) {
            if (region.getRegionInfo().containsRow(row)) {
                return region;
            }
        }
        throw new IllegalStateException("No region for " + Bytes.toStringBinary(row));
    }

    public void flush() throws IOException {
        for (HRegion region : regions()) {
            region.flush(true);
        }
    }

    /** Flushes one family alone, as HBase does if it is larger than the others. */
    public void flush(byte[] family) throws IOException {
        for (HRegion region : regions()) {
            region.flushcache(List.of(family), false, FlushLifeCycleTracker.DUMMY);
        }
    }

    /**
     * Compacts all files into one, after a flush: HBase trims versions by the files alone, and shows less than before
     * if a tombstone of theirs is still in memory.
     */
    public void compact() throws IOException {
        flush();
        for (HRegion region : regions()) {
            region.compact(true);
        }
    }

    /** Returns whether the server was aborted by something that failed in it. */
    public boolean isServerAborted() {
        return server.isAborted();
    }

    /** Kills the server, so that its regions must be recovered. */
    public void die() throws IOException {
        server.die();
    }

    /**
     * Recovers the regions of the dead server on another server.
     *
     * @return what was recovered, for a failure message
     */
    public String recover() throws IOException {
        List<RegionInfo> infos =
                server.regions().stream().map(HRegion::getRegionInfo).toList();
        Map<String, Long> found = server.splitWal(splitter);
        opening = infos;
        server = new LocalServer(conf, network);
        StringBuilder recovered = new StringBuilder();
        for (RegionInfo info : infos) {
            HRegion region = server.open(info, descriptor);
            assertNothingMovedAside(info);
            BaseProbe probe = region.getCoprocessorHost().findCoprocessor(BaseProbe.class);
            recovered.append(String.format(
                    "[%s: %d edits found, %d replayed]",
                    info.getRegionNameAsString(), found.getOrDefault(info.getEncodedName(), 0L), probe.replayed.own()));
        }
        return recovered.toString();
    }

    /** Opens on another server the regions that this one could not open. */
    public void openElsewhere() throws IOException {
        server.stop();
        server = new LocalServer(conf, network);
        for (RegionInfo info : opening) {
            server.open(info, descriptor);
        }
    }

    /**
     * Fails if recovered edits are left: HBase moves aside a file of edits that it cannot read, and opens the region
     * without it.
     */
    private void assertNothingMovedAside(RegionInfo info) throws IOException {
        Path folder = WALSplitUtil.getRegionDirRecoveredEditsDir(
                CommonFSUtils.getWALRegionDir(conf, info.getTable(), info.getEncodedName()));
        for (FileStatus file : root().getFileSystem(conf).listStatus(folder)) {
            assertThat(WALSplitUtil.isSequenceIdFile(file.getPath()))
                    .as("whether %s, left after a replay, is a file of sequence ids", file.getPath())
                    .isTrue();
        }
    }

    /** Recovers the regions of the dead server on another server, after the table was altered meanwhile. */
    public String recover(TableDescriptor changed) throws IOException {
        descriptor = changed;
        return recover();
    }

    /** Alters the table: closes all regions gracefully, and opens them with another descriptor. */
    public void alter(TableDescriptor changed) throws IOException {
        descriptor = changed;
        move();
    }

    public TableDescriptor descriptor() {
        return descriptor;
    }

    /** Creates an empty table, with the TTL of the index's columns, for the entries of an index. */
    public void serve(IndexDefinition index) throws IOException {
        int timeToLive = new Expiry(descriptor, List.of(index)).timeToLive(index);
        network.serveIndex(index.indexTable(), new IndexTableModel(timeToLive, EnvironmentEdgeManager::currentTime));
    }

    /** Backfills an index with the existing rows; empty if that fails. */
    public Optional<FillResponse> backfill(IndexDefinition index) {
        FillResponse.Builder all = FillResponse.newBuilder();
        for (HRegion region : regions()) {
            FillRequest.Builder request = FillRequest.newBuilder()
                    .setIndex(index.name())
                    .setIndexId(index.id())
                    .setMaxRows(1_000);
            FillResponse page;
            do {
                page = backfill(region, request.build());
                if (page == null) {
                    return Optional.empty();
                }
                request.setStartRow(page.getNextRow());
                all.setRows(all.getRows() + page.getRows())
                        .setEntries(all.getEntries() + page.getEntries())
                        .setLeftOut(all.getLeftOut() + page.getLeftOut());
            } while (page.hasNextRow());
        }
        return Optional.of(all.build());
    }

    private static FillResponse backfill(HRegion region, FillRequest request) {
        List<FillResponse> responses = new ArrayList<>();
        endpoint(region).fill(new ServerRpcController(), request, responses::add);
        return responses.get(0);
    }

    /** Makes the next sync of the WAL fail although its entry is durable. */
    public void failNextSync() {
        server.failingSyncs.failNext(1);
    }

    /** Reports entries of a row as stale, as a reader does. */
    public void reportStale(IndexDefinition index, byte[] row, Collection<Cell> entries) {
        ReportStaleRequest.Builder request =
                ReportStaleRequest.newBuilder().setIndex(index.name()).setIndexId(index.id());
        for (Cell entry : entries) {
            request.addEntries(StaleEntry.newBuilder()
                    .setRow(ByteString.copyFrom(row))
                    .setKey(ByteString.copyFrom(CellUtil.cloneRow(entry)))
                    .setStamp(entry.getTimestamp()));
        }
        endpoint(regionOf(row)).reportStale(new ServerRpcController(), request.build(), response -> {});
    }

    /** Repairs entries of a row that count as wrong, as a scrub does. */
    public RepairResponse repair(IndexDefinition index, byte[] row, Collection<Cell> entries) {
        RepairRequest.Builder request =
                RepairRequest.newBuilder().setIndex(index.name()).setIndexId(index.id());
        for (Cell entry : entries) {
            request.addRepairs(Repair.newBuilder()
                    .setRow(ByteString.copyFrom(row))
                    .setKey(ByteString.copyFrom(CellUtil.cloneRow(entry)))
                    .setStamp(entry.getTimestamp()));
        }
        List<RepairResponse> responses = new ArrayList<>();
        endpoint(regionOf(row)).repair(new ServerRpcController(), request.build(), responses::add);
        return responses.get(0);
    }

    /** Repairs the entries of a row that are not right, as a change of the scheme does. */
    public void repairOthers(IndexDefinition index, byte[] row, Set<String> right) {
        IndexKeyCodec codec = new IndexKeyCodec(index);
        List<Cell> wrong = network.index(index.indexTable()).visible().values().stream()
                .filter(cell ->
                        Bytes.equals(codec.decode(CellUtil.cloneRow(cell)).row(), row))
                .filter(cell -> index.entryFormat().decode(cell).map(IndexEntry::toString).stream()
                        .noneMatch(right::contains))
                .toList();
        if (!wrong.isEmpty()) {
            repair(index, row, wrong);
        }
    }

    private static DiffIndexService endpoint(HRegion region) {
        return (DiffIndexService) region.getCoprocessorHost()
                .findCoprocessor(IndexObserver.class)
                .getServices()
                .iterator()
                .next();
    }

    /** Closes all regions gracefully and opens them on another server. */
    public void move() throws IOException {
        List<RegionInfo> infos =
                server.regions().stream().map(HRegion::getRegionInfo).toList();
        server.stop();
        server = new LocalServer(conf, network);
        for (RegionInfo info : infos) {
            server.open(info, descriptor);
        }
    }

    /** Splits the region that holds the row, unless the row is the region's first. */
    public void split(byte[] row) throws IOException {
        HRegion parent = regionOf(row);
        RegionInfo info = parent.getRegionInfo();
        if (Bytes.equals(info.getStartKey(), row)) {
            return;
        }
        Map<byte[], List<HStoreFile>> files = closeWithoutReferences(parent);
        RegionInfo lower = daughter(info.getStartKey(), row);
        RegionInfo upper = daughter(row, info.getEndKey());
        HRegionFileSystem region = parent.getRegionFileSystem();
        region.createSplitsDir(lower, upper);
        for (Map.Entry<byte[], List<HStoreFile>> family : files.entrySet()) {
            String name = Bytes.toString(family.getKey());
            for (HStoreFile file : family.getValue()) {
                region.splitStoreFile(lower, name, file, row, false, null);
                region.splitStoreFile(upper, name, file, row, true, null);
            }
        }
        for (RegionInfo each : List.of(lower, upper)) {
            goOnFrom(each, newestSequence(parent));
            server.open(each, descriptor);
        }
    }

    /** Merges all regions into one. */
    public void merge() throws IOException {
        if (server.regions().size() < 2) {
            return;
        }
        RegionInfo whole = daughter(HConstants.EMPTY_START_ROW, HConstants.EMPTY_END_ROW);
        HRegionFileSystem merged = HRegion.createRegionDir(conf, whole, root());
        long newest = 0;
        for (HRegion region : regions()) {
            for (Map.Entry<byte[], List<HStoreFile>> family :
                    closeWithoutReferences(region).entrySet()) {
                for (HStoreFile file : family.getValue()) {
                    merged.mergeStoreFile(region.getRegionInfo(), Bytes.toString(family.getKey()), file);
                }
            }
            newest = Math.max(newest, newestSequence(region));
        }
        goOnFrom(whole, newest);
        server.open(whole, descriptor);
    }

    /**
     * Closes a region that holds no references, since HBase splits or merges a region only after a compaction resolved
     * them.
     */
    private Map<byte[], List<HStoreFile>> closeWithoutReferences(HRegion region) throws IOException {
        if (region.getStores().stream().anyMatch(HStore::hasReferences)) {
            region.flush(true);
            region.compact(true);
        }
        return server.close(region);
    }

    private RegionInfo daughter(byte[] start, byte[] end) {
        regionId++;
        return RegionInfoBuilder.newBuilder(descriptor.getTableName())
                .setStartKey(start)
                .setEndKey(end)
                .setRegionId(regionId)
                .build();
    }

    /** Makes the sequence numbers of a new region continue those of its parents. */
    private void goOnFrom(RegionInfo region, long newest) throws IOException {
        Path folder = CommonFSUtils.getWALRegionDir(conf, region.getTable(), region.getEncodedName());
        WALSplitUtil.writeRegionSequenceIdFile(root().getFileSystem(conf), folder, newest);
    }

    private static long newestSequence(HRegion region) {
        return region.getReadPoint(IsolationLevel.READ_COMMITTED);
    }

    /**
     * Waits until the index updates of all earlier writes are delivered. Returns the number of batches that are left.
     */
    public long drain() {
        long left = 0;
        for (HRegion region : regions()) {
            List<Long> remaining = new ArrayList<>();
            endpoint(region)
                    .drain(
                            new ServerRpcController(),
                            DrainRequest.newBuilder().setTimeoutMs(DRAIN_MS).build(),
                            response -> remaining.add(response.getRemaining()));
            left += remaining.get(0);
        }
        return left;
    }

    /** Returns what plain Gets of the rows show. */
    public NavigableMap<String, List<Cell>> visible(Collection<String> rows) throws IOException {
        NavigableMap<String, List<Cell>> visible = new TreeMap<>(Comparator.naturalOrder());
        for (String row : rows) {
            byte[] key = Bytes.toBytes(row);
            Result result = regionOf(key).get(new Get(key));
            visible.put(row, result.isEmpty() ? List.of() : Arrays.asList(result.rawCells()));
        }
        return visible;
    }

    /** Returns all cells of a row, including tombstones and what they hide. */
    public List<Cell> everything(String row) throws IOException {
        byte[] key = Bytes.toBytes(row);
        List<Cell> cells = new ArrayList<>();
        try (RegionScanner scanner =
                regionOf(key).getScanner(new Scan(new Get(key)).setRaw(true).readAllVersions())) {
            scanner.next(cells);
            cells.replaceAll(KeyValueUtil::copyToNewKeyValue);
        }
        return cells;
    }

    /** Returns the entries that an index should hold for visible rows. */
    public static NavigableSet<String> expected(IndexDefinition index, Map<String, List<Cell>> visible) {
        IndexEntryFunction function = new IndexEntryFunction(index);
        NavigableSet<String> entries = new TreeSet<>();
        visible.forEach((row, cells) -> function.entryOf(Bytes.toBytes(row), cells)
                .map(IndexEntry::toString)
                .ifPresent(entries::add));
        return entries;
    }

    /** Returns the entries that an index holds. */
    public NavigableSet<String> entries(IndexDefinition index) {
        return network.index(index.indexTable()).entries();
    }

    /** Ends without a flush. */
    @Override
    public void close() throws IOException {
        server.die();
        splitter.close();
    }
}
