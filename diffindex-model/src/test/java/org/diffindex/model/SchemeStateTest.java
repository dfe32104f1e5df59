package org.diffindex.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests by which scheme readers read, and whose promise holds, at each step of a change. */
class SchemeStateTest {
    private static SchemeState begin(String from, String to) {
        return SchemeState.begin(Optional.empty(), IndexScheme.ofName(from), IndexScheme.ofName(to), "c1");
    }

    @ParameterizedTest
    @CsvSource({
        "sync-full,     sync-insert,   sync-insert,   sync-insert,   false, false",
        "sync-full,     async-simple,  async-simple,  async-simple,  false, false",
        "sync-full,     async-session, async-session, async-session, false, false",
        "sync-insert,   sync-full,     sync-insert,   sync-insert,   true,  true",
        "sync-insert,   async-simple,  sync-insert,   async-simple,  false, true",
        "sync-insert,   async-session, sync-insert,   async-session, false, true",
        "async-simple,  sync-full,     async-simple,  async-simple,  true,  false",
        "async-simple,  sync-insert,   sync-insert,   async-simple,  true,  false",
        "async-simple,  async-session, async-simple,  async-simple,  true,  false",
        "async-session, sync-full,     async-session, async-session, true,  false",
        "async-session, sync-insert,   sync-insert,   async-session, true,  false",
        "async-session, async-simple,  async-simple,  async-simple,  false, false",
    })
    void readersAreRightByEitherScheme(
            String from, String to, String readAs, String promise, boolean needsDrain, boolean needsCleanup) {
        SchemeState begun = begin(from, to);
        assertThat(begun.readAs()).hasToString(readAs);
        assertThat(begun.promise()).hasToString(promise);
        assertThat(begun.next().orElseThrow()).hasToString(to);
        assertThat(begun.needsDrain()).isEqualTo(needsDrain);
        assertThat(begun.needsCleanup()).isEqualTo(needsCleanup);
        assertThat(begun.isUnderWay("c1")).isTrue();
        assertThat(begun.isUnderWay("c0")).isFalse();

        SchemeState completed = begun.completed();
        assertThat(completed.readAs()).hasToString(to);
        assertThat(completed.promise()).hasToString(to);
        assertThat(completed.next()).isEmpty();
        assertThat(completed.isUnderWay("c1")).isFalse();
        assertThat(completed.needsDrain() || completed.needsCleanup()).isFalse();
    }

    /** The second change has to undo the steps that the first one made before it was interrupted. */
    @Test
    void aChangeThatTakesThePlaceOfAnotherOneCleansUpAfterBoth() {
        SchemeState second = SchemeState.begin(
                Optional.of(begin("sync-full", "sync-insert")), IndexScheme.SYNC_FULL, IndexScheme.SYNC_FULL, "c2");
        assertThat(second.readAs()).isEqualTo(IndexScheme.SYNC_INSERT);
        assertThat(second.needsCleanup()).isTrue();
        assertThat(second.needsDrain()).isTrue();
        assertThat(second.writers()).containsExactlyInAnyOrder("0", "c1", "c2");
        SchemeState third = SchemeState.begin(
                Optional.of(begin("sync-full", "async-simple")),
                IndexScheme.ASYNC_SIMPLE,
                IndexScheme.ASYNC_SESSION,
                "c3");
        assertThat(third.promise()).isEqualTo(IndexScheme.ASYNC_SIMPLE);
        assertThat(third.needsDrain()).isTrue();
        assertThat(third.needsCleanup()).isFalse();
    }

    @Test
    void writesOfBothTimesAreAcceptedUntilTheFence() {
        SchemeState begun = begin("sync-insert", "sync-full");
        assertThat(Stream.of("", "c1")).allMatch(begun::accepts);
        assertThat(begun.accepts("c0")).isFalse();
        for (SchemeState later : Set.of(begun.fenced(), begun.completed())) {
            assertThat(later.accepts("c1")).isTrue();
            assertThat(later.accepts("")).isFalse();
        }
        assertThat(begun.fenced().isUnderWay("c1")).isTrue();
        assertThat(begun.fenced().needsCleanup()).isTrue();
        SchemeState next = SchemeState.begin(
                Optional.of(begun.completed()), IndexScheme.SYNC_FULL, IndexScheme.ASYNC_SIMPLE, "c2");
        assertThat(Stream.of("c1", "c2")).allMatch(next::accepts);
        assertThat(next.accepts("")).as("the time before the first change").isFalse();
    }

