package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;
import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class IndexSetTest {
    private static final IndexDefinition FULL = index("full", IndexScheme.SYNC_FULL);
    private static final IndexDefinition INSERT = index("insert", IndexScheme.SYNC_INSERT);
    private static final IndexDefinition SIMPLE = index("simple", IndexScheme.ASYNC_SIMPLE);
    private static final IndexDefinition SESSION = index("session", IndexScheme.ASYNC_SESSION);

    private static IndexDefinition index(String name, IndexScheme scheme) {
        return IndexDefinition.builder(TableName.valueOf("t"), name)
                .column("f", "q", ColumnTypes.STRING)
                .scheme(scheme)
                .build();
    }

    private static List<String> in(IndexSet set) {
        return List.of(FULL, INSERT, SIMPLE, SESSION).stream()
                .filter(set::contains)
                .map(IndexDefinition::name)
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    void eachIndexIsEitherSynchronousOrAsynchronous(IndexScheme scheme) {
        IndexDefinition index = index("i", scheme);
        assertThat(IndexSet.asynchronous().contains(index)).isEqualTo(scheme.isAsynchronous());
        assertThat(IndexSet.synchronous().contains(index)).isEqualTo(!scheme.isAsynchronous());
        assertThat(IndexSet.all().contains(index)).isTrue();
        assertThat(IndexSet.none().contains(index)).isFalse();
    }

    @Test
    void selectsIndexesByAPropertyOfTheirScheme() {
        assertThat(in(IndexSet.whose(IndexScheme::mayInsertBeforeRow))).containsExactly("insert");
        assertThat(in(IndexSet.whose(IndexScheme::hasSessions))).containsExactly("session");
    }

    @Test
    void addsAndRemovesSingleIndexesOfAnyScheme() {
        assertThat(in(IndexSet.of(INSERT))).containsExactly("insert");
        assertThat(in(IndexSet.of(List.of(FULL, SESSION)))).containsExactly("full", "session");
        assertThat(in(IndexSet.synchronous().without(Set.of(INSERT)))).containsExactly("full");
        assertThat(in(IndexSet.of(List.of(FULL, SIMPLE)).without(Set.of(FULL)))).containsExactly("simple");
    }

    @Test
    void aRecreatedIndexIsADifferentIndex() {
        IndexSet one = IndexSet.of(SIMPLE.withId("1"));
        assertThat(one.contains(SIMPLE.withId("1"))).isTrue();
        assertThat(one.contains(SIMPLE.withId("2"))).isFalse();
    }

    @Test
    void isAValue() {
        IndexSet set = IndexSet.synchronous().without(Set.of(FULL)).without(Set.of(INSERT));
        assertThat(IndexSet.synchronous().without(List.of(INSERT, FULL)))
                .isEqualTo(set)
                .hasSameHashCodeAs(set);
        assertThat(List.of(IndexSet.synchronous(), IndexSet.asynchronous().without(Set.of(FULL, INSERT))))
                .doesNotContain(set);
        assertThat(IndexSet.of(List.of(FULL, INSERT)))
                .isEqualTo(IndexSet.of(List.of(INSERT, FULL)))
                .isNotEqualTo(IndexSet.of(FULL));
        assertThat(IndexSet.whose(scheme -> !scheme.isAsynchronous())).isEqualTo(IndexSet.synchronous());
    }

    @Test
    void showsSchemesAndNames() {
        assertThat(IndexSet.synchronous().without(Set.of(INSERT)))
                .hasToString("[sync-full, sync-insert] + [] - [insert]");
        assertThat(IndexSet.of(List.of(SESSION, FULL))).hasToString("[] + [full, session] - []");
    }
}
