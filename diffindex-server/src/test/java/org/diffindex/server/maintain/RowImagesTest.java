package org.diffindex.server.maintain;

import static org.assertj.core.api.Assertions.assertThat;
import static org.diffindex.server.local.Flights.cell;
import static org.diffindex.server.local.Flights.row;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.apache.hadoop.hbase.Cell;
import org.diffindex.model.IndexScheme;
import org.diffindex.server.local.Flights;
import org.junit.jupiter.api.Test;

/** Tests the images of a row before and after a change, and the reads that they take. */
class RowImagesTest {
    private static final long NO_EXPLICIT_TIMESTAMP = Long.MIN_VALUE;
    private static final Cell ORD = cell("r", "origin", "ORD", 100);
    private static final Cell LAX = cell("r", "origin", "LAX", 200);
    private static final Cell DATE = cell("r", "date", "2008-01-01", 100);

    private final LongAdder hits = new LongAdder();
    private final RowMemory memory = new RowMemory(new RowMemory.Shared(10_000), hits);
    private final HistoryReader reader = new HistoryReader().state(5, ORD, DATE).state(9, LAX, DATE);

    @Test
    void readsNothingBeforeAnImageIsRequested() throws IOException {
        RowImages images = new RowImages(plainPut(LAX), reader, NO_EXPLICIT_TIMESTAMP);
        assertThat(images.surelyVisible()).containsExactly(LAX);
        assertThat(reader.reads).isEmpty();
    }

    @Test
    void appliesAPlainPutToTheImageBeforeWithOneRead() throws IOException {
        RowImages images = new RowImages(plainPut(LAX), reader, NO_EXPLICIT_TIMESTAMP);
        assertThat(images.after()).containsExactly(LAX, DATE);
        assertThat(images.before()).containsExactly(ORD, DATE);
        assertThat(images.after()).containsExactly(LAX, DATE);
        assertThat(reader.reads).containsExactly(8L);
    }

    @Test
    void anyOtherChangeReadsEachImageOnce() throws IOException {
        RowImages images = new RowImages(RowChange.of(row("r"), 9, 200, 200), reader, NO_EXPLICIT_TIMESTAMP);
        assertThat(images.surelyVisible()).isEmpty();
        assertThat(images.after()).containsExactly(LAX, DATE);
        assertThat(images.before()).containsExactly(ORD, DATE);
        images.after();
        images.before();
        assertThat(reader.reads).containsExactlyInAnyOrder(8L, 9L);
    }

    @Test
    void mergedChangesReadTheOutermostImages() throws IOException {
        reader.state(7, cell("r", "origin", "SFO", 150));
        RowChange merged = RowChange.of(row("r"), 7, 150, 150).mergedWith(RowChange.of(row("r"), 9, 200, 200));
        RowImages images = new RowImages(merged, reader, NO_EXPLICIT_TIMESTAMP);
        assertThat(images.before()).containsExactly(ORD, DATE);
        assertThat(images.after()).containsExactly(LAX, DATE);
    }

    @Test
    void readsTheImageAfterAPutThatALaterExplicitTimestampMayHide() throws IOException {
        for (long horizon : List.of(200L, 201L)) {
            reader.reads.clear();
            RowImages images = new RowImages(plainPut(LAX), reader, horizon);
            assertThat(images.surelyVisible()).isEmpty();
            assertThat(images.after()).containsExactly(LAX, DATE);
            assertThat(reader.reads).contains(9L);
        }
        reader.reads.clear();
        new RowImages(plainPut(LAX), reader, 199).after();
        assertThat(reader.reads).containsExactly(8L);
    }

    @Test
    void readsTheImageAfterAPutUnderANewerCell() throws IOException {
        Cell newer = cell("r", "origin", "SFO", 200);
        HistoryReader history = new HistoryReader().state(5, newer).state(9, newer);
        RowImages images = new RowImages(plainPut(LAX), history, NO_EXPLICIT_TIMESTAMP);
        assertThat(images.after()).containsExactly(newer);
        assertThat(history.reads).containsExactly(8L, 9L);
    }

