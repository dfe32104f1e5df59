package org.diffindex.client;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.stream.Collectors;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.ServerName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.diffindex.model.IndexDefinition;
import org.diffindex.tasks.Messages;
import org.diffindex.tasks.TaskPool;

/**
 * Checks, before anything is changed, that every region server can load the users' classes that definitions name: a
 * region of the table may be opened on any of them.
 */
final class ColumnTypeCheck {
    private static final int THREADS = 8;

    private final Question question;

    /** The call that asks a server. */
    @FunctionalInterface
    interface Question {
        /** Returns the errors of the column types that the server cannot load, by expression. */
        Map<String, String> unloadable(ServerName server, Collection<String> columnTypes) throws IOException;
    }

    ColumnTypeCheck(Question question) {
        this.question = question;
    }

    /**
     * Checks definitions against the live region servers.
     *
     * @throws DoNotRetryIOException if a server cannot load a class, or does not answer
     */
    static void check(Connection connection, Admin admin, Collection<IndexDefinition> definitions) throws IOException {
        List<String> types = ofUsers(definitions);
        if (!types.isEmpty()) {
            try (Inspector inspector = new Inspector(connection)) {
                new ColumnTypeCheck(inspector::unloadable).check(admin.getRegionServers(), types);
            }
        }
    }

    /** Returns the column types that need users' classes; every server has the others. */
    static List<String> ofUsers(Collection<IndexDefinition> definitions) {
        return definitions.stream()
                .flatMap(definition -> definition.readColumns().stream())
                .map(column -> column.type().expression())
                .filter(expression -> expression.contains("class("))
                .distinct()
                .toList();
    }

    void check(Collection<ServerName> servers, List<String> types) throws IOException {
        SortedMap<String, String> refusals = new ConcurrentSkipListMap<>();
        List<TaskPool.Task> questions = servers.stream()
                .<TaskPool.Task>map(server -> () -> ask(server, types, refusals))
                .toList();
        new TaskPool("diffindex-column-types", THREADS).run(questions, done -> {});
        if (!refusals.isEmpty()) {
            throw CreationChecks.refusal("The index needs classes that not every region server is known to have: "
                    + refusals.entrySet().stream()
                            .map(refusal -> refusal.getKey() + ": " + refusal.getValue())
                            .collect(Collectors.joining("; "))
                    + ". Put their jar on the class path of every region server and of the masters, and restart them");
        }
    }

    private void ask(ServerName server, List<String> types, Map<String, String> refusals) {
        try {
            Map<String, String> errors = question.unloadable(server, types);
            if (!errors.isEmpty()) {
                refusals.put(server.toString(), String.join(", ", errors.values()));
            }
        } catch (AccessDeniedException e) {
            refusals.put(
                    server.toString(),
                    "HBase allows this check only to users with the permission ADMIN on the whole cluster ("
                            + Messages.of(e) + ")");
        } catch (IOException e) {
            refusals.put(
                    server.toString(),
                    "it did not answer (" + Messages.of(e) + "); hbase.coprocessor.regionserver.classes must name "
                            + Coprocessors.INDEX_SERVER_ENDPOINT);
        }
    }
}
