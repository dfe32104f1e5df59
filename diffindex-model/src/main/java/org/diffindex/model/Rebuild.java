package org.diffindex.model;

import java.util.Optional;
import java.util.OptionalDouble;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.apache.hadoop.hbase.util.Bytes;

/**
 * The order to rebuild an index, in the descriptor of its table ({@code diffindex.rebuild}): the index is BUILDING, and its
 * table is to be emptied before it is built, because rows of the base table are, or are about to be, replaced without the
 * index. The table keeps the definition, which the base table lacks for a while. The order stays until the table is empty
 * and the base table has the definition under the table's id.
 */
public final class Rebuild {
    /** The key of the order; its value is {@code true}. */
    static final String DUE = "diffindex.rebuild";

    private Rebuild() {}

    /** Returns whether the index to which this table belongs is to be rebuilt. */
    public static boolean isDue(TableDescriptor indexTable) {
        return indexTable.getValue(DUE) != null;
    }

    /**
     * Returns what distinguishes the present order from one that was given before or after it, also if that is under the same
     * id; empty if the index is not to be rebuilt.
     */
    public static Optional<String> order(TableDescriptor indexTable) {
        return isDue(indexTable) ? Optional.of(IndexDefinitions.lastChangeOf(indexTable)) : Optional.empty();
    }

    /**
     * Returns the descriptor of the table of an index that is to be rebuilt: readers are refused by the table's regions once
     * they are open with it.
     *
     * @param definition as returned by {@link IndexDefinitions#texts}
     */
    public static TableDescriptor ordered(TableDescriptor indexTable, String definition) {
        TableDescriptor building = BuildFamily.remove(IndexDefinitions.withState(indexTable, IndexState.BUILDING));
        TableDescriptor kept = IndexDefinitions.keeping(building, definition);
        return due(BuildFamily.add(kept, OptionalDouble.empty(), false));
    }

    /**
     * Returns the descriptor of the table of an index that is to be rebuilt, under another id: what servers hold for the index
     * of before is refused by the table's regions once they are open with it.
     */
    public static TableDescriptor renewed(TableDescriptor indexTable, String newId) {
        return due(IndexDefinitions.identified(IndexDefinitions.withState(indexTable, IndexState.BUILDING), newId));
    }

    /** Returns the descriptor of the table of an index that is to be built, and no longer to be emptied before. */
    public static TableDescriptor begun(TableDescriptor indexTable) {
        return IndexDefinitions.withState(indexTable, IndexState.BUILDING);
    }

    private static TableDescriptor due(TableDescriptor indexTable) {
        return TableDescriptorBuilder.newBuilder(indexTable)
                .setValue(Bytes.toBytes(DUE), Bytes.toBytes("true"))
                .build();
    }
}
