package org.diffindex.server;

import com.google.protobuf.ServiceException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.PleaseHoldException;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinition;
import org.diffindex.protocol.DiffIndexProtos.PermissionService;
import org.diffindex.protocol.DiffIndexProtos.ReadersRequest;
import org.diffindex.tasks.Messages;
import org.diffindex.tasks.Retries;
import org.diffindex.tasks.TaskPool;

/**
 * Lets those read the shadow of an index who may read its columns, before readers go over to it: gives them READ on its table, as
 * {@link IndexGrants} does some time after every change, and waits until each live region server knows that. No reader is refused
 * then after the switch, and each session is told what its writes change in the shadow. Thread-safe; has no mutable state.
 */
final class GenerationReaders {
    private static final long PATIENCE_MS = 20_000;
    private static final long PAUSE_MS = 50;
    private static final int THREADS = 8;

    private final IndexGrants grants;
    private final Servers servers;
    private final LongSupplier nanoTime;
    private final Retries.Pause pause;

    /** The live region servers. */
    interface Servers {
        Collection<ServerName> live() throws IOException;

        /** Asks a server which of these users and groups may not read a table as far as the server knows. */
        List<String> lacking(ServerName server, TableName table, Collection<String> readers) throws IOException;
    }

    GenerationReaders(IndexGrants grants, Servers servers, LongSupplier nanoTime, Retries.Pause pause) {
        this.grants = grants;
        this.servers = servers;
        this.nanoTime = nanoTime;
        this.pause = pause;
    }

    /**
     * Prepares a change like {@link #prepare}, on the servers of a cluster.
     *
     * @param isFollowed whether permissions on index tables follow those on base tables; nothing is done if not
     * @param grants those of the master; null if it has not started to follow them
     */
    static void prepare(
            TableDescriptor current,
            TableDescriptor changed,
            DefinitionChange.Tables tables,
            boolean isFollowed,
            IndexGrants grants,
            Connection connection)
            throws IOException {
        if (!isFollowed) {
            return;
        }
        Optional<IndexDefinition> shadow = GenerationSwitch.prepared(current, changed, tables);
        if (shadow.isPresent()) {
            if (grants == null) {
                throw new PleaseHoldException("The master is starting, and does not follow permissions yet");
            }
            new GenerationReaders(grants, new Cluster(connection), System::nanoTime, TimeUnit.MILLISECONDS::sleep)
                    .prepare(shadow.get());
        }
    }

    /**
     * Lets the readers of an index read its shadow; returns when every live region server knows that. Acts as the master: the user
     * who changes the columns may not grant permissions.
     *
     * @throws DoNotRetryIOException if a server does not know it in time, or it could not be granted; the message says which
     */
    void prepare(IndexDefinition shadow) throws IOException {
        try {
            alone(() -> {
                Set<String> readers = grants.follow(shadow.indexTable());
                if (!readers.isEmpty()) {
                    await(shadow.indexTable(), readers);
                }
            });
        } catch (InterruptedIOException e) {
            throw e;
        } catch (IOException e) {
            throw new DoNotRetryIOException(
                    "Readers of index " + shadow.logicalName() + " of " + shadow.table()
                            + " cannot go over to its new columns, nothing was changed: " + Messages.of(e)
                            + ". Remove the cause, and repeat the change",
                    e);
        }
    }

    /** Runs a task without the user of the call that this thread answers. */
    private static void alone(TaskPool.Task task) throws IOException {
        new TaskPool("diffindex-readers", 1).run(List.of(task), done -> {});
    }

    private void await(TableName table, Set<String> readers) throws IOException {
        long begin = nanoTime.getAsLong();
        SortedMap<String, String> lacking = lacking(table, readers);
        while (!lacking.isEmpty()) {
            if (TimeUnit.NANOSECONDS.toMillis(nanoTime.getAsLong() - begin) >= PATIENCE_MS) {
                throw new DoNotRetryIOException(lacking.entrySet().stream()
                        .map(server -> "region server " + server.getKey() + " " + server.getValue())
                        .collect(Collectors.joining("; ")));
            }
            sleep();
            lacking = lacking(table, readers);
        }
    }

    private void sleep() throws InterruptedIOException {
        try {
            pause.millis(PAUSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (InterruptedIOException) new InterruptedIOException("Interrupted").initCause(e);
        }
    }

    /** Asks all live servers, of which there may be other ones by now; returns what each lacks that does not know all readers. */
    private SortedMap<String, String> lacking(TableName table, Set<String> readers) throws IOException {
        SortedMap<String, String> lacking = new ConcurrentSkipListMap<>();
        List<TaskPool.Task> questions = servers.live().stream()
                .<TaskPool.Task>map(server ->
                        () -> lacking(server, table, readers).ifPresent(why -> lacking.put(server.toString(), why)))
                .toList();
        new TaskPool("diffindex-readers", THREADS).run(questions, done -> {});
        return lacking;
    }

    private Optional<String> lacking(ServerName server, TableName table, Set<String> readers) {
        try {
            List<String> unknown = servers.lacking(server, table, readers);
            return unknown.isEmpty()
                    ? Optional.empty()
                    : Optional.of("does not know yet that " + String.join(", ", unknown) + " may read " + table);
        } catch (IOException e) {
            return Optional.of("did not tell whether it knows who may read " + table + " (" + Messages.of(e)
                    + "); it must run the same build of Diff-Index as the master");
        }
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
        public List<String> lacking(ServerName server, TableName table, Collection<String> readers) throws IOException {
            ReadersRequest request = ReadersRequest.newBuilder()
                    .setTable(table.getNameWithNamespaceInclAsString())
                    .addAllReaders(readers)
                    .build();
            try (Admin admin = connection.getAdmin()) {
                return PermissionService.newBlockingStub(admin.coprocessorService(server))
                        .readers(null, request)
                        .getLackingList();
            } catch (ServiceException e) {
                throw e.getCause() instanceof IOException cause ? cause : new IOException(e.getMessage(), e);
            }
        }
    }
}
