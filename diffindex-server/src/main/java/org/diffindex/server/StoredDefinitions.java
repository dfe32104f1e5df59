package org.diffindex.server;

import java.io.IOException;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.protocol.DiffIndexProtos.Definition;
import org.diffindex.protocol.DiffIndexProtos.DefinitionsResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The definitions of the indexes of a region's table as the master last stored them. An index may become ACTIVE without
 * the region being opened again, so the definitions at the opening may be older; they are used only if the file system
 * does not answer. Thread-safe.
 */
final class StoredDefinitions {
    private static final Logger LOG = LoggerFactory.getLogger(StoredDefinitions.class);

    private final TableDescriptor opened;
    private final DefinitionChange.Tables stored;

    /** Creates the definitions of the table of an opened region. */
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
