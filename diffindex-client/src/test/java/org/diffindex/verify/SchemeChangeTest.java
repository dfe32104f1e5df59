package org.diffindex.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.hadoop.hbase.DoNotRetryIOException;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.TableDescriptor;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.diffindex.model.ColumnTypes;
import org.diffindex.model.IndexDefinition;
import org.diffindex.model.IndexDefinitions;
import org.diffindex.model.IndexScheme;
import org.diffindex.model.SchemeState;
import org.diffindex.tasks.SchemeChangeEndedException;
import org.diffindex.tasks.SchemeSteps;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.mockito.stubbing.Answer;

/** Tests the order of the steps of a change, and what is said when one fails. */
class SchemeChangeTest {
    private static final IndexDefinition INDEX = IndexDefinition.builder(TableName.valueOf("flights"), "by_origin")
            .column("f", "origin", ColumnTypes.STRING)
            .build()
            .withId("id-1");

    private final SchemeSteps steps = mock();
    private final List<String> done = new ArrayList<>();

    /** What the next drains leave, and the next comparisons find; nothing if there is no more. */
    private final Deque<Long> left = new ArrayDeque<>();

    private final Deque<Long> stale = new ArrayDeque<>();

    private Optional<SchemeState> present = Optional.empty();
    private IndexScheme from = IndexScheme.SYNC_FULL;

    @BeforeEach
    void stubSteps() throws IOException {
        when(steps.present()).thenAnswer(call -> present);
        when(steps.begin(any())).thenAnswer(call -> {
            done.add("begin");
            IndexScheme defined = present.map(SchemeState::promise).orElse(from);
            return SchemeState.begin(present, defined, call.getArgument(0), "c1");
        });
        doAnswer(notes("define")).when(steps).define(any());
        doAnswer(notes("fence")).when(steps).fence(any());
        doAnswer(notes("complete")).when(steps).complete(any());
        doAnswer(notes("settle")).when(steps).settle();
    }

    private Answer<Void> notes(String step) {
        return call -> {
            done.add(step);
            return null;
        };
    }

    private void change(IndexScheme to) throws IOException {
        SchemeChange.Remains remains = new SchemeChange.Remains() {
            @Override
            public long drain() {
                done.add("drain");
                return left.isEmpty() ? 0 : left.remove();
            }

            @Override
            public ScrubReport repair(IndexDefinition byNewScheme) {
                assertThat(byNewScheme.scheme()).isEqualTo(to);
                assertThat(byNewScheme.change())
                        .as("so that the fence lets repairs through")
                        .isEqualTo("c1");
                done.add("repair");
                long unsettled = stale.isEmpty() ? 0 : stale.remove();
                return new ScrubReport(
                        byNewScheme,
                        9,
                        10,
                        Map.of(Difference.STALE, 1L),
                        Map.of(Difference.STALE, 1L),
                        unsettled,
                        List.of(),
                        Duration.ZERO);
            }
        };
        new SchemeChange(INDEX.withScheme(from), to, steps, remains, SchemeChangeListener.NONE).run();
    }

    @ParameterizedTest
    @CsvSource({
        "sync-full,     sync-insert,   begin define complete",
        "sync-full,     async-simple,  begin define complete",
        "sync-full,     async-session, begin define complete",
        "sync-insert,   sync-full,     drain begin define fence drain repair complete",
        "sync-insert,   async-simple,  begin define fence repair complete",
        "sync-insert,   async-session, begin define fence repair complete",
        "async-simple,  sync-full,     drain begin define drain complete",
        "async-simple,  sync-insert,   drain begin define drain complete",
        "async-simple,  async-session, drain begin define drain complete",
        "async-session, sync-full,     drain begin define drain complete",
        "async-session, sync-insert,   drain begin define drain complete",
        "async-session, async-simple,  begin define complete",
    })
    void makesTheStepsInOrder(String before, String after, String expected) throws IOException {
        from = IndexScheme.ofName(before);
        change(IndexScheme.ofName(after));
        assertThat(String.join(" ", done)).isEqualTo(expected);
    }

    @Test
    void doesNothingIfTheIndexHasTheScheme() throws IOException {
        change(IndexScheme.SYNC_FULL);
        assertThat(done).isEmpty();
    }

    /** Its client may have ended before all regions had been opened. */
    @Test
    void waitsForAChangeThatIsComplete() throws IOException {
        present = Optional.of(SchemeState.begin(Optional.empty(), from, IndexScheme.SYNC_FULL, "c0")
                .completed());
        change(IndexScheme.SYNC_FULL);
        assertThat(done).containsExactly("settle");
    }

