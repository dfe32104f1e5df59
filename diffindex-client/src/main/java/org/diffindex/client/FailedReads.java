package org.diffindex.client;

import java.io.IOException;
import java.util.List;
import org.apache.hadoop.hbase.TableNotEnabledException;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.RetriesExhaustedWithDetailsException;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexReplacedException;

/**
 * Determines whether reads of an index table fail because the index was dropped. If so, it discards the cached
 * definitions, so that the next read by that name finds a later index. Safe for use by many threads.
 */
final class FailedReads {
    private final IndexCatalog catalog;
    private final IndexDefinition definition;

    FailedReads(IndexCatalog catalog, IndexDefinition definition) {
        this.catalog = catalog;
        this.definition = definition;
    }

    /**
     * Returns the exception that a failed read is to throw: {@link NoSuchIndexException} if the drop of the index has
     * begun, else the failure itself. A batch of lookups fails with the exceptions of all of them.
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
        return failure;
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
