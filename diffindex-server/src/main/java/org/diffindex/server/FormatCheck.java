package org.diffindex.server;

import com.google.protobuf.ServiceException;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexFormat;
import org.diffindex.protocol.DiffIndexProtos.InspectRequest;
import org.diffindex.protocol.DiffIndexProtos.InspectionService;
import org.diffindex.tasks.Messages;
import org.diffindex.tasks.TaskPool;

/**
 * Checks, before an index gets a format, that the master and every live region server know it: the regions of its
 * tables may be opened on any of them. A server of an earlier build that starts later opens them without the index
 * ({@link UnloadedIndexes}). Thread-safe; has no mutable state.
 */
final class FormatCheck {
    private static final int THREADS = 8;

    private final int latest;
    private final Servers servers;

    /** The live region servers. */
    interface Servers {
        Collection<ServerName> live() throws IOException;

        /** Asks a server for the latest format that it knows. */
        int latestFormat(ServerName server) throws IOException;
    }

    /**
     * Creates a check.
     *
     * @param latest the latest format that the master knows
     */
    FormatCheck(int latest, Servers servers) {
        this.latest = latest;
        this.servers = servers;
    }

    /** Checks a change like {@link #check(Optional, TableDescriptor)}, by the servers of a cluster. */
    static void check(Optional<TableDescriptor> current, TableDescriptor changed, Connection connection)
            throws IOException {
        new FormatCheck(IndexFormat.latest(), new Cluster(connection)).check(current, changed);
    }

    /**
     * Requires that all servers know the formats that a descriptor names, if it names a later one than before. Asks no
     * server about the first format.
     *
     * @param current the descriptor before; empty if the table is created
     * @throws DoNotRetryIOException if a server does not know a format, or does not tell; the message names the server
     */
    void check(Optional<TableDescriptor> current, TableDescriptor changed) throws IOException {
        int format = IndexFormat.namedBy(changed);
        if (format <= current.map(IndexFormat::namedBy).orElse(IndexFormat.FIRST)) {
            return;
        }
        if (format > latest) {
            throw refused(changed, format, "the master knows formats up to " + latest + ". Upgrade the masters");
        }
        SortedMap<String, String> lacking = new ConcurrentSkipListMap<>();
        List<TaskPool.Task> questions = servers.live().stream()
                .<TaskPool.Task>map(
                        server -> () -> lacks(server, format).ifPresent(why -> lacking.put(server.toString(), why)))
                .toList();
        new TaskPool("diffindex-formats", THREADS).run(questions, done -> {});
        if (!lacking.isEmpty()) {
            throw refused(
                    changed,
                    format,
                    lacking.entrySet().stream()
                                    .map(server -> "region server " + server.getKey() + " " + server.getValue())
                                    .collect(Collectors.joining("; "))
                            + ". Upgrade the region servers");
        }
    }

    private Optional<String> lacks(ServerName server, int format) {
        try {
            int known = servers.latestFormat(server);
            return known >= format ? Optional.empty() : Optional.of("knows formats up to " + known);
        } catch (IOException e) {
            return Optional.of("did not tell which formats it knows (" + Messages.of(e)
                    + "); hbase.coprocessor.regionserver.classes must name " + IndexServerEndpoint.class.getName());
        }
    }

    private static DoNotRetryIOException refused(TableDescriptor table, int format, String why) {
        return new DoNotRetryIOException("Table " + table.getTableName() + " cannot have an index of format " + format
                + ", nothing was changed: " + why + ", or create the index with an earlier format");
    }

    /** The servers of a running cluster. */
    private record Cluster(Connection connection) implements Servers {
        @Override
        public Collection<ServerName> live() throws IOException {
            try (Admin admin = connection.getAdmin()) {
                return admin.getRegionServers();
            }
        }

        @Override
        public int latestFormat(ServerName server) throws IOException {
            try (Admin admin = connection.getAdmin()) {
                return InspectionService.newBlockingStub(admin.coprocessorService(server))
                        .inspect(null, InspectRequest.getDefaultInstance())
                        .getLatestFormat();
            } catch (ServiceException e) {
                throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getMessage(), e);
            }
        }
    }
}