    /** Another client's change is complete since the definition was read, by which the index had the wanted scheme. */
    @Test
    void goesByTheSchemeThatTheIndexHasNow() throws IOException {
        present = Optional.of(SchemeState.begin(Optional.empty(), from, IndexScheme.SYNC_INSERT, "c0")
                .completed());
        change(IndexScheme.SYNC_FULL);
        assertThat(done).containsExactly("drain", "begin", "define", "fence", "drain", "repair", "complete");
    }

    /** Nothing of the change is under way then, and it cannot be repeated. */
    @Test
    void anEndedChangeIsNotSaidToBeUnderWay() throws IOException {
        SchemeChangeEndedException ended = mock();
        doThrow(ended).when(steps).define(any());
        assertThatThrownBy(() -> change(IndexScheme.SYNC_INSERT)).isSameAs(ended);
    }

    /** It may have left anything, whichever scheme the base table defines. */
    @Test
    void completesAndUndoesAChangeThatWasInterrupted() throws IOException {
        present =
                Optional.of(SchemeState.begin(Optional.empty(), IndexScheme.SYNC_INSERT, IndexScheme.SYNC_FULL, "c0"));
        change(IndexScheme.SYNC_FULL);
        assertThat(done).containsExactly("begin", "define", "fence", "drain", "repair", "complete");
        done.clear();
        change(IndexScheme.SYNC_INSERT);
        assertThat(done).containsExactly("begin", "define", "complete");
    }

    @Test
    void changesNothingWhileUpdatesAreNotDelivered() {
        from = IndexScheme.ASYNC_SIMPLE;
        left.add(3L);
        assertThatThrownBy(() -> change(IndexScheme.SYNC_FULL))
                .hasMessageContaining("3 batches of index updates of index by_origin of flights are not delivered")
                .hasMessageContaining("Nothing was changed");
        assertThat(done).containsExactly("drain");
    }

    @Test
    void isNotCompleteWhileUpdatesAreNotDelivered() {
        from = IndexScheme.ASYNC_SIMPLE;
        left.addAll(List.of(0L, 3L));
        assertThatThrownBy(() -> change(IndexScheme.SYNC_FULL))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("to sync-full has begun, and is not complete: 3 batches")
                .hasMessageContaining("promises what async-simple does. Repeat the change");
        assertThat(done).doesNotContain("complete");
    }

    @Test
    void comparesUntilEveryRowIsKnown() throws IOException {
        from = IndexScheme.SYNC_INSERT;
        stale.addAll(List.of(2L, 1L, 0L));
        change(IndexScheme.SYNC_FULL);
        assertThat(done).containsSubsequence("repair", "repair", "repair", "complete");
        assertThat(done.stream().filter("repair"::equals)).hasSize(3);
    }

    @Test
    void isNotCompleteWhileStaleEntriesMayBeLeft() {
        from = IndexScheme.SYNC_INSERT;
        stale.addAll(List.of(1L, 1L, 1L, 1L, 1L, 1L, 1L, 1L, 1L, 1L));
        assertThatThrownBy(() -> change(IndexScheme.ASYNC_SESSION))
                .hasMessageContaining("stale entries may be left, after 10 comparisons")
                .hasMessageContaining("1 unsettled")
                .hasMessageContaining("promises what async-session does");
        assertThat(done).doesNotContain("complete");
    }

    @Test
    void anInterruptAndAValueThatCannotBeReadAreTold() throws IOException {
        doThrow(new InterruptedIOException("interrupted")).when(steps).define(any());
        assertThatThrownBy(() -> change(IndexScheme.SYNC_INSERT)).isInstanceOf(InterruptedIOException.class);
        when(steps.present()).thenThrow(new IllegalArgumentException("diffindex.scheme is not valid"));
        assertThatThrownBy(() -> change(IndexScheme.SYNC_INSERT))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("was not changed: diffindex.scheme is not valid; rebuild the index");
    }

    @Test
    void nobodyIsToldToRebuildAnIndexOfALaterBuild() throws IOException {
        TableDescriptor own = TableDescriptorBuilder.newBuilder(TableName.valueOf("t.i"))
                .setValue("diffindex.scheme", "{\"fence\":\"c\"}")
                .build();
        when(steps.present()).thenAnswer(asked -> IndexDefinitions.schemeStateOf(own));
        assertThatThrownBy(() -> change(IndexScheme.SYNC_INSERT))
                .isInstanceOf(DoNotRetryIOException.class)
                .hasMessageContaining("was not changed: ")
                .hasMessageContaining("[fence]")
                .hasMessageContaining("; use the build of Diff-Index by which")
                .hasMessageNotContaining("rebuild");
        assertThat(done).isEmpty();
    }
}
