package org.diffindex.server;

import com.google.protobuf.ServiceException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.GenerationName;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexFormat;
import org.diffindex.protocol.DiffIndexProtos.InspectRequest;
import org.diffindex.protocol.DiffIndexProtos.InspectResponse;
import org.diffindex.protocol.DiffIndexProtos.InspectionService;
import org.diffindex.tasks.Messages;
import org.diffindex.tasks.TaskPool;

/**
 * Checks, before an index gets a format, that the master and every live region server know it, and, before its columns are
 * changed for the first time, that they know {@linkplain GenerationName generations}: the regions of its tables may be opened
 * on any of them. A server of an earlier build that starts later opens them without the index
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

        /** Asks a server whether it knows generations of indexes. */
        boolean knowsGenerations(ServerName server) throws IOException;
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

    /** Checks a change like {@link #check(Optional, TableDescriptor, DefinitionChange.Tables)}, by the servers of a cluster. */
    static void check(
            Optional<TableDescriptor> current,
            TableDescriptor changed,
            DefinitionChange.Tables tables,
            Connection connection)
            throws IOException {
        new FormatCheck(IndexFormat.latest(), new Cluster(connection)).check(current, changed, tables);
    }

    /**
     * Requires that all servers know the formats that a descriptor names, if it names a later one than before, and generations,
     * if it is that of the new table of a later one. Asks no
     * server about the first format, nor about an index whose table exists: it was admitted with that table, and its
     * definition comes with the table, or returns after the index was DISABLED or emptied, whichever servers live now.
     *
     * @param current the descriptor before; empty if the table is created
     * @param tables all tables
     * @throws DoNotRetryIOException if a server does not know a format, or does not tell; the message names the server
     */
    void check(Optional<TableDescriptor> current, TableDescriptor changed, DefinitionChange.Tables tables)
            throws IOException {
        if (current.isEmpty() && isOfLaterGeneration(changed)) {
            requireGenerations(changed);
        }
        int before = current.map(IndexFormat::namedBy).orElse(IndexFormat.FIRST);
        int format = IndexFormat.namedBy(changed);
        if (format <= before) {
            return;
        }
        if (format > latest) {
            throw refused(changed, format, "the master knows formats up to " + latest + ". Upgrade the masters");
        }
        if (IndexFormat.namedBy(IndexDefinitions.withoutAll(changed, admitted(changed, tables))) <= before) {
            return;
        }
        Optional<String> lacking = lacking(server -> lacks(server, format));
        if (lacking.isPresent()) {
            throw refused(changed, format, lacking.get());
        }
    }

    private static boolean isOfLaterGeneration(TableDescriptor created) {
        return IndexDefinitions.indexNameOf(created)
                .filter(name -> !GenerationName.of(name).isFirst())
                .isPresent();
    }

    private void requireGenerations(TableDescriptor created) throws IOException {
        Optional<String> lacking = lacking(this::lacksGenerations);
        if (lacking.isPresent()) {
            throw new DoNotRetryIOException("Table " + created.getTableName()
                    + " cannot be created, nothing was changed: the columns of an index cannot be changed yet, because "
                    + lacking.get());
        }
    }

    /** A question to a server; the answer is what it lacks, or empty. */
    @FunctionalInterface
    private interface Question {
        Optional<String> ask(ServerName server);
    }

    /** Asks all live servers; returns which of them lack what, and what to do; empty if none does. */
    private Optional<String> lacking(Question question) throws IOException {
        SortedMap<String, String> lacking = new ConcurrentSkipListMap<>();
        List<TaskPool.Task> questions = live().stream()
                .<TaskPool.Task>map(
                        server -> () -> question.ask(server).ifPresent(why -> lacking.put(server.toString(), why)))
                .toList();
        pool().run(questions, done -> {});
        return lacking.isEmpty()
                ? Optional.empty()
                : Optional.of(lacking.entrySet().stream()
                                .map(server -> "region server " + server.getKey() + " " + server.getValue())
                                .collect(Collectors.joining("; "))
                        + ". Upgrade the region servers");
    }

    /** Returns the names of the indexes of a table that have a table of their own, with their id and format. */
    private static List<String> admitted(TableDescriptor base, DefinitionChange.Tables tables) throws IOException {
        List<String> names = new ArrayList<>();
        for (Map.Entry<String, String> definition : IndexDefinitions.texts(base).entrySet()) {
            String name = definition.getKey();
            Optional<TableDescriptor> own = tables.find(IndexDefinition.indexTable(base.getTableName(), name));
            if (own.isPresent()
                    && IndexDefinitions.baseTableOf(own.get()).equals(Optional.of(base.getTableName()))
                    && IndexDefinitions.defines(base, name, IndexDefinitions.indexIdOf(own.get()))
                    && IndexFormat.namedBy(own.get()) == IndexFormat.ofDefinition(definition.getValue())) {
                names.add(name);
            }
        }
        return names;
    }

    /** Returns the live servers. Acts as the server: the user who changes the table may not be allowed to ask. */
    private Collection<ServerName> live() throws IOException {
        List<ServerName> live = new ArrayList<>();
        pool().run(List.<TaskPool.Task>of(() -> live.addAll(servers.live())), done -> {});
        return live;
    }

    /** Returns a pool for questions, which are asked without the user of the call that the hook's thread answers. */
    private static TaskPool pool() {
        return new TaskPool("diffindex-formats", THREADS);
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

    private Optional<String> lacksGenerations(ServerName server) {
        try {
            return servers.knowsGenerations(server) ? Optional.empty() : Optional.of("does not know how");
        } catch (IOException e) {
            return Optional.of("did not tell whether it knows how (" + Messages.of(e)
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
            return inspect(server).getLatestFormat();
        }

        @Override
        public boolean knowsGenerations(ServerName server) throws IOException {
            return inspect(server).getGenerations();
        }

        private InspectResponse inspect(ServerName server) throws IOException {
            try (Admin admin = connection.getAdmin()) {
                return InspectionService.newBlockingStub(admin.coprocessorService(server))
                        .inspect(null, InspectRequest.getDefaultInstance());
            } catch (ServiceException e) {
                throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getMessage(), e);
            }
        }
    }
}
