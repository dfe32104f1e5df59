package org.diffindex.model;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Some of the indexes of one table: those whose schemes have a property, and single ones. Immutable; two sets are equal if they are
 * made of the same schemes and the same indexes.
 */
public final class IndexSet {
    private static final IndexSet ALL = whose(scheme -> true);
    private static final IndexSet NONE = whose(scheme -> false);
    private static final IndexSet SYNCHRONOUS = whose(scheme -> !scheme.isAsynchronous());
    private static final IndexSet ASYNCHRONOUS = whose(IndexScheme::isAsynchronous);

    private final Set<IndexScheme> schemes;

    private final Set<IndexDefinition> single;

    /** Those that are not in the set, whatever their schemes. */
    private final Set<IndexDefinition> without;

    private IndexSet(Set<IndexScheme> schemes, Set<IndexDefinition> single, Set<IndexDefinition> without) {
        this.schemes = schemes;
        this.single = single;
        this.without = without;
    }

    /** All indexes. */
    public static IndexSet all() {
        return ALL;
    }

    /** No index. */
    public static IndexSet none() {
        return NONE;
    }

    /** The indexes that have a write before it is acknowledged. */
    public static IndexSet synchronous() {
        return SYNCHRONOUS;
    }

    /** The indexes that have a write after it is acknowledged. */
    public static IndexSet asynchronous() {
        return ASYNCHRONOUS;
    }

    /** The indexes whose schemes have a property. */
    public static IndexSet whose(Predicate<IndexScheme> property) {
        Set<IndexScheme> schemes = EnumSet.allOf(IndexScheme.class);
        schemes.removeIf(property.negate());
        return new IndexSet(Collections.unmodifiableSet(schemes), Set.of(), Set.of());
    }

    /**
     * Returns the set of one index. The definition counts as a whole: neither another index of the same name, created after this
     * one was dropped, nor the same index in another state is in the set.
     */
    public static IndexSet of(IndexDefinition index) {
        return of(Set.of(index));
    }

    /** These indexes. */
    public static IndexSet of(Collection<IndexDefinition> indexes) {
        return new IndexSet(Set.of(), Set.copyOf(indexes), Set.of());
    }

    /** The indexes of this set but for these. */
    public IndexSet without(Collection<IndexDefinition> indexes) {
        if (indexes.isEmpty()) {
            return this;
        }
        Set<IndexDefinition> excluded = new HashSet<>(without);
        excluded.addAll(indexes);
        return new IndexSet(schemes, single, Set.copyOf(excluded));
    }

    /** Whether an index is in the set. */
    public boolean contains(IndexDefinition index) {
        return (schemes.contains(index.scheme()) || single.contains(index)) && !without.contains(index);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IndexSet that
                && schemes.equals(that.schemes)
                && single.equals(that.single)
                && without.equals(that.without);
    }

    @Override
    public int hashCode() {
        return Objects.hash(schemes, single, without);
    }

    /** The schemes, the single indexes, and those left out: {@code [sync-full, sync-insert] + [] - [title]}. */
    @Override
    public String toString() {
        return schemes + " + " + names(single) + " - " + names(without);
    }

    private static List<String> names(Set<IndexDefinition> indexes) {
        return indexes.stream().map(IndexDefinition::name).sorted().toList();
    }
}
