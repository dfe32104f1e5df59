package org.diffindex.cli.doctor;

import java.io.Closeable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.ClusterMetrics;
import org.apache.hadoop.hbase.HConstants;
import org.apache.hadoop.hbase.HRegionLocation;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.client.Coprocessors;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexStatus;
import org.diffindex.client.Inspector;
import org.diffindex.client.ServerInspection;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.tasks.Messages;
import org.diffindex.tasks.Regions;
import org.diffindex.tasks.TaskPool;

/** Reads the state of a running cluster; changes nothing. Used by one thread. */
final class ClusterLook implements Closeable {
    private static final int THREADS = 8;

    /** How often the tables are examined at most, if they change meanwhile. */
    private static final int MOST_LOOKS = 3;

    /** How long to wait for index updates that were accepted before. */
    private static final Duration DELIVERY = Duration.ofSeconds(10);

    private final Connection connection;
    private final Configuration client;
    private final Admin admin;
    private final Inspector inspector;

    /**
     * Creates a look through a connection, which it does not close.
     *
     * @param client the settings to examine as those of a client; the connection's own timeouts may be shorter
     */
    ClusterLook(Connection connection, Configuration client) throws IOException {
        this.connection = connection;
        this.client = client;
        this.admin = connection.getAdmin();
        this.inspector = new Inspector(connection);
    }

    /**
     * Returns the settings with short timeouts, so that servers that do not answer do not delay the look for long.
     *
     * @param answer how long a server may take to answer, with one retry after half of that
     */
    static Configuration impatient(Configuration conf, Duration answer) {
        int millis = Math.toIntExact(answer.toMillis());
        Configuration impatient = new Configuration(conf);
        impatient.setInt(HConstants.HBASE_CLIENT_RETRIES_NUMBER, 3);
        impatient.setInt(HConstants.HBASE_RPC_TIMEOUT_KEY, millis / 2);
        impatient.setInt(HConstants.HBASE_CLIENT_OPERATION_TIMEOUT, millis);
        impatient.setInt(HConstants.HBASE_CLIENT_META_OPERATION_TIMEOUT, millis);
        return impatient;
    }

    /**
     * Reads everything that a check needs.
     *
     * @throws IOException if the master does not answer; the view records other servers, regions and tables that do
     *     not
     */
    ClusterView look() throws IOException {
        ClusterMetrics metrics = admin.getClusterMetrics(EnumSet.of(
                ClusterMetrics.Option.HBASE_VERSION,
                ClusterMetrics.Option.LIVE_SERVERS,
                ClusterMetrics.Option.MASTER,
                ClusterMetrics.Option.BACKUP_MASTERS));
        List<TableView> tables = tables();
        return new ClusterView(
                client,
                server(metrics.getMasterName(), metrics.getHBaseVersion(), inspector::master),
                List.copyOf(metrics.getBackupMasterNames()),
                regionServers(metrics, tables),
                tables);
    }

    /** A call to a server or region. */
    @FunctionalInterface
    private interface Question {
        ServerInspection ask() throws IOException;
    }

    private static ServerView server(ServerName name, String knownVersion, Question question) {
        try {
            return ServerView.answering(name, question.ask());
        } catch (IOException e) {
            return ServerView.silent(name, knownVersion, reason(e));
        }
    }

    /** Reads the views of region servers. The master does not report their versions of HBase. */
    private List<ServerView> regionServers(ClusterMetrics metrics, List<TableView> tables) {
        List<ServerName> live = new ArrayList<>(metrics.getLiveServerMetrics().keySet());
        Collections.sort(live);
        List<ServerView> servers = new ArrayList<>();
        for (ServerName name : live) {
            ServerView view = server(name, "", () -> inspector.regionServer(name));
            servers.add(
                    view.inspection().isPresent()
                            ? view
                            : saidByARegion(name, tables)
                                    .map(said -> ServerView.answering(name, said))
                                    .orElse(view));
        }
        return servers;
    }

    /** Returns what a region with an index reports of its server, if the server itself does not answer. */
    private static Optional<ServerInspection> saidByARegion(ServerName server, List<TableView> tables) {
        return tables.stream()
                .flatMap(table -> table.regions().stream())
                .flatMap(region -> region.inspection().stream())
                .filter(said -> said.server().equals(server.toString()))
                .findFirst();
    }

    private List<TableView> tables() throws IOException {
        return tables(this::descriptors, this::view);
    }

    private List<TableDescriptor> descriptors() throws IOException {
        List<TableDescriptor> descriptors = new ArrayList<>(admin.listTableDescriptors());
        descriptors.removeIf(descriptor -> !isOfAnIndex(descriptor));
        descriptors.sort(TableDescriptor.COMPARATOR);
        return descriptors;
    }

    /** Lists the descriptors of the tables that concern indexes. */
    @FunctionalInterface
    interface Listing {
        List<TableDescriptor> descriptors() throws IOException;
    }

    /** Examines a table; empty if it was dropped since the master listed it. */
    @FunctionalInterface
    interface TableCall {
        Optional<TableView> of(TableDescriptor table) throws IOException;
    }