    @Test
    void aKnownRowIsNotRead() throws IOException {
        RowChange put = plainPut(LAX);
        RememberedRow remembered = new RememberedRow(put.before(), List.of(ORD, DATE), memory, reader);
        RowImages images = new RowImages(put, remembered, NO_EXPLICIT_TIMESTAMP);
        assertThat(hits.sum()).isZero();
        assertThat(images.before()).containsExactly(ORD, DATE);
        assertThat(images.after()).containsExactly(LAX, DATE);
        assertThat(reader.reads).isEmpty();
        assertThat(hits.sum()).isOne();
    }

    @Test
    void theRowAfterAPutIsRememberedAtOnceIfTheRowBeforeIsKnownOrThePutSetsAllColumns() {
        assertThat(remembered(NO_EXPLICIT_TIMESTAMP, Optional.of(List.of(ORD, DATE)), 2))
                .contains(List.of(LAX, DATE));
        assertThat(remembered(NO_EXPLICIT_TIMESTAMP, Optional.empty(), 1)).contains(List.of(LAX));
        assertThat(remembered(NO_EXPLICIT_TIMESTAMP, Optional.empty(), 2)).isEmpty();
        assertThat(reader.reads).isEmpty();
    }

    @Test
    void theRowAfterAPutIsRememberedOnceTheRowBeforeWasRead() throws IOException {
        RowImages images = new RowImages(plainPut(LAX), reader, NO_EXPLICIT_TIMESTAMP);
        images.remember(memory, memory.era(), Optional.empty(), 2);
        images.after();
        assertThat(memory.take(row("r"), Long.MAX_VALUE)).contains(List.of(LAX, DATE));
    }

    @Test
    void aPutThatMayBeHiddenIsNotRemembered() throws IOException {
        Cell newer = cell("r", "origin", "SFO", 200);
        assertThat(remembered(NO_EXPLICIT_TIMESTAMP, Optional.of(List.of(newer)), 2))
                .isEmpty();
        assertThat(remembered(200, Optional.empty(), 1)).isEmpty();
        RowImages underAnExplicitTimestamp = new RowImages(plainPut(LAX), reader, 200);
        underAnExplicitTimestamp.remember(memory, memory.era(), Optional.empty(), 1);
        underAnExplicitTimestamp.after();
        assertThat(memory.take(row("r"), Long.MAX_VALUE)).isEmpty();
    }

    /** Here everything is forgotten when the memory is asked whether it is used, as when files are found replaced. */
    @Test
    void whatFollowsFromAForgottenRowIsNotRemembered() throws IOException {
        AtomicReference<Runnable> whenAsked = new AtomicReference<>(() -> {});
        RowMemory forgetful = new RowMemory(new RowMemory.Shared(10_000), hits, () -> {
            whenAsked.get().run();
            return true;
        });
        forgetful.remember(row("r"), List.of(ORD, DATE));
        RegionMaintainers maintainers =
                new RegionMaintainers(List.of(Flights.byOriginAndDate(IndexScheme.SYNC_FULL)), reader);
        AtomicInteger asked = new AtomicInteger();
        whenAsked.set(() -> {
            if (asked.incrementAndGet() == 2) {
                forgetful.forgetAll();
            }
        });
        RowImages images =
                maintainers.imagesOf(List.of(plainPut(LAX)), forgetful).get(0);
        assertThat(asked).as("taken, and to be remembered").hasValue(2);
        assertThat(images.before()).containsExactly(ORD, DATE);
        assertThat(forgetful.take(row("r"), Long.MAX_VALUE)).isEmpty();
    }

    /** Returns what the memory knows of the row after a put of LAX of which nothing was read. */
    private Optional<List<Cell>> remembered(long horizon, Optional<List<Cell>> before, int columns) {
        new RowImages(plainPut(LAX), reader, horizon).remember(memory, memory.era(), before, columns);
        return memory.take(row("r"), Long.MAX_VALUE);
    }

    private static RowChange plainPut(Cell... cells) {
        return RowChange.plainPut(row("r"), 9, 200, List.of(cells));
    }
}
