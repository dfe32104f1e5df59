package org.diffindex.client;

import com.google.protobuf.ServiceException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.Get;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Result;
import org.apache.hadoop.hbase.client.Table;
import org.apache.hadoop.hbase.exceptions.UnknownProtocolException;
import org.apache.hbase.thirdparty.com.google.common.util.concurrent.ThreadFactoryBuilder;
import org.diffindex.model.IndexAddress;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexNotReadableException;
import org.diffindex.model.TableIndexes;
import org.diffindex.protocol.DiffIndexProtos.Definition;
import org.diffindex.protocol.DiffIndexProtos.DefinitionsRequest;
import org.diffindex.protocol.DiffIndexProtos.DiffIndexService;
import org.diffindex.tasks.Regions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the definitions of a table's indexes from the table's regions, which read them where the master stores them, so
 * that a read by index does not depend on a master. Asks the first region; if it fails or does not answer within a
 * second, also the last region, and after another second the master. The first answer counts. Safe for use by many
 * threads.
 */
final class DefinitionSource implements IndexCatalog.Source {
    private static final Logger LOG = LoggerFactory.getLogger(DefinitionSource.class);

    private static final long PATIENCE_MS = 1_000;

    /** The time, in ms, that a look at the table of an unknown index may take. */
    private static final int LOOK_MS = 5_000;

    private static final byte[] FIRST_KEY = {0};

    private static final ExecutorService THREADS = Executors.newCachedThreadPool(new ThreadFactoryBuilder()
            .setNameFormat("diffindex-definitions-%d")
            .setDaemon(true)
            .build());

    private final Connection connection;
    private final TableName table;

    DefinitionSource(Connection connection, TableName table) {
        this.connection = connection;
        this.table = table;
    }

    @Override
    public TableIndexes read() throws IOException {
        List<Callable<TableIndexes>> ways = List.of(this::askFirstRegion, this::askLastRegion, this::askMaster);
        CompletionService<TableIndexes> answers = new ExecutorCompletionService<>(THREADS);
        List<Future<?>> asked = new ArrayList<>();
        IOException failure = null;
        int failed = 0;
        try {
            while (failed < ways.size()) {
                if (asked.size() < ways.size()) {
                    asked.add(answers.submit(ways.get(asked.size())));
                }
                Future<TableIndexes> answer =
                        asked.size() == ways.size() ? answers.take() : answers.poll(PATIENCE_MS, TimeUnit.MILLISECONDS);
                if (answer != null) {
                    try {
                        return answer.get();
                    } catch (ExecutionException e) {
                        failed++;
                        failure = after(failure, e.getCause());
                    }
                }
            }
            throw failure;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (InterruptedIOException)
                    new InterruptedIOException("Interrupted while reading the indexes of " + table).initCause(e);
        } finally {
            asked.forEach(way -> way.cancel(true));
        }
    }

    /** Asks the table of the index, which refuses readers and says why if the index is DISABLED. */
    @Override
    public IOException missing(TableName base, String index) {
        NoSuchIndexException missing = new NoSuchIndexException(base, index);
        try (Table own = connection
                .getTableBuilder(IndexDefinition.indexTable(base, index), null)
                .setOperationTimeout(LOOK_MS)
                .build()) {
            Result unused = own.get(IndexAddress.of(new Get(FIRST_KEY), ""));
        } catch (IndexNotReadableException e) {
            return e;
        } catch (IOException | IllegalArgumentException e) {
            LOG.debug("Nothing is known of an index {} of {}", index, base, e);
        }
        return missing;
    }

    /**
     * Returns the failure to report after another one. A refusal for lack of a permission is not final, because the
     * master and the regions require different permissions.
     *
     * @throws IOException if the failure is final: the table does not exist
     */
    private IOException after(IOException before, Throwable next) throws IOException {
        if (next instanceof TableNotFoundException) {
            throw Descriptors.noSuchTable(table, next);
        }
        if (before == null) {
            return next instanceof IOException io ? io : new IOException(next);
        }
        if (next != before) {
            before.addSuppressed(next);
        }
        return before;
    }

    private TableIndexes askFirstRegion() throws IOException {
        return askRegion(HConstants.EMPTY_START_ROW);
    }

    private TableIndexes askLastRegion() throws IOException {
        try (RegionLocator locator = connection.getRegionLocator(table)) {
            List<HRegionLocation> regions = Regions.of(locator);
            if (regions.isEmpty()) {
                throw new TableNotFoundException(table);
            }
            return askRegion(regions.get(regions.size() - 1).getRegion().getStartKey());
        }
    }

    private TableIndexes askMaster() throws IOException {
        try (Admin admin = connection.getAdmin()) {
            return Descriptors.definitions(admin, table);
        }
    }

    private TableIndexes askRegion(byte[] row) throws IOException {
        try (Table base = connection.getTable(table)) {
            DiffIndexService.BlockingInterface service = DiffIndexService.newBlockingStub(base.coprocessorService(row));
            Map<String, String> texts =
                    service.definitions(null, DefinitionsRequest.getDefaultInstance()).getDefinitionsList().stream()
                            .collect(Collectors.toMap(Definition::getName, Definition::getText));
            return TableIndexes.of(table, texts);
        } catch (ServiceException e) {
            return causeOf(e);
        }
    }

    /** Returns no definitions if the region has no such coprocessor: a table without an index has none. */
    private static TableIndexes causeOf(ServiceException failure) throws IOException {
        Throwable cause = failure.getCause();
        if (cause instanceof UnknownProtocolException
                && String.valueOf(cause.getMessage()).contains("No registered coprocessor service")) {
            return TableIndexes.NONE;
        }
        throw cause instanceof IOException io ? io : new IOException(failure.getMessage(), failure);
    }
}
