package org.diffindex.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyInt;
import static org.mockito.ArgumentMatchers.anyList;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.RETURNS_SELF;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import com.google.protobuf.ByteString;
import com.google.protobuf.ServiceException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.CellBuilderFactory;
import org.apache.hadoop.hbase.CellBuilderType;
import org.apache.hadoop.hbase.CellUtil;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.Mutation;
import org.apache.hadoop.hbase.client.Put;
import org.apache.hadoop.hbase.client.Query;
import org.apache.hadoop.hbase.client.RegionInfoBuilder;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.ResultScanner;
import org.apache.hadoop.hbase.client.Scan;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.client.TableBuilder;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.client.metrics.ScanMetrics;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.EntryFormat;
import org.diffindex.model.IndexAddress;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexDelta;
import org.diffindex.model.IndexEntry;
import org.diffindex.model.IndexEntryFunction;
import org.diffindex.model.IndexKeyCodec;
import org.diffindex.model.IndexReplacedException;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexSchemeChangedException;
import org.diffindex.model.KeyOrder;
import org.diffindex.model.ReadPoint;
import org.diffindex.model.SessionChange;
import org.diffindex.protocol.DiffIndexProtos.CheckRequest;
import org.diffindex.protocol.DiffIndexProtos.CheckResponse;
import org.diffindex.protocol.DiffIndexProtos.ReportStaleRequest;
import org.diffindex.protocol.DiffIndexProtos.ReportStaleResponse;
import org.diffindex.protocol.DiffIndexProtos.StaleEntry;

/**
 * A base table with one index in memory, behind mocks of the few calls that the client makes. Writes are indexed as the
 * index's scheme requires; a test decides when and in which order updates of an asynchronous index are delivered.
 */
final class FakeHBase {
    static final byte[] F = Bytes.toBytes("f");

    private static final int MOST_REPORTED = 10_000;

    final Connection connection = mock(Connection.class);
    final IndexDefinition definition;
    /** The calls of the reading thread and, in order of time, reports of stale entries. */
    final List<String> calls = new CopyOnWriteArrayList<>();
    /** Number of base rows that were looked up by key. */
    int rowsLookedUp;

    /** Whether the region remembers what each row shows, and confirms its entry. */
    boolean remembers;

    /** Number of calls that asked the region which entries it confirms. */
    int checks;

    /** Index updates in flight: each a put or a delete of an entry. */
    final List<Mutation> queue = new ArrayList<>();

    final TreeMap<byte[], NavigableMap<byte[], Cell>> base = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    private final TreeMap<byte[], Cell> index = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    /** The entries that each scan saw. */
    private final List<NavigableMap<byte[], Cell>> scanned = new ArrayList<>();

    private final TreeMap<byte[], Long> tombstones = new TreeMap<>(Bytes.BYTES_COMPARATOR);
    private final IndexEntryFunction function;
    private final Table baseTable = mock(Table.class);
    private final Table indexTable = mock(Table.class);
    /** The first keys of the index's regions. */
    final TreeSet<byte[]> regionStarts = new TreeSet<>(Bytes.BYTES_COMPARATOR);

    /** Runs before the next scan opens a region, by the region's first key. */
    final Map<String, Runnable> beforeRegion = new TreeMap<>();

    /** The scheme by which writes maintain the index. */
    IndexScheme maintained;

    /** The scheme by which the index table demands to be read; null if it demands none. */
    IndexScheme demanded;

    /** Runs before the next lookup of base rows. */
    Runnable beforeLookUp = () -> {};

    /**
     * The maximum number of rows that a scan loads in one call, whatever its caching. In HBase a call also ends when
     * its result is large.
     */
    int mostRowsOfALoad = Integer.MAX_VALUE;

    /** How many entries a region reads in a step of an aggregate. */
    int stepOfAnAggregate = 3;

    /** Whether the coprocessor of the index table tells read points; none if another one replaces its scanners. */
    boolean tellsReadPoints = true;

