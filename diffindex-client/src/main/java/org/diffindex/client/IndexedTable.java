package org.diffindex.client;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.MoreExecutors;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexEntryFunction;

/**
 * A table that can be read by its indexes. Writes go to the table through HBase's own client, or through a {@link
 * Session}.
 *
 * <pre>{@code
 * try (IndexedTable flights = new IndexedTable(connection, TableName.valueOf("flights"));
 *         IndexScanner hits = flights.getByIndex(IndexQuery.index("by_origin").equalTo("ORD").build())) {
 *     for (IndexHit hit : hits) {
 *         System.out.println(hit.text() + " " + Bytes.toString(hit.row()));
 *     }
 * }
 * }</pre>
 *
 * <p>The definitions of the indexes are read once, from a region of the table, and cached; a read asks the master for
 * them only if the regions do not answer. If an index has been dropped since, the next read by it fails with {@link
 * NoSuchIndexException}; if another index of the same name has been created, the reads after that one find it. If its columns
 * have been changed ({@link ColumnsChange}), queries that have not found anything yet go over to the new ones by themselves.
 *
 * <p>Safe for use by many threads; its scanners are not.
 */
public final class IndexedTable implements Closeable {
    /**
     * HBase's scanner runs each of its calls in the table's pool, so that it can ask another replica meanwhile. Index
     * tables have no replicas, so the calling thread makes the call itself.
     */
    private static final ExecutorService CALLER = MoreExecutors.newDirectExecutorService();

    /** The calls that a read can do without: regions confirm entries, or say how far a build is. */
    private static final BriefCalls BRIEF = new BriefCalls(Duration.ofSeconds(1));

    private final Connection connection;
    private final TableName table;
    private final IndexCatalog catalog;
    private final StaleEntryReports reports;

    /** The back-off of the checks of each index, by the index's id. */
    private final Map<String, CheckBackoff> backoffs = new ConcurrentHashMap<>();

    /** Creates a table that reads through a connection, which it does not close. Makes no call. */
    public IndexedTable(Connection connection, TableName table) {
        this.reports = new StaleEntryReports(connection, table);
        this.connection = connection;
        this.table = table;
        this.catalog = new IndexCatalog(table, new DefinitionSource(connection, table));
    }

    /** Returns the base table's name. */
    public TableName getName() {
        return table;
    }

    /**
     * Returns the definition of an index, which tells its columns and their types, whatever the index's state.
     *
     * @throws NoSuchIndexException if the table has no index of that name
     * @throws org.diffindex.model.IndexNotLoadedException if this client cannot load the index's definition
     * @throws org.apache.hadoop.hbase.TableNotFoundException if the table does not exist
     */
    public IndexDefinition getIndex(String index) throws IOException {
        return catalog.index(index);
    }

    /**
     * Reads by an index. The index's scheme states what a hit promises: under sync-full and sync-insert the hits are
     * exactly the rows that match; under async-simple and async-session they are the rows that matched at some time in
     * the recent past. With {@link IndexQuery.Builder#withRows} each hit's row matches at the time when it was fetched,
     * under every scheme; a row that no longer matches is left out.
     *
     * <p>What is promised for a query in reverse, of several ranges or of one page is in docs/queries.md.
     *
     * <p>The regions of the index table are called when hits are fetched; they refuse to be read if the index is BUILDING.
     *
     * @return the hits; the caller closes the scanner
     * @throws NoSuchIndexException if the table has no index of that name
     * @throws org.diffindex.model.IndexNotLoadedException if this client cannot load the index's definition
     * @throws InvalidQueryException if the query's conditions do not fit the index's columns, or its range is empty
     * @throws PageTokenException if the query continues after a token of another query or index
     */
    public IndexScanner getByIndex(IndexQuery query) throws IOException {
        return getByIndex(query, Optional.empty(), () -> {});
    }

