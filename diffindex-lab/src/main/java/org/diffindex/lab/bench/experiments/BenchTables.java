package org.diffindex.lab.bench.experiments;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.NamespaceNotFoundException;
import org.apache.hadoop.hbase.RegionMetrics;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.CompactionState;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexStatus;
import org.diffindex.lab.bench.rivals.RivalTable;
import org.diffindex.lab.bench.statistics.Contender;
import org.diffindex.lab.steps.Interruption;
import org.diffindex.lab.steps.Parallel;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;

/**
 * The tables of a run, one for each contender and purpose, in a namespace of their own; {@link #begin} drops the tables
 * that an earlier run left there. For one thread.
 */
public final class BenchTables {
    static final String NAMESPACE = "diffindex_bench";

    /** The longest wait for the delivery of index updates. */
    static final Duration LONGEST_DRAIN = Duration.ofMinutes(5);

    /** The number of regions of each table: as many as there are region servers. */
    public static final int REGIONS = 3;

    private static final int CREATORS = 3;

    /** The longest wait for compactions. */
    private static final Duration COMPACTIONS = Duration.ofMinutes(1);

    /** The number of polls in a row that must see no compaction: the next may start shortly after the last ends. */
    private static final int QUIET = 3;

    private static final long POLL_MS = 20;

    private final Connection connection;
    private final BenchOptions options;
    private final Map<Contender, BenchTable> shared = new LinkedHashMap<>();

    public BenchTables(Connection connection, BenchOptions options) {
        this.connection = connection;
        this.options = options;
    }

    /** Creates the namespace, or empties it. */
    public void begin() throws IOException {
        try (Admin admin = connection.getAdmin();
                DiffIndexAdmin indexes = new DiffIndexAdmin(connection)) {
            try {
                admin.getNamespaceDescriptor(NAMESPACE);
            } catch (NamespaceNotFoundException e) {
                admin.createNamespace(NamespaceDescriptor.create(NAMESPACE).build());
                return;
            }
            dropOthers(admin, indexes);
        }
    }

    /**
     * Drops the tables that experiments created for themselves, so that their regions do not slow down later
     * experiments.
     */
    public void dropOthers() throws IOException {
        try (Admin admin = connection.getAdmin();
                DiffIndexAdmin indexes = new DiffIndexAdmin(connection)) {
            dropOthers(admin, indexes);
        }
    }

    private void dropOthers(Admin admin, DiffIndexAdmin indexes) throws IOException {
        Set<TableName> kept = shared.values().stream().map(BenchTable::name).collect(Collectors.toSet());
        for (TableDescriptor table : admin.listTableDescriptorsByNamespace(Bytes.toBytes(NAMESPACE))) {
            boolean isBase = IndexDefinitions.baseTableOf(table).isEmpty();
            if (isBase && !kept.contains(table.getTableName())) {
                drop(admin, indexes, table.getTableName());
            }
        }
    }

    /** Drops a table and its indexes. */
    private static void drop(Admin admin, DiffIndexAdmin indexes, TableName table) throws IOException {
        for (IndexDefinition definition : indexes.listIndexes(table)) {
            if (admin.isTableDisabled(definition.indexTable())) {
                admin.enableTable(definition.indexTable());
            }
            indexes.dropIndex(table, definition.name());
        }
        if (admin.isTableEnabled(table)) {
            admin.disableTable(table);
        }
        admin.deleteTable(table);
    }

    /** Creates and loads the shared tables, one per contender, and reports each step. */
    public void load(Consumer<String> step) throws IOException {
        for (Contender contender : options.contenders()) {
            shared.put(contender, new BenchTable(contender, "", options.rows(), 1, REGIONS));
        }
        for (Contender contender : options.ofRival()) {
            RivalTable table = options.rival().orElseThrow().table(contender, connection.getConfiguration());
            shared.put(contender, new RivalBenchTable(contender, table, options.rows(), REGIONS));
        }
        step.accept("creating " + shared.size() + " tables");
        create(List.copyOf(shared.values()));
        for (BenchTable table : shared.values()) {
            step.accept("loading " + "%,d".formatted(table.rows()) + " rows: "
                    + table.contender().label());
            table.load(connection, options.seed());
        }
    }

    /** Creates tables, several at a time. */
    void create(List<BenchTable> tables) throws IOException {
        List<Callable<Void>> steps = new ArrayList<>();
        for (BenchTable table : tables) {
            steps.add(() -> {
                table.create(connection);
                return null;
            });
        }
        Parallel.run(CREATORS, steps);
    }

    /**
     * Waits for up to a minute until no region is being compacted, so that no contender pays for the writes of another.
     *
     * @return whether that is so; if not, the next measurement may be too slow
     */
    public boolean awaitCompactions() throws IOException {
        return awaitCompactions(COMPACTIONS);
    }

    boolean awaitCompactions(Duration atMost) throws IOException {
        long end = System.nanoTime() + atMost.toNanos();
        int quiet = 0;
        try (Admin admin = connection.getAdmin()) {
            while (quiet < QUIET && System.nanoTime() - end < 0) {
                quiet = isCompacting(admin) ? 0 : quiet + 1;
                Thread.sleep(POLL_MS);
            }
        } catch (InterruptedException e) {
            throw Interruption.of(e);
        }
        return quiet == QUIET;
    }

    /**
     * Flushes the shared tables and their index tables, and requests major compactions; waits for these for up to a
     * minute. Returns whether they have ended.
     */
    public boolean compact() throws IOException {
        try (Admin admin = connection.getAdmin()) {
            for (BenchTable table : shared.values()) {
                for (TableName each : table.hbaseTables()) {
                    compact(admin, each);
                }
            }
        }
        return awaitCompactions();
    }

    private static void compact(Admin admin, TableName table) throws IOException {
        admin.flush(table);
        admin.majorCompact(table);
    }

    private static boolean isCompacting(Admin admin) throws IOException {
        for (ServerName server : admin.getRegionServers()) {
            for (RegionMetrics region : admin.getRegionMetrics(server)) {
                if (region.getCompactionState() != CompactionState.NONE) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Returns the state of index maintenance of a table. */
    public IndexStatus status(TableName table) throws IOException {
        try (DiffIndexAdmin admin = new DiffIndexAdmin(connection)) {
            return admin.status(table);
        }
    }

    /** Returns the shared table of a contender. */
    BenchTable of(Contender contender) {
        return shared.get(contender);
    }
}
