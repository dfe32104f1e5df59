package org.diffindex.client;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.NamespaceNotFoundException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.TableNotFoundException;
import org.apache.hadoop.hbase.client.Admin;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.security.AccessDeniedException;
import org.apache.hadoop.hbase.util.Bytes;
import org.diffindex.model.GenerationName;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexRole;
import org.diffindex.model.TableIndexes;
import org.diffindex.tasks.DescriptorChange;

/**
 * Finds the {@linkplain GenerationName generations} of an index by the name that users give to it. An index whose columns were
 * never changed has one generation, of the same name.
 */
final class Generations {
    /** The order of a drop: after each generation the index is as if the others had never been, until the last is gone. */
    private static final List<Optional<IndexRole>> DROPPED_IN_ORDER = List.of(
            Optional.empty(),
            Optional.of(IndexRole.SHADOW),
            Optional.of(IndexRole.RETIRED),
            Optional.of(IndexRole.IN_SERVICE));

    private Generations() {}

    /**
     * Returns the name of the generation of an index that is in service; of one that its base table does not define, that of
     * the generation that its own table keeps, because it is DISABLED or rebuilt; else the name itself. A name of a later
     * generation stands for itself.
     */
    static String inService(Admin admin, TableName table, String index) throws IOException {
        if (!GenerationName.of(index).isFirst()) {
            return index;
        }
        Optional<TableDescriptor> base;
        try {
            base = DescriptorChange.find(admin, table);
        } catch (AccessDeniedException e) {
            return index; // nor can this user change the index
        }
        Optional<String> defined =
                base.map(Descriptors::definitions).flatMap(indexes -> indexes.generation(index, IndexRole.IN_SERVICE));
        return defined.isPresent()
                ? defined.get()
                : disabled(admin, table, index).orElse(index);
    }

    /** Returns the name of the generation of an index that is DISABLED or rebuilt, and was in service before. */
    static Optional<String> disabled(Admin admin, TableName table, String index) throws IOException {
        try {
            return DisabledIndexes.of(admin, table).generation(index, IndexRole.IN_SERVICE);
        } catch (TableNotFoundException e) {
            return Optional.empty();
        }
    }

    /**
     * Requires that no change of the columns of an index is under way.
     *
     * @throws DoNotRetryIOException if one is, and a generation beside the one in service is left; the message says what to do
     */
    static void requireOne(Admin admin, TableName table, String index, String operation) throws IOException {
        String name = GenerationName.of(index).index();
        TableIndexes indexes = indexes(admin, table);
        if (indexes.generation(name, IndexRole.SHADOW).isPresent()) {
            throw CreationChecks.refusal("Cannot " + operation + " index " + name + " of " + table
                    + " now: a change of its columns has begun. Repeat that change to complete it, or cancel it"
                    + " (bin/diffindex alter-index " + table + " " + name + " --cancel)");
        }
        if (indexes.generation(name, IndexRole.RETIRED).isPresent()) {
            throw CreationChecks.refusal("Cannot " + operation + " index " + name + " of " + table
                    + " now: its columns were changed, and what it was before is not removed yet. Repeat that change"
                    + " to complete it (bin/diffindex alter-index)");
        }
    }

    /**
     * Drops all generations of an index, whether they are defined or only their tables are left, the one in service last. If one
     * is begun meanwhile, drops it too.
     *
     * @param index the name of the index; or that of one later generation, which is dropped alone if it is not in service
     */
    static void drop(Admin admin, TableName table, String index, boolean isForced) throws IOException {
        GenerationName name = GenerationName.of(index);
        TableIndexes indexes = indexes(admin, table);
        boolean isInService = indexes.ofRole(IndexRole.IN_SERVICE).containsKey(index);
        if (!name.isFirst() && !isInService) {
            boolean isShadow = indexes.ofRole(IndexRole.SHADOW).containsKey(index);
            IndexRemoval removal = isShadow
                    ? IndexRemoval.ofShadow(admin, table, index)
                    : new IndexRemoval(admin, table, index, isForced);
            removal.run();
            return;
        }
        List<String> left = all(admin, table, name.index());
        if (left.isEmpty()) {
            left = List.of(index); // whose removal says what is missing
        }
        GenerationName last = name;
        while (!left.isEmpty()) {
            for (String generation : left) {
                new IndexRemoval(admin, table, generation, isForced).run();
                last = Collections.max(List.of(last, GenerationName.of(generation)));
            }
            left = indexes(admin, table).names().stream()
                    .map(GenerationName::of)
                    .filter(isNextAfter(last))
                    .map(GenerationName::toString)
                    .toList();
        }
    }

    /** Selects what a change of the columns has begun meanwhile; a generation before is that of a later index of the name. */
    private static Predicate<GenerationName> isNextAfter(GenerationName last) {
        return begun -> begun.index().equals(last.index()) && begun.compareTo(last) > 0;
    }

    private static TableIndexes indexes(Admin admin, TableName table) throws IOException {
        return DescriptorChange.find(admin, table).map(Descriptors::definitions).orElse(TableIndexes.NONE);
    }

    private static List<String> all(Admin admin, TableName table, String index) throws IOException {
        TreeMap<GenerationName, Optional<IndexRole>> roles = new TreeMap<>();
        for (TableDescriptor own : tables(admin, table)) {
            IndexDefinitions.indexNameOf(own)
                    .filter(name -> IndexDefinitions.baseTableOf(own).equals(Optional.of(table)))
                    .map(GenerationName::of)
                    .filter(name -> name.index().equals(index))
                    .ifPresent(name -> roles.put(name, Optional.empty()));
        }
        TableIndexes indexes = indexes(admin, table);
        for (IndexRole role : IndexRole.values()) {
            for (String name : indexes.ofRole(role).names()) {
                GenerationName generation = GenerationName.of(name);
                if (generation.index().equals(index)) {
                    roles.put(generation, Optional.of(role));
                }
            }
        }
        List<GenerationName> ordered = new ArrayList<>(roles.keySet());
        ordered.sort(Comparator.comparingInt(name -> DROPPED_IN_ORDER.indexOf(roles.get(name))));
        return ordered.stream().map(GenerationName::toString).toList();
    }

    private static List<TableDescriptor> tables(Admin admin, TableName table) throws IOException {
        try {
            return admin.listTableDescriptorsByNamespace(Bytes.toBytes(table.getNamespaceAsString()));
        } catch (NamespaceNotFoundException e) {
            return List.of();
        }
    }
}
