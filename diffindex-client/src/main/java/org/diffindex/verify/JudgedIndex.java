package org.diffindex.verify;

import java.io.IOException;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.client.Connection;
import org.diffindex.client.IndexGenerations;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.IndexState;
import org.diffindex.model.SchemeState;
import org.diffindex.model.UnknownSchemesException;

/**
 * An index as a comparison judges it: by the scheme by which readers read it. While the scheme is being changed, that may be
 * another one than the base table defines: stale entries of the former scheme, for example, are no fault until they are removed.
 *
 * @param definition the definition, with that scheme
 * @param changingTo the scheme to which the index is being changed; empty if it is not
 */
public record JudgedIndex(IndexDefinition definition, Optional<IndexScheme> changingTo) {
    /**
     * Reads how to judge an index.
     *
     * @throws DoNotRetryIOException if the index does not contain all rows, or a later build has written of its schemes what
     *     this one does not know; nothing was compared
     */
    public static JudgedIndex of(Connection connection, IndexDefinition definition) throws IOException {
        requireComplete(connection, definition);
        try {
            return of(definition, IndexGenerations.schemesOf(connection, definition.table(), definition.name()));
        } catch (UnknownSchemesException e) {
            throw new DoNotRetryIOException(
                    "Index " + definition.name() + " on " + definition.table() + " was not compared: " + e.getMessage()
                            + "; " + UnknownSchemesException.remedy(),
                    e);
        }
    }

    static JudgedIndex of(IndexDefinition definition, Optional<SchemeState> schemes) {
        return new JudgedIndex(
                definition.withScheme(schemes.map(SchemeState::readAs).orElse(definition.scheme())),
                schemes.flatMap(SchemeState::next));
    }

    /**
     * Requires that an index contains all rows.
     *
     * @throws DoNotRetryIOException if it does not
     */
    static void requireComplete(Connection connection, IndexDefinition definition) throws IOException {
        Optional<IndexState> state = IndexGenerations.stateOf(connection, definition.table(), definition.name());
        if (state.isPresent() && (state.get().isIncomplete() || state.get() == IndexState.DISABLED)) {
            throw new DoNotRetryIOException("Index " + definition.name() + " on " + definition.table() + " is "
                    + state.get()
                    + " and does not contain all rows; nothing was compared; scrub it when it is ACTIVE");
        }
    }
}
