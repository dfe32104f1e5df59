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
 * A set of indexes of one table, given by a property of their schemes, by the indexes themselves, or both, minus
 * excluded indexes. Immutable. Two sets are equal if they have equal schemes, single indexes and exclusions; unequal
 * sets may have the same members.
 */
public final class IndexSet {
    private static final IndexSet ALL = whose(scheme -> true);
    private static final IndexSet NONE = whose(scheme -> false);
    private static final IndexSet SYNCHRONOUS = whose(scheme -> !scheme.isAsynchronous());
    private static final IndexSet ASYNCHRONOUS = whose(IndexScheme::isAsynchronous);

    private final Set<IndexScheme> schemes;

    private final Set<IndexDefinition> single;

    /** Indexes excluded from the set, whatever their schemes. */
    private final Set<IndexDefinition> without;

    private IndexSet(Set<IndexScheme> schemes, Set<IndexDefinition> single, Set<IndexDefinition> without) {
        this.schemes = schemes;
        this.single = single;
        this.without = without;
    }

    /** Returns the set of all indexes. */
    public static IndexSet all() {
        return ALL;
    }

    /** Returns the empty set. */
    public static IndexSet none() {
        return NONE;
    }

    /** Returns the indexes that are updated before a write is acknowledged. */
    public static IndexSet synchronous() {
        return SYNCHRONOUS;
    }

    /** Returns the indexes that are updated after a write is acknowledged. */
    public static IndexSet asynchronous() {
        return ASYNCHRONOUS;
    }

    /** Returns the indexes whose schemes have a property. */
    public static IndexSet whose(Predicate<IndexScheme> property) {
        Set<IndexScheme> schemes = EnumSet.allOf(IndexScheme.class);
        schemes.removeIf(property.negate());
        return new IndexSet(Collections.unmodifiableSet(schemes), Set.of(), Set.of());
    }

    /**
     * Returns the set of one index. A definition that is not {@linkplain IndexDefinition#equals equal} is not in the
     * set, in particular one of the same name with another id or in another state.
     */
    public static IndexSet of(IndexDefinition index) {
        return of(Set.of(index));
    }

    /** Returns the set of these indexes, compared as in {@link #of(IndexDefinition)}. */
    public static IndexSet of(Collection<IndexDefinition> indexes) {
        return new IndexSet(Set.of(), Set.copyOf(indexes), Set.of());
    }

    /** Returns this set minus these indexes. */
    public IndexSet without(Collection<IndexDefinition> indexes) {
        if (indexes.isEmpty()) {
            return this;
        }
        Set<IndexDefinition> excluded = new HashSet<>(without);
        excluded.addAll(indexes);
        return new IndexSet(schemes, single, Set.copyOf(excluded));
    }

    /** Returns whether an index is in the set. */
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

    /** Returns the schemes, the single indexes and the exclusions: {@code [sync-full, sync-insert] + [] - [title]}. */
    @Override
    public String toString() {
        return schemes + " + " + names(single) + " - " + names(without);
    }

    private static List<String> names(Set<IndexDefinition> indexes) {
        return indexes.stream().map(IndexDefinition::name).sorted().toList();
    }
}
