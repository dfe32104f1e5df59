package org.diffindex.server;

import java.io.IOException;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.protocol.DiffIndexProtos.Definition;
import org.diffindex.protocol.DiffIndexProtos.DefinitionsResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The definitions of the indexes of a region's table as the master last stored them, which may be later ones than those
 * with which the region was opened: HBase stores a descriptor before it opens the regions with it. The ones of the region
 * are used only if the stored descriptor cannot be read or is gone. Every call reads the file system. Thread-safe.
 */
final class StoredDefinitions {
    private static final Logger LOG = LoggerFactory.getLogger(StoredDefinitions.class);

    private final TableDescriptor opened;
    private final DefinitionChange.Tables stored;

    /**
     * Creates the definitions of a region's table.
     *
     * @param opened the descriptor with which the region was opened
     * @param stored finds the stored descriptor
     */
    StoredDefinitions(TableDescriptor opened, DefinitionChange.Tables stored) {
        this.opened = opened;
        this.stored = stored;
    }

    /** Returns the definitions as texts, including those that cannot be parsed. */
    DefinitionsResponse response() {
        DefinitionsResponse.Builder response = DefinitionsResponse.newBuilder();
        IndexDefinitions.texts(descriptor())
                .forEach((name, text) -> response.addDefinitions(
                        Definition.newBuilder().setName(name).setText(text)));
        return response.build();
    }

    /** Returns whether the table has indexes now and had none when the region was opened. */
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
