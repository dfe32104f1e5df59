package org.diffindex.client;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.hadoop.hbase.TableName;
import org.diffindex.model.IndexDefinition;

/**
 * The definitions of a table's indexes, remembered for a short time so that a read does not ask the master each time. An
 * index that is unknown or not readable is looked for again before that is reported. Safe for use by many threads.
 */
final class IndexCatalog {
    /** Readers see a change of a definition after this time at the latest. */
    static final Duration KEEP = Duration.ofSeconds(5);

    /** Where definitions are read. */
    @FunctionalInterface
    interface Source {
        Map<String, IndexDefinition> read() throws IOException;
    }

    private record Reading(Map<String, IndexDefinition> definitions, long nanos) {}

    private final TableName table;
    private final Source source;
    private final LongSupplier nanoClock;
    private volatile Reading last;

    IndexCatalog(TableName table, Source source, LongSupplier nanoClock) {
        this.table = table;
        this.source = source;
        this.nanoClock = nanoClock;
    }

    /** The definitions by name, no older than {@link #KEEP}. */
    Map<String, IndexDefinition> definitions() throws IOException {
        Reading reading = last;
        if (reading == null || nanoClock.getAsLong() - reading.nanos >= KEEP.toNanos()) {
            return reread();
        }
        return reading.definitions;
    }

    /**
     * The definition of an index that can be read.
     *
     * @throws NoSuchIndexException if the table has no index of that name
     * @throws IndexNotReadableException if it is still being filled
     */
    IndexDefinition readable(String index) throws IOException {
        IndexDefinition definition = definitions().get(index);
        if (definition == null || !definition.state().isReadable()) {
            definition = reread().get(index);
        }
        if (definition == null) {
            throw new NoSuchIndexException(table, index);
        }
        if (!definition.state().isReadable()) {
            throw new IndexNotReadableException(definition);
        }
        return definition;
    }

    private Map<String, IndexDefinition> reread() throws IOException {
        long nanos = nanoClock.getAsLong();
        Map<String, IndexDefinition> definitions = source.read();
        last = new Reading(definitions, nanos);
        return definitions;
    }
}