    /** Whether a scan loses its region's scanner before the next call, and opens another one behind the last row. */
    BooleanSupplier reopens = () -> false;

    private long clock = 1_000;
    /** Whether updates of a synchronous index stay in flight too, as do those of a write whose server has crashed. */
    boolean holds;
    /** The exception that the next call of a kind throws, by the name under which it is recorded in {@link #calls}. */
    final Map<String, IOException> failures = new TreeMap<>();

    /** Whether the index table belongs to a later index of the same name. */
    boolean replaced;

    /** The definitions of further indexes of the table, as its descriptor holds them; they are not maintained. */
    final Map<String, String> furtherDefinitions = new TreeMap<>();

    /** What the table's descriptor defines: the index, and other generations of it. */
    List<IndexDefinition> defined;

    FakeHBase(IndexDefinition definition) throws IOException {
        this.definition = definition;
        this.defined = List.of(definition);
        this.maintained = definition.scheme();
        this.function = new IndexEntryFunction(definition);
        regionStarts.add(new byte[0]);
        TableName name = definition.table();
        when(connection.getConfiguration()).thenReturn(new Configuration(false));
        when(connection.getTable(name)).thenReturn(baseTable);
        Table missing = mock(Table.class); // that of an index which the base table does not define
        when(missing.get(any(Get.class))).thenThrow(new TableNotFoundException("no such table"));
        TableBuilder builder = mock(TableBuilder.class, RETURNS_SELF);
        when(builder.build()).thenReturn(missing);
        when(connection.getTableBuilder(any(), any())).thenReturn(builder);
        when(connection.getTable(definition.indexTable())).thenReturn(indexTable);
        when(connection.getTable(eq(definition.indexTable()), any())).thenReturn(indexTable);
        stub();
    }