    /**
     * Returns the views of all tables. What regions and tables report is compared with descriptors that were read before: an index
     * that is dropped in between would seem to lack its table, or regions that maintain it. So the tables are examined again if
     * their descriptors have changed meanwhile. An index whose tables change during each look is left out: nothing is known of it.
     */
    static List<TableView> tables(Listing listing, TableCall call) throws IOException {
        List<TableDescriptor> before = listing.descriptors();
        List<TableView> views = List.of();
        for (int look = 0; look < MOST_LOOKS; look++) {
            views = new ArrayList<>();
            for (TableDescriptor descriptor : before) {
                call.of(descriptor).ifPresent(views::add);
            }
            List<TableDescriptor> after = listing.descriptors();
            if (after.equals(before)) {
                return views;
            }
            views = unchanged(views, before, after);
            before = after;
        }
        return views;
    }

    /** Returns the views of the tables of which neither the table itself nor another one of the same base table has changed. */
    private static List<TableView> unchanged(
            List<TableView> views, List<TableDescriptor> before, List<TableDescriptor> after) {
        Set<TableDescriptor> changed = new HashSet<>(before);
        changed.addAll(after);
        changed.removeIf(descriptor -> before.contains(descriptor) && after.contains(descriptor));
        Set<TableName> concerned = changed.stream().map(ClusterLook::baseOf).collect(Collectors.toSet());
        return views.stream()
                .filter(view -> !concerned.contains(baseOf(view.descriptor())))
                .toList();
    }

    /** Returns the base table of an index table, or a base table itself. */
    private static TableName baseOf(TableDescriptor descriptor) {
        return IndexDefinitions.baseTableOf(descriptor).orElse(descriptor.getTableName());
    }

    /** Returns the view of a table; empty if it was dropped since the master listed it. */
    private Optional<TableView> view(TableDescriptor descriptor) throws IOException {
        try {
            boolean enabled = admin.isTableEnabled(descriptor.getTableName());
            List<RegionView> regions = enabled ? regions(descriptor) : List.of();
            boolean allKeep = regions.stream().allMatch(region -> region.inspection()
                    .filter(said -> said.problem().isEmpty())
                    .isPresent());
            return Optional.of(
                    enabled && allKeep && descriptor.hasCoprocessor(Coprocessors.INDEX_OBSERVER)
                            ? base(descriptor, regions)
                            : TableView.notAsked(descriptor, enabled, regions));
        } catch (TableNotFoundException e) {
            return Optional.empty();
        }
    }

    private static boolean isOfAnIndex(TableDescriptor descriptor) {
        return IndexDefinitions.baseTableOf(descriptor).isPresent()
                || descriptor.hasCoprocessor(Coprocessors.INDEX_OBSERVER)
                || IndexDefinitions.definesAny(descriptor);
    }

    private List<RegionView> regions(TableDescriptor table) throws IOException {
        Map<byte[], RegionView> regions = new ConcurrentSkipListMap<>(Bytes.BYTES_COMPARATOR);
        List<TaskPool.Task> questions = new ArrayList<>();
        try (RegionLocator locator = connection.getRegionLocator(table.getTableName())) {
            for (HRegionLocation location : Regions.of(locator)) {
                questions.add(() -> regions.put(location.getRegion().getStartKey(), region(table, location)));
            }
        }
        new TaskPool("diffindex-doctor", THREADS).run(questions, done -> {});
        return List.copyOf(regions.values());
    }

    private RegionView region(TableDescriptor table, HRegionLocation location) {
        String name = location.getRegion().getEncodedName();
        Optional<ServerName> server = Optional.ofNullable(location.getServerName());
        try {
            ServerInspection said =
                    inspector.region(table.getTableName(), location.getRegion().getStartKey());
            return new RegionView(name, server, Optional.of(said), "");
        } catch (IOException e) {
            return new RegionView(name, server, Optional.empty(), reason(e));
        }
    }

    private TableView base(TableDescriptor descriptor, List<RegionView> regions) throws IOException {
        try (DiffIndexAdmin indexes = new DiffIndexAdmin(connection)) {
            return base(descriptor, regions, indexes::status, indexes::drain);
        }
    }

    /** Reads the state of index maintenance of a table. */
    @FunctionalInterface
    interface StatusCall {
        IndexStatus of(TableName table) throws IOException;
    }

    /** Waits until the updates of a table's indexes are delivered; returns the number of batches that are not. */
    @FunctionalInterface
    interface DrainCall {
        long of(TableName table, Duration timeout) throws IOException;
    }

    /**
     * Reads the status and waits for deliveries, which shows whether updates make progress. If one of the calls fails,
     * the view records the reason.
     */
    static TableView base(
            TableDescriptor descriptor, List<RegionView> regions, StatusCall statusCall, DrainCall drainCall) {
        Optional<IndexStatus> status = Optional.empty();
        try {
            status = Optional.of(statusCall.of(descriptor.getTableName()));
            long undelivered = drainCall.of(descriptor.getTableName(), DELIVERY);
            return new TableView(descriptor, true, regions, status, undelivered, "");
        } catch (IOException e) {
            return new TableView(descriptor, true, regions, status, 0, reason(e));
        }
    }

    /** Returns the message of the innermost cause, on one line. */
    private static String reason(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String message = Messages.of(cause);
        return message.contains("No registered") ? "no coprocessor of Diff-Index is loaded there" : message;
    }

    @Override
    public void close() throws IOException {
        inspector.close();
        admin.close();
    }
}