    static Stream<Arguments> states() {
        SchemeState begun = begin("sync-insert", "async-session");
        return Stream.of(begun, begun.fenced(), begun.completed()).map(Arguments::of);
    }

    @ParameterizedTest
    @MethodSource("states")
    void isKeptInTheDescriptorWhileTheIndexIsActive(SchemeState state) {
        TableDescriptor table =
                TableDescriptorBuilder.newBuilder(TableName.valueOf("t.i")).build();
        assertThat(IndexDefinitions.schemeStateOf(table)).isEmpty();
        TableDescriptor kept = IndexDefinitions.withSchemeState(table, state);
        assertThat(IndexDefinitions.schemeStateOf(kept)).contains(state);
        assertThat(IndexDefinitions.stateOf(kept)).isEqualTo(IndexState.ACTIVE);
        assertThat(IndexDefinitions.isNextState(table, kept)).isTrue();
        assertThat(IndexDefinitions.haveSameSchemeState(table, kept)).isFalse();
        assertThat(IndexDefinitions.schemeStateOf(IndexDefinitions.withState(kept, IndexState.ACTIVE)))
                .contains(state);
        for (IndexState built : Set.of(IndexState.DISABLED, IndexState.DROPPING)) {
            assertThat(IndexDefinitions.schemeStateOf(IndexDefinitions.withState(kept, built)))
                    .isEmpty();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "no JSON | not valid",
                "[] | not valid",
                "{\"read\": \"sync-full\"} | it has no \"writers\"",
            })
    void aValueThatWasChangedByHandIsNamed(String text, String problem) {
        TableDescriptor table = TableDescriptorBuilder.newBuilder(TableName.valueOf("t.i"))
                .setValue("diffindex.scheme", text)
                .build();
        assertThatThrownBy(() -> IndexDefinitions.schemeStateOf(table))
                .isInstanceOf(IllegalArgumentException.class)
                .isNotInstanceOf(UnknownSchemesException.class)
                .hasMessageContaining("diffindex.scheme")
                .hasMessageContaining(problem);
    }

    /** The index of such a value is healthy; nobody may be told to rebuild it. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"read\": \"async-full\", \"promise\": \"sync-full\", \"change\": \"c\", \"writers\": []} | 'async-full'",
                "{\"fence\": \"c\"} | it has the members [fence], which this build of Diff-Index does not know",
            })
    void aValueOfALaterBuildIsToldFromABrokenOne(String text, String problem) {
        TableDescriptor table = TableDescriptorBuilder.newBuilder(TableName.valueOf("t.i"))
                .setValue("diffindex.scheme", text)
                .build();
        assertThatThrownBy(() -> IndexDefinitions.schemeStateOf(table))
                .isInstanceOf(UnknownSchemesException.class)
                .hasMessageContaining("diffindex.scheme of the index table was written by a later build")
                .hasMessageContaining(problem);
    }

    /** HBase's client makes the exception from the message of the remote one, which its stack trace follows. */
    @ParameterizedTest
    @MethodSource("schemes")
    void aRefusedReaderLearnsTheScheme(IndexScheme scheme) {
        String message = new IndexSchemeChangedException("Nothing was read", scheme).getMessage();
        assertThat(new IndexSchemeChangedException(message + "\n\tat org.diffindex.Server").readAs())
                .contains(scheme);
        assertThat(new IndexSchemeChangedException("Nothing was read").readAs()).isEmpty();
        assertThat(new IndexSchemeChangedException("Nothing was read; read it as sync-later").readAs())
                .isEmpty();
    }

    static Stream<IndexScheme> schemes() {
        return Stream.of(IndexScheme.values());
    }
}
