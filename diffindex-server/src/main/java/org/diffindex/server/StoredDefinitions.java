package org.diffindex.server;

import java.io.IOException;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.protocol.DiffIndexProtos.Definition;
import org.diffindex.protocol.DiffIndexProtos.DefinitionsResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The definitions of the indexes of a region's table as the master has stored them last. An index may become ACTIVE without
 * the region being opened again, so what the region was opened with may be older; it is told only if the file system does
 * not answer. Safe for use by many threads.
 */
final class StoredDefinitions {
    private static final Logger LOG = LoggerFactory.getLogger(StoredDefinitions.class);

    private final TableDescriptor opened;
    private final DefinitionChange.Tables stored;

    /** Those of the table that a region was opened with. */
    StoredDefinitions(TableDescriptor opened, DefinitionChange.Tables stored) {
        this.opened = opened;
        this.stored = stored;
    }

    DefinitionsResponse response() {
        DefinitionsResponse.Builder response = DefinitionsResponse.newBuilder();
        IndexDefinitions.texts(descriptor())
                .forEach((name, text) -> response.addDefinitions(
                        Definition.newBuilder().setName(name).setText(text)));
        return response.build();
    }

    /** Whether the table has got an index since the region was opened, and had none then. */
    boolean hasFirstIndex() {
        return !IndexDefinitions.definesAny(opened) && IndexDefinitions.definesAny(descriptor());
    }

    private TableDescriptor descriptor() {
        try {
            return stored.find(opened.getTableName()).orElse(opened);
        } catch (IOException e) {
            LOG.warn(
                    "The descriptor of {} could not be read; its indexes are told as they were when the region was opened",
                    opened.getTableName(),
                    e);
            return opened;
        }
    }
}
