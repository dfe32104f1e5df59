package org.diffindex.client;

import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.hadoop.hbase.NamespaceNotFoundException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.TableIndexes;

/**
 * Finds the indexes that are DISABLED. Their definitions are in the descriptors of their own tables. An index that is being
 * enabled or rebuilt, or whose enabling was interrupted, counts as DISABLED until its base table has the definition again. Of an
 * index whose columns are being changed, counts only the generation that is in service.
 */
final class DisabledIndexes {
    private DisabledIndexes() {}

    /** Returns those of a base table, which need not exist any more. */
    static TableIndexes of(Admin admin, TableName base) throws IOException {
        try {
            List<TableDescriptor> tables =
                    admin.listTableDescriptorsByNamespace(Bytes.toBytes(base.getNamespaceAsString()));
            return ofAll(tables).getOrDefault(base, TableIndexes.NONE);
        } catch (NamespaceNotFoundException e) {
            throw Descriptors.noSuchTable(base, e);
        }
    }

    /** Returns those of all base tables, among the tables of a cluster or a namespace. */
    static Map<TableName, TableIndexes> ofAll(Collection<TableDescriptor> tables) {
        Map<TableName, TableDescriptor> byName = new TreeMap<>();
        tables.forEach(table -> byName.put(table.getTableName(), table));
        Map<TableName, Map<String, String>> texts = new TreeMap<>();
        for (TableDescriptor own : tables) {
            Optional<TableName> base = IndexDefinitions.baseTableOf(own);
            Optional<String> name =
                    IndexDefinitions.keptIn(own).flatMap(definition -> IndexDefinitions.indexNameOf(own));
            boolean isDefined = name.isPresent()
                    && byName.containsKey(base.get())
                    && IndexDefinitions.texts(byName.get(base.get())).containsKey(name.get());
            if (name.isPresent() && !isDefined) {
                texts.computeIfAbsent(base.get(), table -> new TreeMap<>())
                        .put(name.get(), IndexDefinitions.keptIn(own).orElseThrow());
            }
        }
        Map<TableName, TableIndexes> indexes = new TreeMap<>();
        texts.forEach(
                (base, kept) -> indexes.put(base, TableIndexes.of(base, kept).inService()));
        return indexes;
    }
}
