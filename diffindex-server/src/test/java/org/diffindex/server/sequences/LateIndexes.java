package org.diffindex.server.sequences;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.DeliveryFaults;
import org.diffindex.server.local.LocalTable;

/**
 * Creates indexes during a sequence on a table that has rows, in the two steps of a creation, and drops them at its
 * end.
 */
public final class LateIndexes {
    private final LocalTable table;
    private final DeliveryFaults faults;
    private final String names;
    private final TableDescriptor before;
    private int count;
    private int changes;
    private Optional<IndexDefinition> last = Optional.empty();

    /**
     * Creates no index yet.
     *
     * @param names a prefix for the names of its indexes that no other sequence uses
     */
    public LateIndexes(LocalTable table, DeliveryFaults faults, String names) {
        this.table = table;
        this.faults = faults;
        this.names = names;
        this.before = table.descriptor();
    }

    /** Defines an index, and creates a table for its entries. */
    public IndexDefinition define(IndexScheme scheme) {
        count++;
        IndexDefinition index = IndexDefinition.builder(TableShape.NAME, "late-" + names + count)
                .column("f", Step.Column.A.name(), ColumnTypes.STRING)
                .scheme(scheme)
                .build();
        try {
            table.serve(index);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        last = Optional.of(index);
        return index;
    }

    /** Returns the index that was defined last, with its present scheme; empty if there is none. */
    public Optional<IndexDefinition> last() {
        return last;
    }

    /** Opens the regions with another scheme of the index that was defined last. */
    public IndexDefinition changeLast(IndexScheme scheme) throws IOException {
        changes++;
        IndexDefinition changed = last.orElseThrow().withScheme(scheme).withChange("change" + changes);
        table.alter(with(changed));
        last = Optional.of(changed);
        return changed;
    }

    /** Returns the table's descriptor with the index, which is to be backfilled. */
    public TableDescriptor with(IndexDefinition index) {
        return IndexDefinitions.with(table.descriptor(), index);
    }

    /** Creates an index that is to be backfilled. */
    public IndexDefinition create(IndexScheme scheme) throws IOException {
        IndexDefinition index = define(scheme);
        table.alter(with(index));
        return index;
    }

    /** Backfills an index that is already maintained, without faults. */
    public void backfill(IndexDefinition index) throws IOException {
        faults.end();
        assertThat(table.backfill(index)).as("backfill of %s", index.name()).isPresent();
    }

    public void drop() throws IOException {
        if (count > 0) {
            table.alter(before);
        }
    }
}