    private TableDescriptor descriptor() {
        TableDescriptorBuilder table = TableDescriptorBuilder.newBuilder(definition.table())
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of(F));
        furtherDefinitions.forEach((name, text) -> table.setValue("diffindex.index." + name, text));
        return IndexDefinitions.withAll(table.build(), defined);
    }

    /** Lets the table of an earlier generation of the index refuse all scans, as one that is being dropped does. */
    void refuseReadersOf(IndexDefinition earlier) throws IOException {
        Table dropped = mock(Table.class);
        when(dropped.getScanner(any(Scan.class))).thenThrow(new IndexReplacedException("The index was dropped"));
        when(connection.getTable(earlier.indexTable())).thenReturn(dropped);
        when(connection.getTable(eq(earlier.indexTable()), any())).thenReturn(dropped);
    }

    private void stub() throws IOException {
        try {
            when(baseTable.get(anyList())).thenAnswer(call -> get(call.getArgument(0)));
            when(indexTable.get(anyList())).thenAnswer(call -> entries(call.getArgument(0)));
            when(baseTable.get(any(Get.class))).thenAnswer(call -> get(List.of(call.<Get>getArgument(0)))[0]);
            when(indexTable.get(any(Get.class))).thenAnswer(call -> entries(List.of(call.<Get>getArgument(0)))[0]);
            when(indexTable.getScanner(any(Scan.class))).thenAnswer(call -> scan(call.getArgument(0)));
            stubReports();
            doAnswer(call -> {
                        batch(call.getArgument(0), call.getArgument(1));
                        return null;
                    })
                    .when(baseTable)
                    .batch(anyList(), any());
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }

    /**
     * All rows are in one region, whose server deletes reported entries at once if they are stale, unless the index
     * lacks the row's present entry.
     */
    private void stubReports() throws IOException {
        RegionLocator locator = mock(RegionLocator.class);
        HRegionLocation location = new HRegionLocation(
                RegionInfoBuilder.newBuilder(definition.table()).build(), ServerName.valueOf("server", 16020, 1));
        when(locator.getRegionLocation(any(byte[].class))).thenReturn(location);
        when(locator.getAllRegionLocations())
                .thenReturn(Arrays.asList(location, null)); // and a replica without a server
        when(connection.getRegionLocator(definition.table())).thenReturn(locator);
        RegionLocator ofIndex = mock(RegionLocator.class);
        when(ofIndex.getAllRegionLocations()).thenAnswer(call -> indexLocations());
        when(connection.getRegionLocator(definition.indexTable())).thenReturn(ofIndex);
        DefinitionService region = new DefinitionService((method, controller, request, prototype) -> {
            if (request instanceof CheckRequest check) {
                return check(check);
            }
            if (!(request instanceof ReportStaleRequest report)) {
                return DefinitionService.of(descriptor()).callBlockingMethod(method, controller, request, prototype);
            }
            try {
                return cleanUp(report);
            } catch (IOException e) {
                throw new ServiceException(e);
            }
        });
        when(baseTable.coprocessorService(any(byte[].class))).thenReturn(region);
    }

    /** Each region of the index is on a server of its own, the first one on none. */
    private synchronized List<HRegionLocation> indexLocations() {
        List<HRegionLocation> locations = new ArrayList<>();
        for (byte[] start : regionStarts) {
            byte[] end = Optional.ofNullable(regionStarts.higher(start)).orElse(new byte[0]);
            locations.add(new HRegionLocation(
                    RegionInfoBuilder.newBuilder(definition.indexTable())
                            .setStartKey(start)
                            .setEndKey(end)
                            .build(),
                    start.length == 0 ? null : ServerName.valueOf("s" + Bytes.toString(start), 16020, 1)));
        }
        return locations;
    }

    private synchronized CheckResponse check(CheckRequest request) {
        checks++;
        BitSet confirmed = new BitSet();
        for (int i = 0; remembers && i < request.getKeyCount(); i++) {
            byte[] key = request.getKey(i).toByteArray();
            long fingerprint = request.getFingerprint(i);
            confirmed.set(
                    i,
                    entry(function.codec().decode(key).row())
                            .filter(present -> Bytes.equals(present.key(), key) && present.fingerprint() == fingerprint)
                            .isPresent());
        }
        return CheckResponse.newBuilder()
                .setConfirmed(ByteString.copyFrom(confirmed.toByteArray()))
                .build();
    }

    private synchronized ReportStaleResponse cleanUp(ReportStaleRequest request) throws IOException {
        note("report");
        if (request.getEntriesCount() > MOST_REPORTED) {
            throw new DoNotRetryIOException("One call reports up to " + MOST_REPORTED + " stale entries");
        }
        for (StaleEntry reported : request.getEntriesList()) {
            byte[] key = reported.getKey().toByteArray();
            Optional<IndexEntry> present = entry(reported.getRow().toByteArray());
            boolean isReplaced = present.map(entry -> !Bytes.equals(entry.key(), key) && index.containsKey(entry.key()))
                    .orElse(true);
            if (isReplaced) {
                deliver(definition.entryFormat().delete(key, reported.getStamp()));
            }
        }
        return ReportStaleResponse.newBuilder()
                .setAccepted(request.getEntriesCount())
                .build();
    }

    private synchronized void note(String call) throws IOException {
        calls.add(call);
        IOException failure = failures.remove(call);
        if (failure != null) {
            throw failure;
        }
    }

    private synchronized Result[] get(List<Get> gets) throws IOException {
        note("get");
        beforeLookUp.run();
        beforeLookUp = () -> {};
        rowsLookedUp += gets.size();
        return gets.stream().map(this::columnsOf).toArray(Result[]::new);
    }

    /** Returns the columns of a row for which a get asks. */
    private Result columnsOf(Get get) {
        Result row = row(get.getRow());
        if (!get.hasFamilies() || row.isEmpty()) {
            return row;
        }
        Map<byte[], NavigableSet<byte[]>> asked = get.getFamilyMap();
        return Result.create(Arrays.stream(row.rawCells())
                .filter(cell -> asked.containsKey(F)
                        && (asked.get(F) == null || asked.get(F).contains(CellUtil.cloneQualifier(cell))))
                .toList());
    }

    private synchronized Result[] entries(List<Get> gets) throws IOException {
        note("get entries");
        for (Get get : gets) {
            refuseIfReplaced(get);
        }
        return gets.stream()
                .map(get -> indexAsOf(ReadPoint.of(get)).get(get.getRow()))
                .map(cell -> cell == null ? Result.EMPTY_RESULT : Result.create(List.of(cell)))
                .toArray(Result[]::new);
    }

    /** Refuses a read that names the index, as the coprocessor of the index table does. */
    private void refuseIfReplaced(Query read) throws IndexReplacedException {
        if (replaced && read.getAttribute(IndexAddress.READER_ATTRIBUTE) != null) {
            throw new IndexReplacedException("The index was dropped");
        }
    }

    private NavigableMap<byte[], Cell> indexAsOf(OptionalLong readPoint) {
        return readPoint.isPresent() ? scanned.get(Math.toIntExact(readPoint.getAsLong()) - 1) : index;
    }

    private Result row(byte[] row) {
        return Result.create(new ArrayList<>(
                base.getOrDefault(row, Collections.emptyNavigableMap()).values()));
    }

    private ResultScanner scan(Scan scan) throws IOException {
        note("scan limit " + scan.getLimit());
        refuseIfReplaced(scan);
        RegionByRegion cells = new RegionByRegion(scan);
        ResultScanner scanner = mock(ResultScanner.class);
        when(scanner.getScanMetrics()).thenReturn(cells.metrics);
        when(scanner.next()).thenAnswer(call -> cells.next());
        when(scanner.next(anyInt())).thenAnswer(call -> {
            List<Result> page = new ArrayList<>();
            for (Result row = cells.next(); row != null; row = cells.next()) {
                page.add(row);
                if (page.size() == call.<Integer>getArgument(0)) {
                    break;
                }
            }
            return page.toArray(Result[]::new);
        });
        return scanner;
    }

    /**
     * A scan that reads each region at the moment when it opens it, which may be before the rows that it has loaded are
     * requested.
     */
    private final class RegionByRegion {
        private final Scan scan;
        private final Deque<Result> loaded = new ArrayDeque<>();
        private final ScanMetrics metrics;
        private Iterator<Cell> cells = Collections.emptyIterator();
        private ReadPoint readPoint;
        private byte[] region;
        /** The first key of the region to be opened next; null if it is behind the scan's last key. */
        private byte[] next;

        /** The key at which the next scanner of a scan in reverse is opened, and whether it is read; empty for the end. */
        private byte[] top;

        private boolean includesTop;

        private byte[] lastLoaded;
        private int left;

        RegionByRegion(Scan scan) {
            this.scan = scan;
            this.metrics = scan.isScanMetricsEnabled() ? new ScanMetrics() : null;
            if (!scan.includeStartRow()) { // as HBase's ClientSimpleScanner, which looks for the region of the next key
                byte[] start = scan.getStartRow();
                Scan unused = new Scan().withStartRow(Arrays.copyOf(start, start.length + 1));
            }
            this.top = scan.getStartRow();
            this.includesTop = scan.includeStartRow();
            this.next = scan.isReversed() ? regionBelowTop() : regionStarts.floor(scan.getStartRow());
            this.left = scan.getLimit() < 0 ? Integer.MAX_VALUE : scan.getLimit();
        }

        Result next() throws IOException {
            synchronized (FakeHBase.this) {
                if (loaded.isEmpty()) {
                    load(Math.min(left, Math.min(scan.getCaching(), mostRowsOfALoad)));
                }
                Result row = loaded.poll();
                left -= row == null ? 0 : 1;
                return row;
            }
        }

        /** Continues, like HBase's client, with the next region until it has enough rows. */
        private void load(int rows) throws IndexSchemeChangedException {
            boolean tells = tellsReadPoints && ReadPoint.isAskedBy(scan);
            if (region != null && reopens.getAsBoolean()) {
                requireDemanded();
                reopen();
            }
            while (loaded.size() < rows && (cells.hasNext() || next != null)) {
                if (cells.hasNext()) {
                    Cell cell = cells.next();
                    lastLoaded = CellUtil.cloneRow(cell);
                    loaded.add(Result.create(
                            tells ? List.of(cell, readPoint.toCell(CellUtil.cloneRow(cell))) : List.of(cell)));
                } else {
                    runBefore(next);
                    if (!loaded.isEmpty() && !isDemanded()) {
                        return; // the next call finds the region closed to it
                    }
                    requireDemanded();
                    enter(next);
                }
            }
        }

        private boolean isDemanded() {
            Optional<String> scheme = IndexAddress.schemeOf(scan);
            return demanded == null || scheme.isEmpty() || scheme.get().equals(demanded.schemeName());
        }

        private void requireDemanded() throws IndexSchemeChangedException {
            if (!isDemanded()) {
                throw new IndexSchemeChangedException("Nothing was read", demanded);
            }
        }

        private void runBefore(byte[] start) {
            Optional.ofNullable(beforeRegion.remove(Bytes.toString(start))).ifPresent(Runnable::run);
        }

        /** Opens another scanner behind the last row. */
        private void reopen() {
            if (!scan.isReversed()) {
                enter(region);
                return;
            }
            if (lastLoaded != null && (top.length == 0 || Bytes.compareTo(lastLoaded, top) < 0)) {
                top = lastLoaded;
                includesTop = false;
            }
            enterBelowTop();
        }

        private byte[] regionBelowTop() {
            if (top.length == 0) {
                return regionStarts.last();
            }
            return includesTop ? regionStarts.floor(top) : regionStarts.lower(top);
        }

        /** Opens the region of the keys below the top, as HBase's ReversedClientScanner. */
        private void enterBelowTop() {
            region = regionBelowTop();
            if (metrics != null) {
                metrics.countOfRegions.incrementAndGet();
            }
            byte[] end = Optional.ofNullable(regionStarts.higher(region)).orElse(new byte[0]);
            TreeMap<byte[], Cell> snapshot = new TreeMap<>(index);
            scanned.add(snapshot);
            byte[] told = includesTop ? top : KeyOrder.firstAfter(top);
            byte[] first = Bytes.compareTo(told, region) > 0 ? told : region;
            readPoint = new ReadPoint(scanned.size(), ByteBuffer.wrap(first), ByteBuffer.wrap(end));
            cells = snapshot.tailMap(region, true).descendingMap().values().stream()
                    .filter(this::isBelowTop)
                    .toList()
                    .iterator();
            boolean isLast = region.length == 0 || Bytes.compareTo(region, scan.getStopRow()) <= 0;
            next = isLast ? null : regionStarts.lower(region);
        }

        private boolean isBelowTop(Cell cell) {
            byte[] key = CellUtil.cloneRow(cell);
            int order = top.length == 0 ? -1 : Bytes.compareTo(key, top);
            return (order < 0 || (order == 0 && includesTop)) && Bytes.compareTo(key, scan.getStopRow()) >= 0;
        }

        private void enter(byte[] start) {
            if (scan.isReversed()) {
                runBefore(start);
                if (region != null) {
                    top = region;
                    includesTop = false;
                }
                enterBelowTop();
                return;
            }
            region = start;
            if (metrics != null) {
                metrics.countOfRegions.incrementAndGet();
            }
            runBefore(start);
            next = regionStarts.higher(start);
            byte[] end = next == null ? new byte[0] : next;
            if (!isBeforeStop(end)) {
                next = null;
            }
            TreeMap<byte[], Cell> snapshot = new TreeMap<>(index);
            scanned.add(snapshot);
            readPoint = new ReadPoint(scanned.size(), ByteBuffer.wrap(firstKey(start)), ByteBuffer.wrap(end));
            NavigableMap<byte[], Cell> part = snapshot.tailMap(start, true);
            part = end.length == 0 ? part : part.headMap(end, false);
            ReadPoint.since(scan).ifPresent(point -> {
                NavigableMap<byte[], Cell> before = indexAsOf(OptionalLong.of(point));
                snapshot.values().removeIf(cell -> before.get(CellUtil.cloneRow(cell)) == cell);
            });
            List<Cell> entries = part.values().stream().filter(this::isInRange).toList();
            cells = FakeAggregates.answer(scan, entries, stepOfAnAggregate).iterator();
        }

        /** Returns the first key that a scanner reads, which is opened for the region that begins, or began, at a key. */
        private byte[] firstKey(byte[] start) {
            byte[] first = scan.includeStartRow() ? scan.getStartRow() : KeyOrder.firstAfter(scan.getStartRow());
            byte[] behind = lastLoaded == null ? new byte[0] : KeyOrder.firstAfter(lastLoaded);
            return Stream.of(start, first, behind).max(Bytes.BYTES_COMPARATOR).orElseThrow();
        }

        private boolean isBeforeStop(byte[] key) {
            byte[] stop = scan.getStopRow();
            return stop.length == 0 || Bytes.compareTo(key, stop) < 0;
        }

        private boolean isInRange(Cell cell) {
            byte[] key = CellUtil.cloneRow(cell);
            if (lastLoaded != null && Bytes.compareTo(key, lastLoaded) <= 0) {
                return false;
            }
            int order = Bytes.compareTo(key, scan.getStartRow());
            return (order > 0 || (order == 0 && scan.includeStartRow())) && isBeforeStop(key);
        }
    }

    private synchronized void batch(List<Mutation> mutations, Object[] answers) throws IOException {
        note("batch " + mutations.size());
        for (int i = 0; i < mutations.size(); i++) {
            boolean asks = mutations.get(i).getAttribute(SessionChange.ATTRIBUTE) != null;
            List<SessionChange> changes = write(mutations.get(i));
            answers[i] = asks ? SessionChange.toResult(changes) : Result.EMPTY_RESULT;
        }
    }

    /** Writes outside a session. */
    synchronized List<SessionChange> write(Mutation mutation) {
        long stamp = ++clock;
        byte[] row = mutation.getRow();
        Optional<IndexEntry> before = entry(row);
        if (mutation instanceof Put) {
            mutation.getFamilyCellMap().values().forEach(cells -> cells.forEach(cell -> put(row, cell, stamp)));
        } else {
            base.remove(row);
        }
        IndexDelta delta = IndexDelta.between(before, entry(row));
        delta.insert().ifPresent(entry -> queue.add(definition.entryFormat().put(entry, stamp)));
        if (!maintained.leavesStaleEntries()) {
            delta.delete().ifPresent(entry -> queue.add(definition.entryFormat().delete(entry.key(), stamp - 1)));
        }
        if (!maintained.isAsynchronous() && !holds) {
            deliverAll();
        }
        return maintained.hasSessions() ? List.of(changeOf(row, stamp)) : List.of();
    }

    /** Writes a whole row whose entry is put into a sync-insert index, and which is lost in a crash of its server. */
    synchronized void lose(Put put) {
        long stamp = ++clock;
        List<Cell> cells = put.getFamilyCellMap().get(F).stream()
                .map(cell -> cell(put.getRow(), F, CellUtil.cloneQualifier(cell), stamp, CellUtil.cloneValue(cell)))
                .toList();
        function.entryOf(put.getRow(), cells)
                .ifPresent(entry -> deliver(definition.entryFormat().put(entry, stamp)));
    }

    /** Sends the entry of a row again, as a retry does. */
    synchronized void sendAgain(byte[] row) {
        entry(row).ifPresent(entry -> deliver(definition.entryFormat().put(entry, entry.timestamp())));
    }

    private SessionChange changeOf(byte[] row, long stamp) {
        return entry(row)
                .map(entry -> SessionChange.entry(definition, row, stamp, entry, stamp))
                .orElseGet(() -> SessionChange.noEntry(definition, row, stamp));
    }

    private void put(byte[] row, Cell cell, long stamp) {
        long time = cell.getTimestamp() == HConstants.LATEST_TIMESTAMP ? stamp : cell.getTimestamp();
        base.computeIfAbsent(row, key -> new TreeMap<>(Bytes.BYTES_COMPARATOR))
                .put(
                        CellUtil.cloneQualifier(cell),
                        cell(row, F, CellUtil.cloneQualifier(cell), time, CellUtil.cloneValue(cell)));
    }

    private static Cell cell(byte[] row, byte[] family, byte[] qualifier, long timestamp, byte[] value) {
        return CellBuilderFactory.create(CellBuilderType.DEEP_COPY)
                .setRow(row)
                .setFamily(family)
                .setQualifier(qualifier)
                .setTimestamp(timestamp)
                .setType(Cell.Type.Put)
                .setValue(value)
                .build();
    }

    private Optional<IndexEntry> entry(byte[] row) {
        Result result = row(row);
        return result.isEmpty() ? Optional.empty() : function.entryOf(row, Arrays.asList(result.rawCells()));
    }

    /** Returns the entries that the index should contain, {@code f(base)}. */
    synchronized List<String> expected() {
        return base.keySet().stream()
                .flatMap(row -> entry(row).stream())
                .map(IndexEntry::key)
                .sorted(Bytes.BYTES_COMPARATOR)
                .map(Bytes::toStringBinary)
                .toList();
    }

    /** Returns the calls of the reading thread. */
    List<String> callsToRead() {
        return calls.stream().filter(call -> !call.equals("report")).toList();
    }

    /** Waits until the server has processed the reports that it received. */
    void awaitIndexed(List<String> keys) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!indexed().equals(keys) && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(indexed()).isEqualTo(keys);
    }

    /** Waits until stale entries were reported and those to be deleted are deleted. */
    void awaitReport() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!isReported() && System.nanoTime() < deadline) {
            Thread.onSpinWait();
        }
        assertThat(isReported()).isTrue();
    }

    private synchronized boolean isReported() {
        return calls.contains("report");
    }

    /** Returns the keys of the entries in the index table. */
    synchronized List<String> indexed() {
        return index.keySet().stream().map(Bytes::toStringBinary).toList();
    }

    synchronized void deliverAll() {
        queue.forEach(this::deliver);
        queue.clear();
    }

    /** Deletes the stale entries of a row, as its server does after a while. */
    synchronized void cleanUp(byte[] row) {
        IndexKeyCodec codec = new IndexKeyCodec(definition);
        byte[] present = entry(row).map(IndexEntry::key).orElse(null);
        for (Map.Entry<byte[], Cell> each : Map.copyOf(index).entrySet()) {
            boolean isOfRow = Bytes.equals(codec.decode(each.getKey()).row(), row);
            if (isOfRow && !Bytes.equals(each.getKey(), present)) {
                deliver(definition
                        .entryFormat()
                        .delete(each.getKey(), each.getValue().getTimestamp()));
            }
        }
    }

    /** Delivers one update. Neither order nor repetition matters, as in HBase. */
    synchronized void deliver(Mutation update) {
        byte[] key = update.getRow();
        if (update instanceof Put) {
            Cell cell = update.getFamilyCellMap().get(EntryFormat.FAMILY).get(0);
            long newest = index.containsKey(key) ? index.get(key).getTimestamp() : Long.MIN_VALUE;
            if (cell.getTimestamp() > tombstones.getOrDefault(key, Long.MIN_VALUE) && cell.getTimestamp() >= newest) {
                index.put(key, cell);
            }
        } else {
            long stamp =
                    update.getFamilyCellMap().get(EntryFormat.FAMILY).get(0).getTimestamp();
            tombstones.merge(key, stamp, Math::max);
            if (index.containsKey(key) && index.get(key).getTimestamp() <= stamp) {
                index.remove(key);
            }
        }
    }
}