    /**
     * Explains a query without reading by it: which ranges of keys it selects, how many regions and servers they concern at
     * present, and how each hit is checked. Asks for the locations of the regions of the index table, of which HBase's
     * client reads hbase:meta; makes no call to them.
     *
     * @throws NoSuchIndexException if the table has no index of that name
     * @throws org.diffindex.model.IndexNotLoadedException if this client cannot load the index's definition
     * @throws InvalidQueryException if the query's conditions do not fit the index's columns, or its range is empty
     * @throws PageTokenException if the query continues after a token of another query or index
     */
    public QueryExplanation explain(IndexQuery query) throws IOException {
        Bound bound = bind(query);
        IndexDefinition definition = bound.definition();
        try (RegionLocator regions = connection.getRegionLocator(definition.indexTable())) {
            return QueryExplanation.of(query, definition, bound.bounds(), regions.getAllRegionLocations());
        }
    }

    /** Opens a session with {@link SessionOptions#DEFAULT}. */
    public Session openSession() throws IOException {
        return openSession(SessionOptions.DEFAULT);
    }

    /**
     * Opens a session. It stays usable when this object is closed, but not when the connection is.
     *
     * @throws IllegalArgumentException if {@link SessionOptions#maxBytes} is too small for any change
     */
    public Session openSession(SessionOptions options) throws IOException {
        if (options.maxBytes() < SessionOverlay.SMALLEST_CHANGE) {
            throw new IllegalArgumentException("A session of " + options.maxBytes()
                    + " bytes cannot remember a single change; set maxBytes to at least "
                    + SessionOverlay.SMALLEST_CHANGE + " (default: " + SessionOptions.DEFAULT.maxBytes() + ")");
        }
        SessionDrain drain = new SessionDrain(catalog, new IndexRegions(connection, table)::drain);
        return new Session(this, connection.getTable(table), options, drain);
    }

    /**
     * Stops accepting reports of stale entries. The reports of earlier reads are still sent in the background while the
     * connection is open. Scanners, sessions and the connection stay open.
     */
    @Override
    public void close() throws IOException {
        reports.close();
    }

    IndexCatalog catalog() {
        return catalog;
    }

    /** Reads by an index, merged with a session's own changes. */
    IndexScanner getByIndex(IndexQuery query, Optional<SessionOverlay> session, IndexScanner.Use use)
            throws IOException {
        Bound known = bind(query);
        IndexScanner.Reopening reopening = before -> {
            IndexDefinition now = catalog.toRead(query.index());
            return now.name().equals(before)
                    ? Optional.empty()
                    : Optional.of(open(Bound.of(query, now), query, session));
        };
        return new IndexScanner(open(known, query, session), reopening, query, use);
    }

    /** The tables from which one query reads. */
    private record Tables(Table base, Table index, Table scanned) implements Closeable {
        @Override
        public void close() throws IOException {
            try (base;
                    index) {
                scanned.close();
            }
        }
    }

    private IndexScanner.Opened open(Bound bound, IndexQuery query, Optional<SessionOverlay> session)
            throws IOException {
        TableName indexTable = bound.definition().indexTable();
        Tables tables = new Tables(
                connection.getTable(table), connection.getTable(indexTable), connection.getTable(indexTable, CALLER));
        try {
            return open(bound, query, session, tables);
        } catch (RuntimeException e) { // as of a session that has ended
            try (tables) {
                throw e;
            }
        }
    }

    private IndexScanner.Opened open(Bound bound, IndexQuery query, Optional<SessionOverlay> session, Tables tables) {
        IndexDefinition definition = bound.definition();
        QueryBounds bounds = bound.bounds();
        IndexEntryFunction function = new IndexEntryFunction(definition);
        FailedReads failed = new FailedReads(catalog, definition, () -> build(definition));
        QueryView view = new QueryView(bounds, definition.entryFormat(), failed);
        ReadMode mode = new ReadMode(definition.scheme(), failed);
        EntrySource indexed = indexed(bound, query, tables.scanned(), view, mode, failed);
        EntrySource source = session.isPresent() ? withOwn(indexed, session.get(), function, bounds) : indexed;
        StaleEntryFilter filter = new StaleEntryFilter(
                function,
                bounds,
                tables.base(),
                tables.index(),
                view,
                checkOf(definition),
                sinkOf(definition, session),
                mode,
                query.isWithRows(),
                source::hides);
        return new IndexScanner.Opened(
                definition.name(), source, filter, key -> PageToken.of(definition, bounds, key), tables);
    }

