package org.diffindex.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.Optional;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexNotReadableException;
import org.diffindex.model.IndexReplacedException;
import org.diffindex.model.IndexSchemeChangedException;
import org.diffindex.tasks.Messages;

/**
 * Determines why reads of an index table fail. If the index was dropped, discards the cached definitions, so that the next
 * read by that name finds a later index. If it is BUILDING, adds how far its build is. Safe for use by many threads.
 */
final class FailedReads {
    private final IndexCatalog catalog;
    private final IndexDefinition definition;
    private final BuildLook build;

    /** A look at how far the build of the index is. */
    @FunctionalInterface
    interface BuildLook {
        /**
         * Looks.
         *
         * @return empty if there is no answer soon
         * @throws InterruptedIOException if the thread is interrupted
         */
        Optional<BuildStatus> status() throws InterruptedIOException;
    }

    FailedReads(IndexCatalog catalog, IndexDefinition definition, BuildLook build) {
        this.catalog = catalog;
        this.definition = definition;
        this.build = build;
    }

    /**
     * Returns the exception that a failed read is to throw: {@link NoSuchIndexException} if the drop of the index has
     * begun; if the index is BUILDING, BROKEN or DISABLED, an {@link IndexNotReadableException}, in the first case with how far it is; else the failure itself. A
     * batch of lookups fails with the exceptions of all of them.
     */
    IOException exceptionFor(IOException failure) {
        List<Throwable> causes = failure instanceof RetriesExhaustedWithDetailsException several
                ? several.getCauses()
                : List.of(failure);
        if (causes.stream().anyMatch(FailedReads::tellsOfADrop)
                || (causes.stream().anyMatch(TableNotEnabledException.class::isInstance) && isUndefined(failure))) {
            catalog.forget();
            return NoSuchIndexException.dropped(definition, failure);
        }
        if (failure instanceof IndexNotReadableException) {
            catalog.forget(); // a DISABLED index has another id when it is ACTIVE again
            return withProgress(failure);
        }
        return failure;
    }

    /**
     * Returns whether a scan has failed because the index must be read by another scheme; the next reads by the index then
     * do so.
     */
    boolean isOfAnotherScheme(IOException failure) {
        if (failure instanceof IndexSchemeChangedException changed) {
            catalog.changed(definition, changed.readAs());
            return true;
        }
        return false;
    }

    private IOException withProgress(IOException refusal) {
        try {
            return build.status()
                    .filter(status -> status.problem().isEmpty()) // which the refusal tells
                    .<IOException>map(status -> notReadable(Messages.of(refusal) + ". Its build: " + status, refusal))
                    .orElse(refusal);
        } catch (InterruptedIOException e) {
            e.addSuppressed(refusal);
            return e;
        }
    }

    private static IndexNotReadableException notReadable(String message, IOException cause) {
        IndexNotReadableException exception = new IndexNotReadableException(message);
        exception.initCause(cause);
        return exception;
    }

    private static boolean tellsOfADrop(Throwable cause) {
        return cause instanceof IndexReplacedException || cause instanceof TableNotFoundException;
    }

    /**
     * Reads whether an index whose table is disabled was dropped. The last steps of a drop disable and delete the table;
     * but it may also have been disabled by hand.
     */
    private boolean isUndefined(IOException failure) {
        try {
            return !catalog.has(definition);
        } catch (TableNotFoundException e) {
            return true;
        } catch (IOException e) {
            failure.addSuppressed(e);
            return false;
        }
    }
}
