package org.diffindex.cli;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.TableName;
import org.apache.hbase.thirdparty.com.google.gson.JsonObject;
import org.diffindex.client.DiffIndexAdmin;
import org.diffindex.client.IndexStatus;
import org.diffindex.model.SchemeState;

/**
 * The text by which {@code list}, {@code describe} and {@code status} show the schemes of an index.
 *
 * @param schemes what the table of the index says of them; empty if it says nothing, or this client does not understand it
 * @param problem why this client does not understand it; else empty
 */
record SchemesText(Optional<SchemeState> schemes, Optional<String> problem) {
    static final SchemesText NONE = new SchemesText(Optional.empty(), Optional.empty());

    /** Returns what is shown of an index of a cluster. */
    static SchemesText of(DiffIndexAdmin admin, TableName table, String index) throws IOException {
        return of(() -> admin.schemesOf(table, index));
    }

    /** Reads what the table of an index says of its schemes. */
    @FunctionalInterface
    interface Source {
        Optional<SchemeState> read() throws IOException;
    }

    static SchemesText of(Source source) throws IOException {
        try {
            return new SchemesText(source.read(), Optional.empty());
        } catch (IllegalArgumentException e) {
            return new SchemesText(Optional.empty(), Optional.of(e.getMessage()));
        }
    }

    /** Returns what is shown of an index in a status. */
    static SchemesText of(IndexStatus status, String index) {
        return new SchemesText(
                Optional.ofNullable(status.schemes().get(index)),
                Optional.ofNullable(status.unreadSchemes().get(index)));
    }

    /** Returns what follows the state of an index whose scheme is being changed; an empty text of any other index. */
    String changing() {
        return schemes.flatMap(SchemeState::next)
                .map(next -> ", changing to " + next)
                .orElse("");
    }

    /** Adds to which scheme an index is being changed, and whose promise holds meanwhile; nothing for most indexes. */
    void addTo(JsonObject object) {
        schemes.flatMap(SchemeState::next).ifPresent(next -> {
            object.addProperty("changing_to", next.schemeName());
            object.addProperty("promise", schemes.get().promise().schemeName());
        });
        problem.ifPresent(why -> object.addProperty("problem", why));
    }
}