    /** Returns the entries of the index table. */
    private static EntrySource indexed(
            Bound bound, IndexQuery query, Table scanned, QueryView view, ReadMode mode, FailedReads failed) {
        if (bound.bounds().isEmpty()) {
            return EntrySource.EMPTY;
        }
        IndexDefinition definition = bound.definition();
        RangesReader reader = new RangesReader(definition, scanned, query, bound.bounds(), view, mode, failed);
        return new SecondLook(reader, view, definition, scanned, query.caching(), mode, failed);
    }

    /** A query's bounds, and the definition of the index that they are of. */
    private record Bound(IndexDefinition definition, QueryBounds bounds) {
        static Bound of(IndexQuery query, IndexDefinition definition) {
            return new Bound(definition, QueryBounds.of(query, definition));
        }
    }

    /**
     * Binds a query to the definition of its index. The definitions that this client knows may be older than the query, and the
     * index replaced or its columns changed since: a query that they refuse, or by which it can have no hit, is bound to the
     * definition as it is now.
     */
    private Bound bind(IndexQuery query) throws IOException {
        Optional<Bound> known = boundAsKnown(query);
        if (known.isPresent()) {
            return known.get();
        }
        catalog.forget();
        return Bound.of(query, catalog.toRead(query.index()));
    }

    private Optional<Bound> boundAsKnown(IndexQuery query) throws IOException {
        IndexDefinition known = catalog.toRead(query.index());
        if (!query.position().map(token -> token.isOf(known)).orElse(true)) {
            return Optional.empty();
        }
        try {
            return Optional.of(Bound.of(query, known))
                    .filter(bound -> !bound.bounds().isEmpty());
        } catch (InvalidQueryException e) {
            return Optional.empty(); // thrown again if the definition is still the same
        }
    }

    /**
     * Merges a source with the changes that a session remembers. The source must not have made a call yet: then it
     * returns whatever the session has forgotten by now.
     */
    private static EntrySource withOwn(
            EntrySource source, SessionOverlay session, IndexEntryFunction function, QueryBounds bounds) {
        SessionOverlay.View own = session.within(function.definition(), bounds);
        return own.isEmpty()
                ? source
                : new OverlayMerge(
                        source, own, key -> function.codec().decode(key).row(), session::forgetEntry);
    }

    /** Asks how far the build of an index is; empty if there is no answer soon. */
    private Optional<BuildStatus> build(IndexDefinition definition) throws InterruptedIOException {
        Callable<Optional<BuildStatus>> look = () -> new BuildCalls(connection).status(definition);
        return BRIEF.answers("asking for the build of index " + definition.name() + " on " + table, List.of(look))
                .get(0)
                .flatMap(status -> status);
    }

    private StaleEntryFilter.Sink sinkOf(IndexDefinition definition, Optional<SessionOverlay> session) {
        boolean isReported = definition.scheme().leavesStaleEntries();
        return entries -> {
            session.ifPresent(overlay -> overlay.forgetOwn(definition, entries));
            if (isReported) {
                reports.report(definition, entries);
            }
        };
    }

    private QuickCheck checkOf(IndexDefinition definition) {
        if (!definition.scheme().leavesStaleEntries()) {
            return QuickCheck.NONE;
        }
        CheckBackoff backoff = backoffs.computeIfAbsent(definition.id(), id -> new CheckBackoff());
        return new RegionChecks(connection, table, definition, backoff, BRIEF);
    }
}
